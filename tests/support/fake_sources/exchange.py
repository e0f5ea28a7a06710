"""What a stand-in of a source is asked, and what it answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol


@dataclass(frozen=True, slots=True)
class FakeRequest:
    """A GET request.

    Attributes:
        path: Path without query, as it was sent.
        query: Values of each parameter.
        headers: Headers by name in lower case.
        base_url: URL of the server, such as "http://127.0.0.1:40000", for links in answers.
        number: How many requests this source had before.
    """

    path: str
    query: Mapping[str, list[str]]
    headers: Mapping[str, str]
    base_url: str
    number: int


@dataclass(frozen=True, slots=True)
class FakeAnswer:
    """An answer.

    Attributes:
        status: HTTP status.
        body: Its content.
        headers: Further ones, such as Retry-After or Location.
        cut_short: Whether the connection is closed after half of the body.
        delay: Seconds before the answer.
    """

    status: int = 200
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    cut_short: bool = False
    delay: float = 0.0


class FakeSource(Protocol):
    """A source; its answers may depend on how often it was asked."""

    def answer(self, request: FakeRequest) -> FakeAnswer:
        """Return the answer to a request."""
        ...
