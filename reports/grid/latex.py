"""Text for LaTeX: special signs are escaped, letters stay, and nothing stops pdflatex."""

from __future__ import annotations

import unicodedata

SIGNS = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "|": r"\textbar{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "\n": " ",
    "\t": " ",
    "\N{NO-BREAK SPACE}": "~",
    "±": r"$\pm$",
    "–": "--",
    "²": r"\textsuperscript{2}",
    "↓": r"$\downarrow$",
    "↑": r"$\uparrow$",
    "\N{MINUS SIGN}": "$-$",
    "≤": r"$\leq$",
    "≥": r"$\geq$",
    "≠": r"$\neq$",
    "≈": r"$\approx$",
    "∞": r"$\infty$",
    "\N{PRIME}": "$'$",
    "ε": r"$\varepsilon$",
    "φ": r"$\varphi$",
    "ς": r"$\varsigma$",
}
GREEK = (
    "α alpha β beta γ gamma δ delta ζ zeta η eta θ theta ι iota κ kappa λ lambda μ mu ν nu ξ xi "
    "π pi ρ rho σ sigma τ tau υ upsilon χ chi ψ psi ω omega Ω Omega Γ Gamma Δ Delta Θ Theta "
    "Λ Lambda Ξ Xi Π Pi Σ Sigma Υ Upsilon Φ Phi Ψ Psi"
)
_words = GREEK.split()
SIGNS |= {sign: rf"$\{name}$" for sign, name in zip(_words[::2], _words[1::2], strict=True)}
# Signs beyond Latin letters that LaTeX's standard encoding prints without a package.
SET = frozenset("¡¢£¤¥§¨©ª¬®¯°´µ¶·¸¹º¼½¾¿×÷‐‑‒—‘’“”…‰€→←•™")
ONLY_IN_T1 = frozenset("«»„ðþÐÞđĐąĄęĘįĮųŲŋŊ")
NOT_LATEX = frozenset("ħĦĿŀĸŧŦŉſ³")


def escape_latex(text: str) -> str:
    """Escape text for pdflatex; a letter that it cannot print becomes its code, ``U+4E2D``."""
    parts = unicodedata.normalize("NFC", text).split("--")  # which LaTeX would join to one dash
    return "-{}-".join("".join(map(_escaped, part)) for part in parts)


def _escaped(sign: str) -> str:
    if sign in SIGNS:
        return SIGNS[sign]
    if sign in ONLY_IN_T1:
        return rf"{{\fontencoding{{T1}}\selectfont {sign}}}"
    latin = "À" <= sign <= "ž" or sign in "ȘșȚț"
    if (sign.isascii() and sign.isprintable()) or sign in SET or (latin and sign not in NOT_LATEX):
        return sign
    return f"U+{ord(sign):04X}"
