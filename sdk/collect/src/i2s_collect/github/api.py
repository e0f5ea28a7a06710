"""The REST interface of GitHub: how it is asked, and how its answers ask to wait.

Source: https://docs.github.com/rest, versions of the interface and rate limits.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from email.utils import parsedate_to_datetime

from i2s_collect.web.answer import Ask, WebAnswer
from i2s_collect.web.manners import Manners, wait_of

#: The environment variable that holds the token of the user.
TOKEN_VARIABLE = "GITHUB_TOKEN"  # noqa: S105 - a name
#: Where the interface is.
BASE_URL = "https://api.github.com"
#: The version of the interface that requests name.
API_VERSION = "2022-11-28"
#: Seconds between two requests with a token (30 searches a minute) and without (10 a minute).
GAP_WITH_TOKEN, GAP_WITHOUT_TOKEN = 2.1, 6.1
#: Seconds to wait after the first answer that names a secondary rate limit without a time; then they double.
SECONDARY_WAIT = 60.0

#: What GitHub says with 403 of one repository that it has closed, such as for its terms of service.
BLOCKED = b"repository access blocked"

_SECONDARY = b"secondary rate limit"
_SECONDARY_BYTES = 10_000
_SECONDS_DIGITS = 12


@dataclass(frozen=True, slots=True)
class GithubApi:
    """Makes requests to the interface."""

    #: Where the interface is, without a slash at the end.
    base_url: str = BASE_URL
    #: Token of the user; empty for none. It is sent to this host alone and never stored or printed.
    token: str = field(default="", repr=False)

    @classmethod
    def from_environment(cls, environment: Mapping[str, str], base_url: str = BASE_URL) -> GithubApi:
        """Return the interface with the token that a process was given."""
        return cls(base_url, environment.get(TOKEN_VARIABLE, "").strip())

    @property
    def manners(self) -> Manners:
        """The rate and connections with which the host is asked."""
        return Manners(GAP_WITH_TOKEN if self.token else GAP_WITHOUT_TOKEN, GithubWaits())

    def ask(
        self,
        path: str,
        query: tuple[tuple[str, str], ...] = (),
        *,
        accept: str = "application/vnd.github+json",
        max_bytes: int = 20_000_000,
        expected: frozenset[int] = frozenset(),
    ) -> Ask:
        """Return a request.

        Args:
            path: Path with a slash at the beginning, quoted as in a URL.
            query: Its parameters.
            accept: Media type that is asked for.
            max_bytes: The largest body that is taken.
            expected: Statuses besides 200 that are answers; 403 of a repository that is closed is one too.
        """
        headers = {"Accept": accept, "X-GitHub-Api-Version": API_VERSION}
        if self.token:
            headers["Authorization"] = f"Bearer {self.token}"
        return Ask(
            self.base_url + path,
            query,
            headers,
            frozenset({"authorization"}),
            max_bytes=max_bytes,
            expected=expected,
            refusals=(BLOCKED,) if expected else (),
        )


class GithubWaits:
    """Says how long an answer of GitHub asks to wait: its rate limits come as 403 and 429.

    ``Retry-After`` counts first, then ``X-RateLimit-Reset`` if no request remains. A secondary limit
    without either is a minute, which doubles as long as the same request is refused.

    Args:
        now: Seconds since the epoch, for answers without a date.
    """

    def __init__(self, now: Callable[[], float] = time.time) -> None:
        self._now = now
        self._refused, self._wait = "", SECONDARY_WAIT

    def __call__(self, answer: WebAnswer) -> float | None:
        """Return the seconds to wait, or None if the answer is not a request to wait."""
        if answer.status not in (403, 429):
            return wait_of(answer)
        if "retry-after" in answer.headers:
            return wait_of(replace(answer, status=429))
        reset = answer.headers.get("x-ratelimit-reset", "")
        if answer.headers.get("x-ratelimit-remaining") == "0" and _is_seconds(reset):
            return max(float(reset) - self._time_of(answer), 0.0)
        if answer.status == 403 and _SECONDARY not in answer.body[:_SECONDARY_BYTES].lower():
            return None
        self._wait = self._wait * 2 if answer.url == self._refused else SECONDARY_WAIT
        self._refused = answer.url
        return self._wait

    def _time_of(self, answer: WebAnswer) -> float:
        """Return the time by the clock of the server, which the time of the reset is given in."""
        try:
            return parsedate_to_datetime(answer.headers.get("date", "")).timestamp()
        except (ValueError, OverflowError, OSError):
            return self._now()


def _is_seconds(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) <= _SECONDS_DIGITS
