"""Serves optuna-dashboard on a results database, to this machine alone."""

from __future__ import annotations

from collections.abc import Callable
from socketserver import ThreadingMixIn
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

from pdf_search.errors import ResourceError
from pdf_search.sweep.samplers.optuna_storage import open_storage

HOST = "127.0.0.1"


class Server(ThreadingMixIn, WSGIServer):
    """Answers several requests at once; none keeps the process from ending."""

    daemon_threads = True


class Quiet(WSGIRequestHandler):
    """Writes no line for each request."""

    def log_message(self, *_: object) -> None:
        """Do nothing."""


def dashboard_server(database: str, port: int) -> Server:
    """Make the server of the dashboard of a database; 0 takes any free port.

    Raises:
        ResourceError: optuna-dashboard is not installed, or the port is taken.
    """
    try:
        from optuna_dashboard import wsgi  # noqa: PLC0415
    except ImportError:
        raise ResourceError(
            "optuna-dashboard is not installed: pip install 'pdf-search[dashboard]'"
        ) from None
    app = wsgi(open_storage(database))
    try:
        return make_server(HOST, port, app, Server, Quiet)
    except OSError as error:
        raise ResourceError(f"--port {port}: {error.strerror}; choose another") from None


def serve_dashboard(database: str, port: int, say: Callable[[str], object]) -> None:
    """Serve the dashboard until the process is interrupted; ``say`` is told its address."""
    with dashboard_server(database, port) as server:
        say(f"optuna-dashboard: http://{HOST}:{server.server_port}/ (Ctrl-C ends it)")
        server.serve_forever()
