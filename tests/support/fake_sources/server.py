"""Serves a stand-in of a source on loopback, and logs what it was asked."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

from fake_sources.exchange import FakeRequest, FakeSource


@dataclass(frozen=True)
class Logged:
    """A request that a source was asked.

    Attributes:
        path: Path and query.
        began: When it came, in seconds of the monotonic clock.
        ended: When the answer began to be sent.
        headers: Headers by name in lower case.
    """

    path: str
    began: float
    ended: float
    headers: Mapping[str, str]


@dataclass
class FakeServer:
    """A running server.

    Attributes:
        url: URL of the server.
        log: All requests, in the order in which they were answered.
        refusing: Whether connections are closed without an answer.
    """

    url: str = ""
    log: list[Logged] = field(default_factory=list)
    refusing: bool = False

    @property
    def host(self) -> str:
        """Name and port."""
        return urlsplit(self.url).netloc


@contextmanager
def fake_server(source: FakeSource) -> Iterator[FakeServer]:
    """Serve a source as long as the block lasts."""
    state = FakeServer()
    lock = threading.Lock()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            began = time.monotonic()
            if state.refusing:
                self.close_connection = True
                return
            parts = urlsplit(self.path)
            headers = {key.lower(): value for key, value in self.headers.items()}
            with lock:
                number = len(state.log)
                request = FakeRequest(parts.path, parse_qs(parts.query), headers, state.url, number)
                answer = source.answer(request)
            time.sleep(answer.delay)
            with lock:  # before the answer, so that whoever has the answer finds it
                state.log.append(Logged(self.path, began, time.monotonic(), headers))
            self.send_response(answer.status)
            self.send_header("Content-Length", str(len(answer.body)))
            for key, value in answer.headers.items():
                self.send_header(key, value)
            self.end_headers()
            self.wfile.write(answer.body[: len(answer.body) // 2] if answer.cut_short else answer.body)
            if answer.cut_short:
                self.wfile.flush()
                self.close_connection = True

        def log_message(self, format: str, *args: object) -> None:
            """Write nothing."""

    class Server(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, request: object, client_address: object) -> None:
            """Say nothing: clients may go before they have read everything."""

    server = Server(("127.0.0.1", 0), Handler)
    state.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield state
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
