"""Decodes a user's text file, or says what the file is instead and how to save it as UTF-8."""

from __future__ import annotations

import re
from pathlib import Path

from pdf_search.errors import DataError

_WORKBOOK = "open it in a spreadsheet program and save the sheet as 'CSV UTF-8'"
_PAGE = "it is a web page: download the file itself ('raw')"
_JSON = "it is JSON: write it with pandas' to_csv(..., index=False)"
_STARTS = {
    b"PK\x03\x04": f"it is a workbook, of Excel or OpenDocument: {_WORKBOOK}",
    b"\xd0\xcf\x11\xe0": f"it is an old Excel workbook: {_WORKBOOK}",
    **dict.fromkeys((b"<!doctype", b"<html", b"<?xml"), _PAGE),
    **dict.fromkeys((b"[{", b"{"), _JSON),
}
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")
_TAR_AT = 257  # where a tar archive has its mark
_HEAD = 1000  # the first bytes, by which other kinds of file are recognised
_AROUND = 20  # bytes shown on either side of a byte that is not UTF-8
_LINE_END = re.compile(rb"\r\n|\r|\n")


def text_of(data: bytes, path: Path, option: str) -> str:
    """Return the text of a UTF-8 file without a byte order mark; line ends are not changed.

    ``data`` is the file's content, and ``option`` the setting that named it, for messages.

    Raises:
        DataError: It is not UTF-8 text.
    """
    if problem := _other_kind(data) or _not_utf8(data, path):
        raise DataError(f"{option}: {path} is not a UTF-8 text file: {problem}")
    return data.decode("utf-8-sig")


def _other_kind(data: bytes) -> str:
    """Say what a file is that is no plain text: an archive, UTF-16 and the like; "" if unknown."""
    begin = data[:_HEAD].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    for start, what in _STARTS.items():
        if data.startswith(start) or begin.startswith(start):
            return what
    if data[_TAR_AT:].startswith(b"ustar"):
        return "it is a tar archive: unpack it, and give one of its files"
    head = data[:_HEAD]
    if head.count(0) > len(head) / 1.6:  # of ASCII text 3/4 of the bytes are 0, in UTF-16 1/2
        return (
            "it is UTF-32: save it as 'CSV UTF-8', or convert it with "
            "`iconv -f UTF-32 -t UTF-8 OLD > NEW`"
        )
    if data.startswith(_UTF_16) or head.count(0) > len(head) / 4:
        return (
            "it is UTF-16 (Excel's 'Unicode text'): save it as 'CSV UTF-8', or convert it with "
            "`iconv -f UTF-16 -t UTF-8 OLD > NEW`"
        )
    if 0 in data:
        return f"line {_line(data, data.index(0))} holds a NUL byte: the file is damaged"
    return ""


def _not_utf8(data: bytes, path: Path) -> str:
    """Say where the first byte that is not UTF-8 stands and how to convert the file; "" if none."""
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        at = error.start
    else:
        return ""
    around = data[max(0, at - _AROUND) : at + _AROUND]
    near = max(_LINE_END.split(around), key=lambda part: data[at : at + 1] in part)
    return (
        f"line {_line(data, at)} holds the byte 0x{data[at]:02X}, in {near.decode('latin-1')!r} if "
        "the file is Latin-1: save it as 'CSV UTF-8', or convert it with "
        f"`iconv -f WINDOWS-1252 -t UTF-8 {path.name} > NEW.csv`"
    )


def _line(data: bytes, at: int) -> int:
    """The line of a byte, counted from 1."""
    return len(_LINE_END.findall(data[:at])) + 1
