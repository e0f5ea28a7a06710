"""The reward function to be copied: what a gateway, or a proxy before it, may answer and how it goes on."""

from __future__ import annotations

import importlib.util
import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

IMAGE = b"an image"
GOOD = {"items": [{"value": 0.5, "valid": True}]}
Handle = Callable[["Handler"], None]


class Handler(BaseHTTPRequestHandler):
    """Answers requests as the list of the server says, the last one again and again."""

    def do_POST(self) -> None:
        size = int(self.headers["Content-Length"])
        server: Any = self.server
        server.asked.append((self.path, json.loads(self.rfile.read(size))))
        answers = server.answers[self.path]
        (answers.pop(0) if len(answers) > 1 else answers[0])(self)

    def log_message(self, *given: object) -> None:
        pass


def says(status: int, body: object) -> Handle:
    return sends(status, json.dumps(body).encode())


def sends(status: int, content: bytes, length: int | None = None) -> Handle:
    def handle(handler: Handler) -> None:
        handler.send_response(status)
        handler.send_header("Content-Length", str(len(content) if length is None else length))
        handler.end_headers()
        handler.wfile.write(content)

    return handle


def hangs_up(handler: Handler) -> None:
    handler.close_connection = True


def error(status: int, message: str = "no", **more: object) -> Handle:
    return says(status, {"error": {"status": "S", "message": message, **more}})


class Gateway:
    """A server, and the clock of the module under test: it goes on by pauses, and a bit at each look."""

    def __init__(self, server: Any, module: ModuleType) -> None:
        self.server, self.module, self.now = server, module, 0.0
        self.pauses: list[float] = []

    def monotonic(self) -> float:
        self.now += 0.01
        return self.now

    def sleep(self, seconds: float) -> None:
        self.pauses.append(seconds)
        self.now += seconds

    def answers(self, *reward: Handle, references: Handle | None = None) -> None:
        kept = references or says(200, {"digests": []})
        self.server.answers = {"/v1/reward": list(reward), "/v1/references": [kept]}

    @property
    def paths(self) -> list[str]:
        return [path.removeprefix("/v1/") for path, _ in self.server.asked]

    def judged(self, seconds: float = 30.0) -> list[float | None]:
        url = f"http://127.0.0.1:{self.server.server_port}"
        found: list[float | None] = self.module.HttpReward(url, seconds=seconds)(
            completions=["x"], image=[IMAGE]
        )
        return found

    @property
    def missing(self) -> Handle:
        return error(409, missing=[self.module.digest(IMAGE)])


@pytest.fixture
def gateway(monkeypatch: pytest.MonkeyPatch) -> Iterator[Gateway]:
    path = Path(__file__).resolve().parents[3] / "examples/integrations/http_reward.py"
    spec = importlib.util.spec_from_file_location("http_reward", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    server: Any = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.asked = []
    found = Gateway(server, module)
    monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=found.monotonic, sleep=found.sleep))
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield found
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


AGAIN = [
    pytest.param(hangs_up, id="closed without an answer"),
    pytest.param(sends(200, b'{"items": [', 1000), id="cut answer"),
    pytest.param(sends(200, b"<html>"), id="no JSON"),
    pytest.param(sends(200, b"[1]"), id="no object"),
    pytest.param(sends(502, b"<html>Bad Gateway</html>"), id="502 of a proxy"),
    pytest.param(sends(504, b""), id="504 without a body"),
    pytest.param(sends(503, b'"busy"'), id="503 with a text"),
    pytest.param(sends(502, b"<html>", 1000), id="cut error"),
    pytest.param(error(429, retry_after_seconds=2.0), id="429"),
]


@pytest.mark.parametrize("once", AGAIN)
def test_a_failure_of_the_way_there_is_no_end_of_the_training(gateway: Gateway, once: Handle) -> None:
    gateway.answers(once, says(200, GOOD))
    assert gateway.judged() == [0.5]
    assert gateway.paths == ["reward", "reward"]


@pytest.mark.parametrize("always", AGAIN)
def test_attempts_end_with_the_time_for_a_batch(gateway: Gateway, always: Handle) -> None:
    gateway.answers(always)
    with pytest.raises(RuntimeError, match="http://127"):
        gateway.judged(seconds=5.0)
    assert 5.0 <= gateway.now < 8.0


def test_a_reference_that_is_missing_is_sent_and_the_batch_again(gateway: Gateway) -> None:
    gateway.answers(gateway.missing, gateway.missing, says(200, GOOD))
    assert gateway.judged() == [0.5]
    assert gateway.paths == ["reward", "references", "reward", "references", "reward"]
    assert set(gateway.pauses) == {0.0}


def test_references_that_are_never_there_end_with_the_time_for_a_batch(gateway: Gateway) -> None:
    gateway.answers(gateway.missing)
    with pytest.raises(RuntimeError, match="409"):
        gateway.judged(seconds=5.0)
    assert gateway.paths.count("references") <= 4 + 5 + 1  # at once, one a second, and the last


@pytest.mark.parametrize("refused", AGAIN)
def test_a_failure_of_an_upload_is_no_end_of_the_training(gateway: Gateway, refused: Handle) -> None:
    gateway.answers(gateway.missing, says(200, GOOD), references=refused)
    assert gateway.judged() == [0.5]


def test_what_will_never_be_answered_ends_at_once_and_says_why(gateway: Gateway) -> None:
    gateway.answers(error(400, "items is no list"))
    with pytest.raises(RuntimeError, match="400 items is no list"):
        gateway.judged()
    gateway.answers(gateway.missing, references=error(400, "is not an image"))
    with pytest.raises(RuntimeError, match="400 is not an image"):
        gateway.judged()
    assert gateway.pauses == []
