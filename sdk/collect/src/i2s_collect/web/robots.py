"""robots.txt: which paths of a host a program may ask for."""

from __future__ import annotations

from urllib.parse import urlsplit
from urllib.robotparser import RobotFileParser

from i2s_collect.web.answer import Ask, WebAnswer

#: The name under which hosts may have rules for this program.
AGENT = "i2s-collect"


def robots_ask(url: str) -> Ask:
    """Return the request for the robots.txt of the host of a URL."""
    parts = urlsplit(url)
    return Ask(
        f"{parts.scheme}://{parts.netloc}/robots.txt",
        max_bytes=512_000,
        expected=frozenset({401, 403, *range(404, 429), *range(430, 500)}),
        fresh=True,
    )


class Robots:
    """The rules of one host."""

    def __init__(self, answer: WebAnswer) -> None:
        self._rules = RobotFileParser()
        if answer.status in (401, 403):
            self._rules.parse(["User-agent: *", "Disallow: /"])
        elif answer.status != 200:
            self._rules.parse([])
        else:
            self._rules.parse(answer.body.decode("utf-8", "replace").splitlines())

    def permits(self, url: str) -> bool:
        """Return whether the rules permit a URL, its query included."""
        return self._rules.can_fetch(AGENT, url)

    @property
    def delay(self) -> float:
        """Seconds between requests that the host asks for; 0 if it asks for none."""
        said = self._rules.crawl_delay(AGENT)
        return float(said) if said else 0.0
