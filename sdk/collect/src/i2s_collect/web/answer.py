"""The answers of servers, the interface of what asks them, and the errors where there is no answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from i2s_sdk.errors import I2SError


class NotAtHandError(I2SError):
    """The document is not there now, and may be there when the same command runs again."""


class NotCachedError(NotAtHandError):
    """The collection is offline, and the answer was never stored."""


class BodyTooLargeError(I2SError):
    """The body of an answer is larger than the request takes."""


class SourceStoppedError(I2SError):
    """A server refused or does not answer, and the source ends here; the same command goes on later."""


#: How much of an answer is searched for a refusal, in bytes.
REFUSAL_BYTES = 10_000


@dataclass(frozen=True, slots=True)
class WebAnswer:
    """The answer of a server."""

    #: HTTP status.
    status: int
    #: Headers by name in lower case, those that are kept.
    headers: Mapping[str, str]
    #: Its content, after the transfer encoding was undone and no other.
    body: bytes
    #: URL that was asked for, after redirections.
    url: str


@dataclass(frozen=True, slots=True)
class Ask:
    """A request; all are GET."""

    #: URL without query.
    url: str
    #: Its parameters in their order.
    query: tuple[tuple[str, str], ...] = ()
    #: Headers beyond those that every request has.
    headers: Mapping[str, str] = field(default_factory=dict)
    #: Names of headers in lower case that are never stored, such as "authorization".
    secret_headers: frozenset[str] = frozenset()
    #: Whether it is a documented interface for programs, so that robots.txt is not asked.
    documented: bool = True
    #: The largest body that is taken.
    max_bytes: int = 50_000_000
    #: Statuses besides 200 that are answers of the source rather than failures, such as 404.
    expected: frozenset[int] = frozenset()
    #: Texts, in lower case. An answer of 403 whose body has one of them is about what was asked for, and
    #: refuses nothing else.
    refusals: tuple[bytes, ...] = ()
    #: Whether the answer may change from day to day, so that one of an earlier day is asked anew unless the
    #: collection is offline.
    fresh: bool = False

    def is_answered(self, answer: WebAnswer) -> bool:
        """Return whether an answer is one of the source rather than a failure."""
        if answer.status == 200 or answer.status in self.expected:
            return True
        beginning = answer.body[:REFUSAL_BYTES].lower()
        return answer.status == 403 and any(text in beginning for text in self.refusals)


class Web(Protocol):
    """Sends requests to servers within the rates of their hosts."""

    def get(self, ask: Ask) -> WebAnswer:
        """Return the stored or a new answer, of status 200, one that is expected, or a refusal of its own.

        503, 429 and failures of the connection are repeated as the server says. A status that is neither
        expected nor repeated ends the collection.

        Raises:
            NotCachedError: The collection is offline and the answer is not stored.
            BodyTooLargeError: The body is larger than ``max_bytes``.
            SourceStoppedError: The server refused (403), robots.txt forbids the path, or it does not answer;
                the message is one line.
        """
        ...

    def forget(self, ask: Ask) -> None:
        """Forget the stored answer of a request, which turned out to be no answer."""
        ...
