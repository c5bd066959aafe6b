"""Which cluster ``--address`` means, and that it answers as Ray does."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
from ray._private import services

from pdf_search.errors import ConfigError, ResourceError
from pdf_search.sweep.tune.cluster.address import check_answers, cluster_address

ONE, OTHER = "10.0.0.1:6379", "127.0.0.1:41021"


@contextmanager
def a_web_page() -> Iterator[int]:
    server = HTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield server.server_port
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    """The Rays that run on this machine, and the one that ``ray start`` noted."""
    running, started = request.param
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    monkeypatch.setattr(services, "find_gcs_addresses", lambda: frozenset(running))
    monkeypatch.setattr(services, "find_bootstrap_address", lambda _: started)


def test_an_address_where_nothing_listens_is_an_error_in_time() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with pytest.raises(ResourceError, match="nothing answers"):
        check_answers(f"127.0.0.1:{port}", seconds=2)


def test_an_address_that_listens_in_silence_is_an_error_in_time() -> None:
    """Ray itself waits for minutes."""
    with socket.create_server(("127.0.0.1", 0)) as mute:
        port = mute.getsockname()[1]
        with pytest.raises(ResourceError, match=r"nothing answers \(timed out; .* 0\.2 s"):
            check_answers(f"127.0.0.1:{port}", seconds=0.2)


def test_a_dashboard_s_port_is_not_a_cluster_s() -> None:
    with a_web_page() as port, pytest.raises(ResourceError, match="8265 is its dashboard's"):
        check_answers(f"127.0.0.1:{port}", seconds=10)


def test_a_host_that_is_not_there_is_called_so() -> None:
    with pytest.raises(ResourceError, match=r"nosuch\.invalid:6379: there is no such host"):
        check_answers("nosuch.invalid:6379", seconds=10)


@pytest.mark.parametrize("port", ["0", "65536", "99999999999"])
def test_a_port_that_cannot_be_is_an_error(port: str) -> None:
    with pytest.raises(ResourceError, match="nothing answers"):
        check_answers(f"127.0.0.1:{port}", seconds=2)


@pytest.mark.parametrize(
    ("address", "message"), [("ray://head:10001", "--address auto"), ("nonsense", "host:port")]
)
def test_what_is_no_address_of_a_cluster(address: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        cluster_address(address)


def test_auto_is_ray_s_own_address_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAY_ADDRESS", ONE)
    assert cluster_address("auto") == ONE
    assert cluster_address(OTHER) == OTHER
    monkeypatch.setenv("RAY_ADDRESS", "ray://head:10001")
    with pytest.raises(ConfigError, match=r"--address auto \(RAY_ADDRESS=ray://head:10001\)"):
        cluster_address("auto")


@pytest.mark.parametrize(
    ("here", "found"),
    [
        (([OTHER], None), OTHER),
        (([ONE, OTHER], ONE), ONE),
        (([OTHER], ONE), OTHER),  # what was started has ended
        (([], ONE), ONE),  # started outside the container that this process is in
    ],
    indirect=["here"],
)
@pytest.mark.usefixtures("here")
def test_auto_is_the_ray_that_runs_here(found: str) -> None:
    assert cluster_address("auto") == found


@pytest.mark.parametrize(
    ("here", "message"),
    [
        (([], None), "no Ray runs on this machine"),
        (([ONE, OTHER], None), f"several Rays run on this machine \\({ONE}, {OTHER}\\)"),
    ],
    indirect=["here"],
)
@pytest.mark.usefixtures("here")
def test_auto_means_no_ray_or_one_of_several(message: str) -> None:
    with pytest.raises(ResourceError, match=message):
        cluster_address("auto")
