"""A stand-in of GitHub: its search with windows and limits, commits, and archives behind a redirection."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from fake_sources.archives import archive
from fake_sources.exchange import FakeAnswer, FakeRequest
from fake_sources.small_sites import FakeRepository, score_repositories, site_repositories

_CREATED = re.compile(r"created:(\S+?)\.\.(\S+)")
_TERM = re.compile(r"(\w+):(\S+)")
_COMMIT = re.compile(r"/repos/([^/]+/[^/]+)/commits/(.+)")
_TARBALL = re.compile(r"/repos/([^/]+/[^/]+)/tarball/([0-9a-f]{40})")
_ARCHIVE = re.compile(r"/codeload/([^/]+/[^/]+)/([0-9a-f]{40})")
_SECONDARY = b'{"message": "You have exceeded a secondary rate limit. Please wait a few minutes."}'


@dataclass
class FakeGithub:
    """Repositories of our own making.

    Attributes:
        repositories: All there are.
        crowded_seconds: A search over a longer window says that it has more than 1,000 results; 0 for none.
        incomplete: How many searches time out before one is whole.
        limited: How many requests are refused by the secondary rate limit before one is answered.
        cut_short: How many archives break off before one is whole.
        token: Token that requests must have; empty for any.
    """

    repositories: Sequence[FakeRepository] = field(
        default_factory=lambda: [*site_repositories(), *score_repositories()]
    )
    crowded_seconds: int = 8 * 86_400
    incomplete: int = 1
    limited: int = 1
    cut_short: int = 1
    token: str = ""
    asked: Counter[str] = field(default_factory=Counter)

    def answer(self, request: FakeRequest) -> FakeAnswer:
        """Return the answer to a request."""
        if request.path.startswith("/codeload/"):
            return self._archive(request)
        if self.token and request.headers.get("authorization") != f"Bearer {self.token}":
            return FakeAnswer(401, b'{"message": "Bad credentials"}')
        if self._first("limited", self.limited):
            return FakeAnswer(403, _SECONDARY, {"Retry-After": "1"})
        if request.path == "/search/repositories":
            return self._search(request)
        if found := _COMMIT.fullmatch(request.path):
            return self._commit(found[1])
        if found := _TARBALL.fullmatch(request.path):
            location = f"{request.base_url}/codeload/{found[1]}/{found[2]}"
            return FakeAnswer(302, b"", {"Location": location})
        return FakeAnswer(404, b'{"message": "Not Found"}')

    def _first(self, what: str, times: int) -> bool:
        self.asked[what] += 1
        return self.asked[what] <= times

    def _search(self, request: FakeRequest) -> FakeAnswer:
        query = request.query["q"][0]
        found = _CREATED.search(query)
        assert found is not None, query
        first, last = (datetime.fromisoformat(group) for group in found.groups())
        items = [
            repository.item()
            for repository in self.repositories
            if self._matches(repository, query, first, last)
        ]
        per_page, page = int(request.query["per_page"][0]), int(request.query["page"][0])
        crowded = 0 < self.crowded_seconds <= (last - first).total_seconds()
        total = 1_000 + len(items) if crowded else len(items)
        if not crowded and items and self._first("incomplete", self.incomplete):
            return _json({"total_count": total, "incomplete_results": True, "items": items[:1]})
        shown = items[(page - 1) * per_page : page * per_page]
        return _json({"total_count": total, "incomplete_results": False, "items": shown})

    def _matches(self, one: FakeRepository, query: str, first: datetime, last: datetime) -> bool:
        terms = dict(_TERM.findall(query))
        size = int(terms.get("size", "<=1000000").removeprefix("<="))
        return (
            first <= datetime.fromisoformat(one.created).astimezone(UTC) <= last
            and terms.get("language", one.language).lower() == one.language.lower()
            and terms.get("license", one.licence.lower()) == one.licence.lower()
            and one.size <= size
            and ("github.io" not in query or "github.io" in one.full_name)
        )

    def _commit(self, name: str) -> FakeAnswer:
        found = self._find(name)
        if found is None or not found.content:
            return FakeAnswer(404 if found is None else 409, b'{"message": "Git Repository is empty."}')
        return _json({"sha": found.commit, "commit": {"message": "Write it"}, "files": []})

    def _archive(self, request: FakeRequest) -> FakeAnswer:
        match = _ARCHIVE.fullmatch(request.path)
        found = self._find(match[1]) if match else None
        if match is None or found is None or found.commit != match[2]:
            return FakeAnswer(404)
        return FakeAnswer(200, found.content, cut_short=self._first("cut short", self.cut_short))

    def _find(self, name: str) -> FakeRepository | None:
        return next((repository for repository in self.repositories if repository.full_name == name), None)


def fake_mutopia(files: dict[str, bytes]) -> FakeGithub:
    """Return a GitHub with nothing but the repository of Mutopia, with these files."""
    content = archive("MutopiaProject-MutopiaProject-0000007", files)
    repository = FakeRepository(
        7, "MutopiaProject/MutopiaProject", "LilyPond", "2013-01-01T00:00:00Z", content
    )
    return FakeGithub([repository], limited=0, incomplete=0, cut_short=0)


def _json(value: object) -> FakeAnswer:
    return FakeAnswer(200, json.dumps(value).encode(), {"Content-Type": "application/json; charset=utf-8"})
