"""A server of models on the loopback that speaks the wires of three vendors, and misbehaves as told."""

from __future__ import annotations

import base64
import hashlib
import json
import socket
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from i2s_sdk.data import Instance
from named_pictures import name_of, named_picture


@dataclass(frozen=True)
class Asked:
    """A request as the server understood it."""

    wire: str
    text: str
    image: bytes
    body: dict[str, Any]
    headers: dict[str, str]
    path: str

    @property
    def question(self) -> str:
        return name_of(self.image)


#: Says what the server does with a request, given how often the same question came before.
Behaviour = Callable[[Asked, int], str]


def answer_to(question: str) -> str:
    return f"```latex\n{hashlib.sha256(question.encode()).hexdigest()}\n```"


@dataclass
class ModelServer:
    """Counts, by question: requests that came, and whole answers, each before its client has it."""

    behaviour: Behaviour = lambda asked, before: "answer"
    base: str = ""
    came: Counter[str] = field(default_factory=Counter)
    completed: Counter[str] = field(default_factory=Counter)
    done: Counter[str] = field(default_factory=Counter)
    requests: list[Asked] = field(default_factory=list)
    in_flight: int = 0
    most_in_flight: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)
    together: threading.Barrier | None = None
    over: threading.Event = field(default_factory=threading.Event)

    def arrive(self, asked: Asked) -> str:
        with self.lock:
            self.requests.append(asked)
            before = self.came[asked.question]
            self.came[asked.question] += 1
            action = self.behaviour(asked, before)
            self.done[action.partition(":")[0]] += 1
            return action


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 30
    model_server: ModelServer

    def log_message(self, *args: object) -> None:
        pass

    def do_POST(self) -> None:
        server = self.model_server
        raw = self.rfile.read(int(self.headers["content-length"]))
        asked = _understood(self.path, json.loads(raw), dict(self.headers))
        with server.lock:
            server.in_flight += 1
            server.most_in_flight = max(server.most_in_flight, server.in_flight)
        try:
            action, _, argument = server.arrive(asked).partition(":")
            getattr(self, f"_{action}")(asked, argument)
        finally:
            with server.lock:
                server.in_flight -= 1

    def _answer(self, asked: Asked, argument: str) -> None:
        self._complete(asked, _said(asked, argument or answer_to(asked.question)))

    def _refuse(self, asked: Asked, argument: str) -> None:
        self._complete(asked, _refused(asked, argument))

    def _status(self, asked: Asked, argument: str) -> None:
        status, _, after = argument.partition(",")
        self._send(int(status), _error(asked, int(status)), {"Retry-After": after} if after else {})

    def _together(self, asked: Asked, argument: str) -> None:
        assert self.model_server.together is not None
        self.model_server.together.wait(20)
        self._status(asked, "429,0")

    def _error(self, asked: Asked, argument: str) -> None:
        self._send(int(argument.partition(",")[0]), {"error": json.loads(argument.partition(",")[2])})

    def _hang(self, asked: Asked, argument: str) -> None:
        self.model_server.over.wait(30)
        self.close_connection = True

    def _drop(self, asked: Asked, argument: str) -> None:
        self.close_connection = True
        self.connection.shutdown(socket.SHUT_RDWR)

    def _cut(self, asked: Asked, argument: str) -> None:
        body = json.dumps(_said(asked, "lost")).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body[: len(body) // 2])
        self.wfile.flush()
        self._drop(asked, argument)

    def _nonsense(self, asked: Asked, argument: str) -> None:
        self._raw(200, argument.encode(), _media_type(argument), {})

    def _body(self, asked: Asked, argument: str) -> None:
        status, _, body = argument.partition(",")
        self._raw(int(status), body.encode(), _media_type(body), {})

    def _complete(self, asked: Asked, document: object) -> None:
        with self.model_server.lock:
            self.model_server.completed[asked.question] += 1
        self._send(200, document)

    def _send(self, status: int, document: object, headers: dict[str, str] | None = None) -> None:
        self._raw(status, json.dumps(document).encode(), "application/json", headers or {})

    def _raw(self, status: int, body: bytes, kind: str, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in {"Content-Type": kind, "Content-Length": str(len(body)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)


def _media_type(body: str) -> str:
    if body.startswith(("data:", "event:")):
        return "text/event-stream"
    return "text/html" if body.startswith("<") else "application/json"


def _understood(path: str, body: dict[str, Any], headers: dict[str, str]) -> Asked:
    lowered = {name.lower(): value for name, value in headers.items()}
    if path.endswith("/chat/completions"):
        blocks = body["messages"][-1]["content"]
        data = _first(block["image_url"]["url"] for block in blocks if "image_url" in block)
        image = base64.b64decode(data.removeprefix("data:image/png;base64,"))
        return Asked("openai", _texts(blocks), image, body, lowered, path)
    if path.endswith("/messages"):
        blocks = body["messages"][0]["content"]
        data = _first(block["source"]["data"] for block in blocks if "source" in block)
        return Asked("anthropic", _texts(blocks), base64.b64decode(data), body, lowered, path)
    parts = body["contents"][0]["parts"]
    data = _first(part["inlineData"]["data"] for part in parts if "inlineData" in part)
    return Asked("google", _texts(parts), base64.b64decode(data, altchars=b"-_"), body, lowered, path)


def _texts(blocks: list[dict[str, Any]]) -> str:
    return "".join(block["text"] for block in blocks if "text" in block)


def _first(found: Iterator[str]) -> str:
    return next(found, "")


def _tokens(asked: Asked) -> tuple[int, int]:
    return 100 + len(asked.question), 10 + len(asked.question)


def _said(asked: Asked, text: str, *, reason: str = "") -> dict[str, Any]:
    given, said = _tokens(asked)
    match asked.wire:
        case "openai":
            return {
                "id": "1", "object": "chat.completion", "created": 1, "model": "served-1",
                "choices": [{"index": 0, "finish_reason": reason or "stop",
                             "message": {"role": "assistant", "content": text}}],
                "usage": {"prompt_tokens": given, "completion_tokens": said, "total_tokens": given + said},
            }  # fmt: skip
        case "anthropic":
            return {
                "id": "1", "type": "message", "role": "assistant", "model": "served-1",
                "content": [{"type": "text", "text": text}], "stop_reason": reason or "end_turn",
                "usage": {"input_tokens": given, "output_tokens": said},
            }  # fmt: skip
    return {
        "candidates": [
            {"content": {"role": "model", "parts": [{"text": text}]}, "finishReason": reason or "STOP"}
        ],
        "usageMetadata": {"promptTokenCount": given, "candidatesTokenCount": said},
        "modelVersion": "served-1",
    }


def _refused(asked: Asked, how: str) -> dict[str, Any]:
    match asked.wire:
        case "openai" if how == "field":
            found = _said(asked, "")
            found["choices"][0]["message"] |= {"content": None, "refusal": "I will not."}
            return found
        case "openai":
            return _said(asked, "", reason="content_filter")
        case "anthropic":
            return _said(asked, "I will not.", reason="refusal")
        case _ if how == "prompt":
            return {
                "promptFeedback": {"blockReason": "SAFETY"},
                "usageMetadata": {"promptTokenCount": _tokens(asked)[0], "candidatesTokenCount": 0},
            }
    return _said(asked, "", reason="SAFETY")


def _error(asked: Asked, status: int) -> dict[str, Any]:
    if asked.wire == "google":
        return {"error": {"code": status, "message": f"because of {status}", "status": "NAMED"}}
    return {"type": "error", "error": {"type": "named", "message": f"because of {status}"}}


class _Http(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128  # a call that is not let in would be a fault that no test asked for


@pytest.fixture
def server() -> Iterator[ModelServer]:
    found = ModelServer()
    handler = type("Handler", (_Handler,), {"model_server": found})
    with _Http(("127.0.0.1", 0), handler) as http:
        found.base = f"http://127.0.0.1:{http.server_address[1]}"
        thread = threading.Thread(target=http.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield found
        finally:
            found.over.set()
            http.shutdown()
            thread.join()


@pytest.fixture
def instances(tmp_path: Path) -> Callable[[int], list[Instance]]:
    """Instances whose images are their names behind the first bytes of a PNG."""

    def make(number: int) -> list[Instance]:
        found = []
        for index in range(number):
            path = tmp_path / f"picture-{index}.png"
            path.write_bytes(named_picture(f"question-{index}"))
            found.append(Instance(f"i{index}", "latex", "equation", path))
        return found

    return make


@pytest.fixture
def prices(tmp_path: Path) -> Callable[[ModelServer, str, str], Path]:
    """A file of prices for a server: 2 and 8 dollars for a million tokens."""

    def write(server: ModelServer, suffix: str, model: str) -> Path:
        path = tmp_path / "prices.toml"
        path.write_text(f'[servers."{server.base}{suffix}"]\n"{model}" = {{ in = 2.0, out = 8.0 }}\n')
        return path

    return write
