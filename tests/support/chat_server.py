"""A server on the loopback that speaks OpenAI's chat completions and misbehaves as told."""

from __future__ import annotations

import base64
import contextlib
import hashlib
import json
import socket
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

#: Says what the server does with a question, given how often it came before; see the methods of the handler.
Behaviour = Callable[[str, int], str]

#: The small question before a run begins, which no behaviour is about.
PREFLIGHT = "Reply with the word OK."
REFUSAL = "refuse"  #: In place of an answer: the model refuses.


@dataclass
class ChatServer:
    """What the server knows and has counted.

    Attributes:
        answers: Answers by question; a question of a later turn has the number of the turn behind its name.
        questions: Names by SHA-256 of the image.
        behaviour: What happens to a request.
        base: Address, with the path of the API.
        came: Requests by question.
        done: What was done, by sort.
        conversations: The messages of the latest request by question.
    """

    answers: Mapping[str, str]
    questions: Mapping[str, str]
    behaviour: Behaviour = lambda question, before: "answer"
    base: str = ""
    came: Counter[str] = field(default_factory=Counter)
    done: Counter[str] = field(default_factory=Counter)
    lock: threading.Lock = field(default_factory=threading.Lock)
    conversations: dict[str, list[Any]] = field(default_factory=dict)
    over: threading.Event = field(default_factory=threading.Event)

    def arrive(self, question: str) -> str:
        """Count a request and return what is to be done."""
        with self.lock:
            action = self.behaviour(question, self.came[question])
            self.came[question] += 1
            self.done[action.partition(":")[0]] += 1
            return action

    @contextmanager
    def serving(self) -> Iterator[ChatServer]:
        """Serve as long as the block lasts."""
        handler = type("Handler", (_Handler,), {"chat": self})
        with _Http(("127.0.0.1", 0), handler) as http:
            self.base = f"http://127.0.0.1:{http.server_address[1]}/v1"
            thread = threading.Thread(target=http.serve_forever, args=(0.01,))
            thread.start()
            try:
                yield self
            finally:
                self.over.set()
                http.shutdown()
                thread.join()


class _Http(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 30
    chat: ChatServer

    def log_message(self, *args: object) -> None:
        pass

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        _, image = body["messages"][0]["content"]
        if body["messages"][0]["content"][0] == {"type": "text", "text": PREFLIGHT}:
            with self.chat.lock:
                self.chat.done["preflight"] += 1
            self._send(200, _completion("OK"))
            return
        picture = base64.b64decode(image["image_url"]["url"].partition(",")[2])
        turn = sum(message["role"] == "user" for message in body["messages"])
        question = self.chat.questions[hashlib.sha256(picture).hexdigest()] + (f" {turn}" if turn > 1 else "")
        self.chat.conversations[question] = body["messages"]
        action, _, argument = self.chat.arrive(question).partition(":")
        getattr(self, f"_{action}")(question, argument)

    def _answer(self, question: str, argument: str) -> None:
        """Answer; after so many seconds, as slow models do."""
        if argument:
            self.chat.over.wait(float(argument))
        self._send(200, _completion(self.chat.answers[question]))

    def _status(self, question: str, argument: str) -> None:
        status, _, after = argument.partition(",")
        headers = {"Retry-After": after} if after else {}
        self._send(int(status), {"error": {"message": "not now", "type": "named"}}, headers)

    def _hang(self, question: str, argument: str) -> None:
        self.chat.over.wait(60)
        self.close_connection = True

    def _drop(self, question: str, argument: str) -> None:
        self.close_connection = True
        self.connection.shutdown(socket.SHUT_RDWR)

    def _nonsense(self, question: str, argument: str) -> None:
        self._raw(200, argument.encode(), "text/html", {})

    def _send(self, status: int, document: object, headers: Mapping[str, str] | None = None) -> None:
        self._raw(status, json.dumps(document).encode(), "application/json", headers or {})

    def _raw(self, status: int, body: bytes, kind: str, headers: Mapping[str, str]) -> None:
        self.send_response(status)
        for name, value in {"Content-Type": kind, "Content-Length": str(len(body)), **headers}.items():
            self.send_header(name, value)
        with contextlib.suppress(ConnectionError):  # a client that was interrupted waits for no answer
            self.end_headers()
            self.wfile.write(body)


def _completion(text: str) -> dict[str, Any]:
    refused = text == REFUSAL
    message = {"role": "assistant", "content": None if refused else text}
    if refused:
        message["refusal"] = "I will not."
    return {
        "id": "1",
        "object": "chat.completion",
        "created": 1,
        "model": "tiny-1",
        "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
        "usage": {"prompt_tokens": 100, "completion_tokens": len(text), "total_tokens": 100 + len(text)},
    }
