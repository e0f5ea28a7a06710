"""All repositories of a search that were created within a window.

A search of GitHub returns at most 1,000 results, and may time out and return a part. A window with more is
halved until each part is returned whole.

Source: https://docs.github.com/rest/search/search
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta

from i2s_collect.candidates import Dropped, Reason, SourceDocument, Window
from i2s_collect.github.api import GithubApi
from i2s_collect.github.repository import Repository, read_item
from i2s_collect.web.answer import SourceStoppedError, Web
from i2s_sdk.json_text import read_json

_log = logging.getLogger(__name__)

#: The most results that the search returns for one query.
MOST_RESULTS = 1_000
#: Results a page.
PER_PAGE = 100
#: How often a window is asked for whose results are incomplete, before it is halved.
ATTEMPTS = 3

_SECOND = timedelta(seconds=1)


@dataclass(frozen=True, slots=True)
class _Span:
    """Times of creation; both ends belong to it."""

    first: datetime
    last: datetime

    @property
    def qualifier(self) -> str:
        return f"created:{self.first:%Y-%m-%dT%H:%M:%SZ}..{self.last:%Y-%m-%dT%H:%M:%SZ}"

    def halves(self) -> tuple[_Span, _Span] | None:
        """Return both halves, or None if it is a single second."""
        if self.first >= self.last:
            return None
        seconds = int((self.last - self.first).total_seconds()) // 2
        middle = self.first + timedelta(seconds=seconds)
        return _Span(self.first, middle), _Span(middle + _SECOND, self.last)


@dataclass(frozen=True, slots=True)
class _Results:
    """The answer to one query; ``items`` are not all there are if it is not ``whole``."""

    total: int
    whole: bool
    items: tuple[object, ...]


def find_repositories(
    web: Web, api: GithubApi, terms: tuple[str, ...], window: Window
) -> Iterator[Repository | Dropped]:
    """Yield each repository that a search finds once, and items that cannot be read as dropped.

    Args:
        web: The HTTP client that asks.
        api: Interface of GitHub.
        terms: Terms of the query, such as "language:css"; the times of creation are added.
        window: Days of creation.

    Raises:
        SourceStoppedError: The search does not answer, or what it answers is not a result of a search.
    """
    seen: set[str] = set()
    whole = _Span(
        datetime.combine(window.first, time(), UTC),
        datetime.combine(window.last, time(23, 59, 59), UTC),
    )
    spans = [whole]
    while spans:
        span = spans.pop()
        results = _ask(web, api, (*terms, span.qualifier))
        if not results.whole:
            if halves := span.halves():
                spans += reversed(halves)
                continue
            _log.warning(
                "%d repositories were created at %s; only %d of them are returned",
                results.total,
                span.first,
                len(results.items),
            )
        for item in results.items:
            try:
                repository = read_item(item)
            except ValueError as error:
                yield Dropped(Reason.MALFORMED, f"item of the search: {error}", _name_of(item))
                continue
            if repository.created.date() in window and repository.full_name not in seen:
                seen.add(repository.full_name)
                yield repository


def candidate(repository: Repository, **detail: str) -> SourceDocument | Dropped:
    """Return a repository as a document, or why it is none; ``detail`` becomes a part of it."""
    if repository.is_template:
        return Dropped(Reason.TEMPLATE, "is a template to be copied", repository.full_name)
    if not repository.is_source or repository.size == 0:
        return Dropped(Reason.NO_SOURCE, "is empty, archived, private or a fork", repository.full_name)
    return repository.document(**detail)


def _ask(web: Web, api: GithubApi, terms: tuple[str, ...]) -> _Results:
    """Return the results of a query, asked again while they are incomplete.

    Every attempt asks for one result a page less. So it is another request, and the same stored answers
    lead to the same results.
    """
    results = _Results(0, False, ())
    for attempt in range(ATTEMPTS):
        results = _pages(web, api, terms, PER_PAGE - attempt)
        if results.whole or results.total >= MOST_RESULTS:
            break
    return results


def _pages(web: Web, api: GithubApi, terms: tuple[str, ...], per_page: int) -> _Results:
    """Return the results of all pages of a query; of a query with too many, those of the first page."""
    items: list[object] = []
    total, complete = 0, True
    for page in range(1, MOST_RESULTS // per_page + 2):
        answer = _page(web, api, terms, per_page, page)
        total, complete = max(total, answer.total), complete and answer.whole
        items += answer.items
        if total >= MOST_RESULTS or not complete or not answer.items or page * per_page >= total:
            break
    return _Results(total, complete and total < MOST_RESULTS, tuple(items))


def _page(web: Web, api: GithubApi, terms: tuple[str, ...], per_page: int, page: int) -> _Results:
    query = (
        ("q", " ".join(terms)),
        ("sort", "updated"),
        ("order", "desc"),
        ("per_page", str(per_page)),
        ("page", str(page)),
    )
    request = api.ask("/search/repositories", query)
    try:
        body = read_json(web.get(request).body)
    except ValueError:
        body = None
    match body:
        case {"total_count": int(total), "items": list(items)} if total >= 0:
            return _Results(total, body.get("incomplete_results") is not True, tuple(items[:per_page]))
    web.forget(request)
    raise SourceStoppedError(
        f"{request.url} answered what is no result of a search; run the same command later"
    )


def _name_of(item: object) -> str:
    name = item.get("full_name") if isinstance(item, Mapping) else None
    return name[:200] if isinstance(name, str) and name.isprintable() else ""
