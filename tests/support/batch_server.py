"""A server on the loopback that speaks the batch APIs of OpenAI and Anthropic, and answers when it is let."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

_PART = re.compile(rb'name="file"; filename="[^"]*"\r\n(?:[^\r\n]+\r\n)*\r\n(.*?)\r\n--', re.DOTALL)


@dataclass
class Batch:
    """A batch that came.

    Attributes:
        vendor: Whose API it came by.
        entries: Requests by custom id.
        metadata: Metadata as they were sent.
        headers: Headers of the request that made it, in lower case.
        open: Whether it is still worked on.
        failed: Why it was not accepted, as code and message; None if it was.
    """

    vendor: str
    entries: dict[str, dict[str, Any]]
    metadata: dict[str, str]
    headers: dict[str, str]
    open: bool = True
    failed: tuple[str, str] | None = None


@dataclass
class BatchServer:
    """What the server has got and what it does.

    Attributes:
        text: What the model says to a request.
        result: What becomes of a request in place of an answer, in the vendor's words; None answers.
        hold: Whether batches stay under way until ``finish``.
        drop_sends: How many requests that make a batch are accepted and then not answered.
        base: Address.
        batches: Batches by id.
        polls: Questions about the state of a batch.
    """

    text: Callable[[dict[str, Any]], str] = lambda body: "said"
    result: Callable[[str, dict[str, Any]], dict[str, Any] | None] = lambda key, body: None
    hold: bool = False
    drop_sends: int = 0
    base: str = ""
    batches: dict[str, Batch] = field(default_factory=dict)
    files: dict[str, bytes] = field(default_factory=dict)
    polls: int = 0
    singles: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def finish(self) -> None:
        """End all batches, and those that come from now on at once."""
        self.hold = False
        for batch in self.batches.values():
            batch.open = False

    def add(self, batch: Batch) -> str:
        """Take a batch and return its id."""
        with self.lock:
            name = f"batch_{len(self.batches) + 1}"
            batch.open = self.hold
            self.batches[name] = batch
            return name

    @contextmanager
    def serving(self) -> Iterator[BatchServer]:
        """Serve as long as the block lasts."""
        handler = type("Handler", (_Handler,), {"known": self})
        with ThreadingHTTPServer(("127.0.0.1", 0), handler) as http:
            http.daemon_threads = True
            self.base = f"http://127.0.0.1:{http.server_address[1]}"
            thread = threading.Thread(target=http.serve_forever, args=(0.01,))
            thread.start()
            try:
                yield self
            finally:
                http.shutdown()
                thread.join()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    known: BatchServer

    def log_message(self, *args: object) -> None:
        pass

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        if self.path == "/v1/files":
            found = _PART.search(body)
            assert found is not None, body[:500]
            name = f"file_{len(self.known.files)}"
            self.known.files[name] = found[1]
            self._send({"id": name, "object": "file", "purpose": "batch", "bytes": 1, "created_at": 1,
                        "filename": "x", "status": "processed"})  # fmt: skip
        elif self.path == "/v1/batches":
            self._openai_batch(json.loads(body))
        elif self.path == "/v1/messages/batches":
            self._anthropic_batch(json.loads(body))
        else:
            self.known.singles += 1
            self._send(_answer("openai" if "chat" in self.path else "anthropic", "OK"))

    def do_GET(self) -> None:
        path = self.path.partition("?")[0]
        if path == "/v1/batches":
            data = [self._openai_state(name, one) for name, one in self.known.batches.items()]
            self._send({"object": "list", "data": data, "has_more": False})
        elif path.startswith("/v1/batches/"):
            self._state(path.rpartition("/")[2], self._openai_state)
        elif path.startswith("/v1/files/"):
            batch = self.known.batches[path.split("/")[3].removeprefix("out_")]
            self._lines(_openai_line(self.known, key, entry["body"]) for key, entry in batch.entries.items())
        elif path.endswith("/results"):
            batch = self.known.batches[path.split("/")[4]]
            self._lines(
                _anthropic_line(self.known, key, entry["params"]) for key, entry in batch.entries.items()
            )
        else:
            self._state(path.rpartition("/")[2], self._anthropic_state)

    def _openai_batch(self, body: dict[str, Any]) -> None:
        assert (body["endpoint"], body["completion_window"]) == ("/v1/chat/completions", "24h")
        lines = [json.loads(line) for line in self.known.files[body["input_file_id"]].splitlines()]
        assert all((line["method"], line["url"]) == ("POST", "/v1/chat/completions") for line in lines)
        entries = {line["custom_id"]: line for line in lines}
        assert len(entries) == len(lines)
        batch = Batch("openai", entries, body["metadata"], self._headers())
        self._made(batch, self._openai_state)

    def _anthropic_batch(self, body: dict[str, Any]) -> None:
        entries = {request["custom_id"]: request for request in body["requests"]}
        assert all(re.fullmatch("[a-zA-Z0-9_-]{1,64}", key) for key in entries)
        self._made(Batch("anthropic", entries, {}, self._headers()), self._anthropic_state)

    def _made(self, batch: Batch, state: Callable[[str, Batch], dict[str, Any]]) -> None:
        name = self.known.add(batch)
        if self.known.drop_sends:
            self.known.drop_sends -= 1
            self.close_connection = True
            self.connection.shutdown(2)
        else:
            self._send(state(name, batch))

    def _state(self, name: str, state: Callable[[str, Batch], dict[str, Any]]) -> None:
        self.known.polls += 1
        if name in self.known.batches:
            self._send(state(name, self.known.batches[name]))
        else:
            self._send({"type": "error", "error": {"type": "not_found_error", "message": "no such"}}, 404)

    def _openai_state(self, name: str, batch: Batch) -> dict[str, Any]:
        count = len(batch.entries)
        found: dict[str, Any] = {
            "id": name, "object": "batch", "endpoint": "/v1/chat/completions", "created_at": 1,
            "input_file_id": "in", "completion_window": "24h", "metadata": batch.metadata,
            "status": "in_progress" if batch.open else "completed",
            "output_file_id": None if batch.open else f"out_{name}",
            "request_counts": {"total": count, "completed": 0 if batch.open else count, "failed": 0},
        }  # fmt: skip
        if batch.failed is not None:
            code, message = batch.failed
            errors = {"object": "list", "data": [{"code": code, "message": message}]}
            found |= {"status": "failed", "errors": errors, "output_file_id": None}
        return found

    def _anthropic_state(self, name: str, batch: Batch) -> dict[str, Any]:
        count = len(batch.entries)
        counts = {"processing": count if batch.open else 0, "succeeded": 0 if batch.open else count,
                  "errored": 0, "canceled": 0, "expired": 0}  # fmt: skip
        return {
            "id": name, "type": "message_batch", "created_at": "2026-01-01T00:00:00Z",
            "expires_at": "2026-01-02T00:00:00Z", "archived_at": None, "cancel_initiated_at": None,
            "ended_at": None, "processing_status": "in_progress" if batch.open else "ended",
            "request_counts": counts,
            "results_url": None if batch.open else f"{self.known.base}/v1/messages/batches/{name}/results",
        }  # fmt: skip

    def _headers(self) -> dict[str, str]:
        return {name.lower(): value for name, value in self.headers.items()}

    def _lines(self, lines: Iterator[dict[str, Any]]) -> None:
        self._raw(200, b"".join(json.dumps(line).encode() + b"\n" for line in lines), "application/jsonl")

    def _send(self, document: object, status: int = 200) -> None:
        self._raw(status, json.dumps(document).encode(), "application/json")

    def _raw(self, status: int, body: bytes, kind: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def _answer(vendor: str, text: str) -> dict[str, Any]:
    if vendor == "openai":
        message = {"role": "assistant", "content": text}
        return {"id": "1", "object": "chat.completion", "created": 1, "model": "served-1",
                "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
                "usage": {"prompt_tokens": 3, "completion_tokens": 4, "total_tokens": 7}}  # fmt: skip
    return {"id": "1", "type": "message", "role": "assistant", "model": "served-1",
            "content": [{"type": "text", "text": text}], "stop_reason": "end_turn",
            "usage": {"input_tokens": 3, "output_tokens": 4}}  # fmt: skip


def _openai_line(known: BatchServer, key: str, body: dict[str, Any]) -> dict[str, Any]:
    other = known.result(key, body)
    said = {"status_code": 200, "request_id": "r", "body": _answer("openai", known.text(body))}
    return {"id": "l", "custom_id": key, **(other or {"response": said, "error": None})}


def _anthropic_line(known: BatchServer, key: str, body: dict[str, Any]) -> dict[str, Any]:
    said = {"type": "succeeded", "message": _answer("anthropic", known.text(body))}
    return {"custom_id": key, "result": known.result(key, body) or said}
