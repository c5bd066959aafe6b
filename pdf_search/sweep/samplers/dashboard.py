"""Serves optuna-dashboard on a results database, to this machine alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from socketserver import ThreadingMixIn
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

from pdf_search.errors import ResourceError
from pdf_search.sweep.samplers.optuna_storage import opened_storage

HOST = "127.0.0.1"


class Server(ThreadingMixIn, WSGIServer):
    """Answers several requests at once; none keeps the process from ending."""

    daemon_threads = True


class Quiet(WSGIRequestHandler):
    """Writes no line for each request."""

    def log_message(self, *_: object) -> None:
        """Do nothing."""


@contextmanager
def dashboard_server(database: str, port: int) -> Iterator[Server]:
    """Open the server of the dashboard of a database; 0 takes any free port.

    Raises:
        ResourceError: optuna-dashboard is not installed, or the port is taken.
    """
    try:
        from optuna_dashboard import wsgi  # noqa: PLC0415
    except ImportError:
        raise ResourceError(
            "optuna-dashboard is not installed: pip install 'pdf-search[dashboard]'"
        ) from None
    with opened_storage(database) as storage:
        try:
            server = make_server(HOST, port, wsgi(storage), Server, Quiet)
        except OSError as error:
            raise ResourceError(f"--port {port}: {error.strerror}; choose another") from None
        with server:
            yield server


def serve_dashboard(database: str, port: int, say: Callable[[str], object]) -> None:
    """Serve the dashboard until the process is interrupted; ``say`` is told its address."""
    with dashboard_server(database, port) as server:
        say(f"optuna-dashboard: http://{HOST}:{server.server_port}/ (Ctrl-C ends it)")
        server.serve_forever()
