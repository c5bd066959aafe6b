"""Sets the environment variables that Ray starts with, and chooses its temporary folder.

Ray keeps its sockets below that folder, and the path of a socket has to be short.
"""

from __future__ import annotations

import logging
import os
import re
import secrets
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pdf_search.errors import ResourceError
from pdf_search.paths import why_not_writable

LONGEST_SOCKET = 103 if sys.platform == "darwin" else 107  # bytes of its path
BELOW = len("/ray/session_2026-01-01_00-00-00_000000_1234567/sockets/plasma_store")
LONGEST = LONGEST_SOCKET - BELOW
PLAIN = re.compile(r"[\w./+-]+", re.ASCII)  # Ray splits and quotes paths by its own rules
FALLBACKS = ("/tmp", "/var/tmp")

SETTINGS = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_ENABLE_UV_RUN_RUNTIME_ENV": "0",
    "RAY_CHDIR_TO_TRIAL_DIR": "0",
    "RAY_AIR_NEW_OUTPUT": "0",
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "1",  # a trial without a GPU sees none
    "TUNE_DISABLE_AUTO_CALLBACK_LOGGERS": "1",
    "TUNE_DISABLE_STRICT_METRIC_CHECKING": "1",
    "TUNE_DISABLE_SIGINT_HANDLER": "1",
    "TUNE_WARN_EXCESSIVE_EXPERIMENT_CHECKPOINT_SYNC_THRESHOLD_S": "0",
    "TUNE_FUNCTION_THREAD_TIMEOUT_S": "30",
}
ON_THIS_MACHINE = {
    # SIGTERM to the process group ends Ray's own processes too. The driver then waits this long,
    # in seconds, before it ends as if it were killed; the sweep can be resumed.
    "RAY_gcs_rpc_server_reconnect_timeout_s": "15",
    "RAY_grpc_enable_http_proxy": "0",
}
# Ray gives its workers a nice of 15: beside other programs trials hardly ran. A value that the
# user has set stays.
NICENESS = {"RAY_worker_niceness": "0"}
TOKEN = secrets.token_hex(32)  # the same for all sessions of a process, because Ray reads it once
TOKEN_FILE = "~/.ray/auth_token"
MODE = "RAY_AUTH_MODE"  # whether processes of Ray ask each other for a token
REFUSED = ("TUNE_RESULT_DIR", "RAY_AIR_LOCAL_CACHE_DIR")  # Ray raises an exception if one is set
OTHERS = ("RAY_ADDRESS", "RAY_NAMESPACE", "RAY_JOB_CONFIG_JSON_ENV_VAR", "RAY_RUNTIME_ENV_HOOK")


@contextmanager
def surroundings(address: str | None) -> Iterator[None]:
    """Set Ray's environment variables inside a ``with`` block.

    ``address`` None means a session of our own: then variables that would lead Ray to another
    project's cluster are removed too.
    """
    before = dict(os.environ)
    os.environ.update(SETTINGS)
    for name in REFUSED if address is not None else (*REFUSED, *OTHERS):
        os.environ.pop(name, None)
    if address is None:
        os.environ.update(NICENESS | os.environ | ON_THIS_MACHINE)
        if not os.environ.get("RAY_AUTH_TOKEN_PATH"):
            # Without a token in the environment, Ray writes one into the home folder.
            os.environ.setdefault("RAY_AUTH_TOKEN", TOKEN)
    ours = {*SETTINGS, *ON_THIS_MACHINE, *NICENESS, *REFUSED, *OTHERS, "RAY_AUTH_TOKEN", MODE}
    try:
        yield
    finally:
        for name in ours:
            os.environ.pop(name, None)
        os.environ.update({name: before[name] for name in ours if name in before})


def use_token() -> bool:
    """Use the token that lies here for a cluster; whether there is one.

    Ray does so where it finds a cluster by itself, but not where an address is given. A mode that
    the user has set stays.
    """
    try:
        from ray._private.authentication import (  # noqa: PLC0415
            authentication_token_setup as setup,
        )
    except ImportError:  # Ray asks for tokens since 2.52
        return False
    logging.getLogger("ray").setLevel(logging.CRITICAL)  # it would tell of it
    return bool(setup.maybe_enable_token_auth_if_token_available(warn_if_disabled=False))


def why_refused(told: str, has_token: bool) -> str:
    """Why a cluster refuses us, of what Ray told; "" if that is not known."""
    if "Unauthenticated" not in told and "InvalidAuthToken" not in told:
        return ""
    if has_token:
        return (
            "the cluster does not take the token that lies here (RAY_AUTH_TOKEN, "
            f"RAY_AUTH_TOKEN_PATH or {TOKEN_FILE}). Take that of its head node."
        )
    return (
        f"the cluster asks for a token. Copy {TOKEN_FILE} of its head node to this machine, or set "
        "RAY_AUTH_TOKEN to what that file holds."
    )


def ray_folder() -> tuple[Path, str]:
    """Choose Ray's temporary folder on this machine.

    Gives the folder, and a note for the user if it is not the usual one (else "").

    Raises:
        ResourceError: no folder is fit. The message names the variable to set.
    """
    name = next((n for n in ("RAY_TMPDIR", "TMPDIR") if os.environ.get(n)), "")
    usual = os.environ.get(name, FALLBACKS[0])
    wrong = why_unfit(usual)
    problem = f"{name or 'the folder'} {usual} {wrong}"
    for place in (usual, *FALLBACKS):
        if not why_unfit(place):
            return _below(place, problem if wrong else "")
    raise ResourceError(
        f"{problem}, nor can {' or '.join(FALLBACKS)} be used: set RAY_TMPDIR to a folder of at "
        f"most {LONGEST} characters that can be written"
    )


def _below(place: str, problem: str) -> tuple[Path, str]:
    """Ray's folder in a fit place, and the note for the user; ``problem`` is why it is there."""
    folder = Path(place, "ray")
    if folder.exists() and (reason := _why_taken(folder)):
        problem = problem or f"{folder} is another user's ({reason})"
        folder = Path(place, f"ray-{os.getuid()}")
    return folder, f"{problem}: Ray's temporary files go to {folder}" if problem else ""


def _why_taken(folder: Path) -> str:
    return why_not_writable(folder) if folder.is_dir() else "it is no folder"


def why_unfit(folder: str) -> str:
    """Why Ray cannot keep its temporary files in a folder; "" if it can.

    The text follows the name of the folder in a message.
    """
    taken = Path(folder, "ray").exists() and bool(_why_taken(Path(folder, "ray")))
    longest = LONGEST - taken * len(f"-{os.getuid()}")
    if len(os.fsencode(folder)) > longest:
        return f"is too long for Ray's sockets (at most {longest} characters)"
    if not folder.startswith("/"):
        return "is not a whole path"
    if not PLAIN.fullmatch(folder):
        return "has signs in its name that Ray does not take"
    if not Path(folder).is_dir():
        return "is not a folder"
    reason = why_not_writable(Path(folder))
    return f"cannot be written ({reason})" if reason else ""
