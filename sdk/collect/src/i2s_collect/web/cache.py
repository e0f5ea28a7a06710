"""Answers of servers on disk, by request."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from i2s_collect.web.answer import Ask, WebAnswer
from i2s_sdk.json_text import read_json
from i2s_sdk.writing import write_whole, writing

#: Headers of answers that are stored.
KEPT_HEADERS = frozenset({"content-type", "date", "etag", "last-modified", "link"})


@dataclass(frozen=True, slots=True)
class StoredAnswer:
    """An answer of an earlier request.

    Attributes:
        answer: Answer as the server gave it.
        taken: When it was received.
    """

    answer: WebAnswer
    taken: datetime


class WebCache:
    """A folder with the answers of all requests that were made for a collection.

    A request is its URL, its query and those headers that are no secrets. For each there are two files: the
    body under its SHA-256, and the answer, which names it and is written last, so that a process that is
    killed leaves a whole answer or none.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def find(self, ask: Ask) -> StoredAnswer | None:
        """Return the stored answer of a request, or None if there is none or its body is gone."""
        try:
            found = read_json(self._place(ask).read_bytes())
            body = (self._folder / "bodies" / found["sha256"]).read_bytes()
        except (OSError, ValueError, KeyError):
            return None
        if hashlib.sha256(body).hexdigest() != found["sha256"]:
            return None
        answer = WebAnswer(found["status"], found["headers"], body, found["url"])
        return StoredAnswer(answer, datetime.fromisoformat(found["taken"]))

    def store(self, ask: Ask, answer: WebAnswer) -> None:
        """Store the answer of a request.

        Raises:
            WriteError: It cannot be written.
        """
        digest = hashlib.sha256(answer.body).hexdigest()
        line = {
            "request": _request(ask),
            "url": answer.url.partition("?")[0],  # queries of redirections may hold secrets
            "status": answer.status,
            "headers": {name: value for name, value in answer.headers.items() if name in KEPT_HEADERS},
            "taken": datetime.now(UTC).isoformat(timespec="seconds"),
            "sha256": digest,
            "bytes": len(answer.body),
        }
        with writing(self._folder):
            write_whole(self._folder / "bodies" / digest, answer.body)
            write_whole(self._place(ask), json.dumps(line, indent=1, sort_keys=True).encode())

    def forget(self, ask: Ask) -> None:
        """Forget the answer of a request; its body stays."""
        with writing(self._folder):
            self._place(ask).unlink(missing_ok=True)

    def _place(self, ask: Ask) -> Path:
        key = hashlib.sha256(json.dumps(_request(ask), sort_keys=True).encode()).hexdigest()
        return self._folder / "answers" / key[:2] / f"{key}.json"


def _request(ask: Ask) -> dict[str, object]:
    headers = {
        name.lower(): value for name, value in ask.headers.items() if name.lower() not in ask.secret_headers
    }
    return {"url": ask.url, "query": [list(pair) for pair in ask.query], "headers": headers}
