"""The metadata of arXiv: records by OAI-PMH (``arXivRaw``), their licences, and their harvest day by day."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING

from i2s_collect.candidates import Licence
from i2s_collect.web.answer import Ask, SourceStoppedError, Web

if TYPE_CHECKING:
    from lxml import etree


# SPDX identifier or own name, and whether it is redistributable, by URI without its scheme and last slash.
_LICENCES = {
    "creativecommons.org/licenses/by/4.0": ("CC-BY-4.0", True),
    "creativecommons.org/licenses/by-sa/4.0": ("CC-BY-SA-4.0", True),
    "creativecommons.org/licenses/by-nc-sa/4.0": ("CC-BY-NC-SA-4.0", False),
    "creativecommons.org/licenses/by-nc-nd/4.0": ("CC-BY-NC-ND-4.0", False),
    "creativecommons.org/publicdomain/zero/1.0": ("CC0-1.0", True),
    "creativecommons.org/licenses/by/3.0": ("CC-BY-3.0", True),
    "creativecommons.org/licenses/by-nc-sa/3.0": ("CC-BY-NC-SA-3.0", False),
    "creativecommons.org/licenses/publicdomain": ("CC-PDDC", True),
    "arxiv.org/licenses/nonexclusive-distrib/1.0": ("arXiv-nonexclusive-distrib-1.0", False),
    "arxiv.org/licenses/assumed-1991-2003": ("arXiv-assumed-1991-2003", False),
}


def licence_of(uri: str) -> Licence:
    """Return the licence that a URI names; one that is not known permits nothing."""
    plain = uri.strip()
    key = plain.partition("://")[2].rstrip("/").lower()
    name, redistributable = _LICENCES.get(key, ("", False))
    return Licence(name, plain[:300], redistributable)


_OAI = "{http://www.openarchives.org/OAI/2.0/}"
_RAW = "{http://arxiv.org/OAI/arXivRaw/}"

_ID = re.compile(r"\d{4}\.\d{4,5}|[a-z]+(?:-[a-z]+)*(?:\.[A-Z]{2})?/\d{7}")
_VERSION = re.compile(r"v([1-9]\d{0,3})")
_PARENTHESES = re.compile(r"\([^()]*\)")
_SEPARATOR = re.compile(r",\s*(?:and\s+)?|\s+and\s+")
_IDENTIFIER = "oai:arXiv.org:"


class MalformedAnswerError(Exception):
    """A body is not an answer of OAI-PMH."""


@dataclass(frozen=True, slots=True)
class Version:
    """A version of a paper."""

    #: Number from 1.
    number: int
    #: Day of its submission, UTC.
    day: date
    #: Letters of arXiv: D pdfTeX, I withdrawn, H HTML, P PostScript, X docx, A with ancillary files, S source
    #: not shown; empty for TeX or PDF.
    source_type: str


@dataclass(frozen=True, slots=True)
class ArxivRecord:
    """A record."""

    #: Id of the paper without version; empty if it has none.
    id: str
    #: Day of its last change.
    datestamp: date
    #: Whether the record is deleted; it has no other fields then.
    deleted: bool = False
    #: Versions in their order; empty if they cannot be read.
    versions: tuple[Version, ...] = ()
    #: Title of the paper.
    title: str = ""
    #: Authors in their order.
    authors: tuple[str, ...] = ()
    #: Categories, such as "cs.LG".
    categories: tuple[str, ...] = ()
    #: URI.
    licence: str = ""


@dataclass(frozen=True, slots=True)
class RecordPage:
    """An answer to ListRecords."""

    #: Records in the order of the answer.
    records: tuple[ArxivRecord, ...] = ()
    #: Token for the next page; empty if it is the last one.
    token: str = ""
    #: Code of an error of OAI-PMH; empty if there is none.
    error: str = ""
    #: Message of the error.
    message: str = ""


def read_page(body: bytes) -> RecordPage:
    """Return what an answer says.

    Entities are not resolved, and an answer with a document type is refused.

    Raises:
        MalformedAnswerError: It is not an answer of OAI-PMH.
    """
    from lxml import etree

    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, dtd_validation=False, huge_tree=False
    )
    try:
        root = etree.fromstring(body, parser)
    except (etree.XMLSyntaxError, ValueError) as error:
        said = " ".join(str(error).split())
        raise MalformedAnswerError(f"is no XML: {said}"[:200]) from None
    if root.getroottree().docinfo.doctype or root.tag != _OAI + "OAI-PMH":
        raise MalformedAnswerError("is no answer of OAI-PMH")
    fault = root.find(_OAI + "error")
    if fault is not None:
        return RecordPage(error=fault.get("code", "error"), message=" ".join(_text(fault).split()))
    listed = root.find(_OAI + "ListRecords")
    if listed is None:
        raise MalformedAnswerError("has neither records nor an error")
    token = listed.find(_OAI + "resumptionToken")
    return RecordPage(tuple(_records(listed)), _text(token))


def _records(listed: etree._Element) -> Iterator[ArxivRecord]:
    for record in listed.iterfind(_OAI + "record"):
        header = record.find(_OAI + "header")
        if header is None:
            raise MalformedAnswerError("has a record without a header")
        datestamp = _datestamp(_text(header.find(_OAI + "datestamp")))
        identifier = _text(header.find(_OAI + "identifier")).removeprefix(_IDENTIFIER)
        raw = record.find(f"{_OAI}metadata/{_RAW}arXivRaw")
        if header.get("status") == "deleted" or raw is None:
            yield ArxivRecord(_checked_id(identifier), datestamp, deleted=header.get("status") == "deleted")
            continue
        yield ArxivRecord(
            id=_checked_id(_text(raw.find(_RAW + "id")) or identifier),
            datestamp=datestamp,
            versions=_versions(raw),
            title=_line(raw, "title"),
            authors=authors_of(_line(raw, "authors")),
            categories=tuple(_line(raw, "categories").split()),
            licence=_line(raw, "license"),
        )


def _datestamp(text: str) -> date:
    try:
        return date.fromisoformat(text[:10])
    except ValueError:
        raise MalformedAnswerError(f"has the datestamp {text[:30]!r}") from None


def _checked_id(text: str) -> str:
    return text if _ID.fullmatch(text) else ""


def _versions(raw: etree._Element) -> tuple[Version, ...]:
    """Return the versions; none if one of them cannot be read, since its date could be what counts."""
    versions: list[Version] = []
    for version in raw.iterfind(_RAW + "version"):
        number = _VERSION.fullmatch(version.get("version", ""))
        try:
            moment = parsedate_to_datetime(_text(version.find(_RAW + "date")))
        except (ValueError, OverflowError):
            return ()
        if number is None:
            return ()
        day = (moment if moment.tzinfo is None else moment.astimezone(UTC)).date()
        versions.append(Version(int(number[1]), day, _text(version.find(_RAW + "source_type")).upper()))
    return tuple(sorted(versions, key=lambda version: version.number))


def _line(raw: etree._Element, name: str) -> str:
    return " ".join(_text(raw.find(_RAW + name)).split())


def _text(element: etree._Element | None) -> str:
    return "" if element is None else "".join(element.itertext()).strip()


def authors_of(text: str) -> tuple[str, ...]:
    """Return the names of authors without their affiliations, which stand in parentheses."""
    before = None
    while before != text:
        before, text = text, _PARENTHESES.sub(" ", text)
    names = (" ".join(name.split()) for name in _SEPARATOR.split(text))
    return tuple(name for name in names if name)


_log = logging.getLogger(__name__)

#: How often a page is asked for that is not an answer of OAI-PMH.
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
