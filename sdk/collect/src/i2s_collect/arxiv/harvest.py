"""Harvests all records of arXiv that changed since a day, page by page."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date

from i2s_collect.arxiv.records import ArxivRecord, MalformedAnswerError, RecordPage, read_page
from i2s_collect.web.answer import Ask, Web
from i2s_collect.web.errors import SourceStoppedError

_log = logging.getLogger(__name__)

#: How often a page is asked for that is no answer of OAI-PMH.
ATTEMPTS = 3
#: How often a harvest begins again after a token was refused, without any progress in between.
MAX_RESTARTS = 3
#: The largest page, in bytes; one has up to 2,000 records.
MAX_PAGE_BYTES = 50_000_000


@dataclass(slots=True)
class _Progress:
    """The progress of a harvest."""

    since: date
    latest: date | None = None
    is_ordered: bool = True
    restarts: int = 0


def harvest(web: Web, base_url: str, since: date, of_set: str = "") -> Iterator[ArxivRecord]:
    """Yield every record that changed on a day or later; one that was yielded may be yielded again.

    A resumption token is valid until the next midnight UTC. If one is refused, the harvest begins again from
    the last day that was seen, or from its first one if the records did not come in the order of days.

    Args:
        web: The HTTP client that asks.
        base_url: URL of the interface.
        since: First day of the last change.
        of_set: Set of the interface, such as "cs"; empty for all.

    Raises:
        SourceStoppedError: The interface does not answer, or with an error.
        NotCachedError: The collection is offline and an answer is not stored.
    """
    progress = _Progress(since)
    first = ask = _first(base_url, since, of_set)
    while True:
        page = _page(web, ask)
        if page.error == "badResumptionToken" and ask is not first:
            first = ask = _again(web, progress, first, ask, base_url, of_set)
            continue
        if page.error == "noRecordsMatch":
            return
        if page.error:
            web.forget(ask)
            raise SourceStoppedError(f"{ask.url} answered {page.error}: {page.message[:200]}")
        for record in page.records:
            if progress.latest is not None and record.datestamp < progress.latest:
                progress.is_ordered = False
            if progress.latest is None or record.datestamp > progress.latest:
                progress.latest, progress.restarts = record.datestamp, 0
            yield record
        if not page.token:
            return
        ask = _ask(base_url, (("verb", "ListRecords"), ("resumptionToken", page.token)))


def _again(web: Web, progress: _Progress, first: Ask, refused: Ask, base_url: str, of_set: str) -> Ask:
    """Return the request with which a harvest begins again."""
    progress.restarts += 1
    if progress.restarts > MAX_RESTARTS:
        raise SourceStoppedError(f"{base_url} refuses its own tokens; run the same command later")
    since = progress.since
    if progress.is_ordered and progress.latest is not None:
        since = max(since, progress.latest)
    progress.is_ordered, progress.latest = True, since
    _log.warning("a resumption token was refused; the harvest begins again from %s", since)
    ask = _first(base_url, since, of_set)
    if ask == first:  # The same page would name the same token.
        web.forget(first)
        web.forget(refused)
    return ask


def _first(base_url: str, since: date, of_set: str) -> Ask:
    query = [("verb", "ListRecords"), ("metadataPrefix", "arXivRaw"), ("from", since.isoformat())]
    return _ask(base_url, (*query, ("set", of_set)) if of_set else tuple(query))


def _ask(base_url: str, query: tuple[tuple[str, str], ...]) -> Ask:
    return Ask(base_url, query, max_bytes=MAX_PAGE_BYTES, fresh=True)


def _page(web: Web, ask: Ask) -> RecordPage:
    said = ""
    for _ in range(ATTEMPTS):
        try:
            return read_page(web.get(ask).body)
        except MalformedAnswerError as error:
            said = str(error)
            web.forget(ask)
            _log.warning("the answer of %s %s; asking again", ask.url, said)
    raise SourceStoppedError(f"the answer of {ask.url} {said}; run the same command later")
