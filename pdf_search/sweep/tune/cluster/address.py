"""Finds the cluster that ``--address`` means, and checks that Ray answers there.

Ray itself waits for minutes, and without a word, for what does not answer.
"""

from __future__ import annotations

import os
import socket

from pdf_search.errors import ConfigError, ResourceError

CONNECT_SECONDS = 10.0
# HTTP/2, which Ray speaks: a client's first bytes with its empty SETTINGS, and a frame's head.
GREETING = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes([0, 0, 0, 4, 0, 0, 0, 0, 0])
HEAD_BYTES, KIND, SETTINGS = 9, 3, 4


def cluster_address(given: str) -> str:
    """The host:port that an ``--address`` means; "auto" is RAY_ADDRESS or the Ray that runs here.

    Raises:
        ConfigError: a sweep cannot use such an address.
        ResourceError: "auto" means no Ray, or one of several.
    """
    named = os.environ.get("RAY_ADDRESS") if given == "auto" else given
    address = named or _running_here()
    option = f"--address {given}" + f" (RAY_ADDRESS={named})" * (given == "auto")
    if address.startswith("ray://"):
        raise ConfigError(
            f"{option}: a sweep writes its results from this process, which Ray Client "
            "moves elsewhere. Start it on a node of the cluster with --address auto."
        )
    host, _, port = address.rpartition(":")
    if not host or not port.isdigit():
        raise ConfigError(f"{option}: give host:port (such as 10.0.0.1:6379) or auto")
    return address


def _running_here() -> str:
    """The Ray of this machine that ``ray start`` began last, or else the only one that runs."""
    from ray._private import services  # noqa: PLC0415

    running = sorted(services.find_gcs_addresses())  # type: ignore[no-untyped-call]
    started = services.find_bootstrap_address(None)
    if len(running) > 1 and started not in running:
        raise ResourceError(
            f"--address auto: several Rays run on this machine ({', '.join(running)}), such as "
            "those of other sweeps. Give the --address of one."
        )
    found = started if started in running or not running else running[0]
    if not found:
        raise ResourceError(
            "--address auto: no Ray runs on this machine, and RAY_ADDRESS is not set. Start one "
            "with `ray start --head`, or leave --address out: a sweep then starts its own"
        )
    return str(found)


def check_answers(address: str, seconds: float = CONNECT_SECONDS) -> None:
    """Check that something answers at host:port, in the protocol that Ray speaks.

    Raises:
        ResourceError: nothing answers within ``seconds``, or something else than Ray.
    """
    host, _, port = address.rpartition(":")
    where = f"--address {address}"
    try:
        with socket.create_connection((host.strip("[]"), int(port)), timeout=seconds) as line:
            line.sendall(GREETING)
            head = line.recv(HEAD_BYTES, socket.MSG_WAITALL)
    except socket.gaierror as error:
        raise ResourceError(f"{where}: there is no such host ({error.strerror})") from None
    except (OSError, OverflowError) as error:
        raise ResourceError(
            f"{where}: nothing answers ({error}; waited up to {seconds:g} s). "
            "Check `ray status` on the head node."
        ) from None
    encrypted = os.environ.get("RAY_USE_TLS") == "1"
    if not encrypted and (len(head) < HEAD_BYTES or head[KIND] != SETTINGS):
        raise ResourceError(
            f"{where}: what answers there is not the head of a Ray cluster, whose port is 6379 if "
            "`ray start --head` was given no other (8265 is its dashboard's)"
        )
