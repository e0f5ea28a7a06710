"""Reads answers of arXiv's OAI-PMH interface with the metadata prefix ``arXivRaw``.

Source: https://info.arxiv.org/help/oa/index.html and http://www.openarchives.org/OAI/openarchivesprotocol.html
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lxml import etree

_OAI = "{http://www.openarchives.org/OAI/2.0/}"
_RAW = "{http://arxiv.org/OAI/arXivRaw/}"

_ID = re.compile(r"\d{4}\.\d{4,5}|[a-z]+(?:-[a-z]+)*(?:\.[A-Z]{2})?/\d{7}")
_VERSION = re.compile(r"v([1-9]\d{0,3})")
_PARENTHESES = re.compile(r"\([^()]*\)")
_SEPARATOR = re.compile(r",\s*(?:and\s+)?|\s+and\s+")
_IDENTIFIER = "oai:arXiv.org:"


class MalformedAnswerError(Exception):
    """A body is no answer of OAI-PMH."""


@dataclass(frozen=True, slots=True)
class Version:
    """A version of a paper.

    Attributes:
        number: Number from 1.
        day: Day of its submission, UTC.
        source_type: Letters of arXiv: D pdfTeX, I withdrawn, H HTML, P PostScript, X docx, A with ancillary
            files, S source not shown; empty for TeX or PDF.
    """

    number: int
    day: date
    source_type: str


@dataclass(frozen=True, slots=True)
class ArxivRecord:
    """A record.

    Attributes:
        id: Id of the paper without version; empty if it has none.
        datestamp: Day of its last change.
        deleted: Whether the record is deleted; it has no other fields then.
        versions: Versions in their order; empty if they cannot be read.
        title: Title of the paper.
        authors: Authors in their order.
        categories: Categories, such as "cs.LG".
        licence: URI.
    """

    id: str
    datestamp: date
    deleted: bool = False
    versions: tuple[Version, ...] = ()
    title: str = ""
    authors: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    licence: str = ""


@dataclass(frozen=True, slots=True)
class RecordPage:
    """An answer to ListRecords.

    Attributes:
        records: Records in the order of the answer.
        token: Token for the next page; empty if it is the last one.
        error: Code of an error of OAI-PMH; empty if there is none.
        message: Message of the error.
    """

    records: tuple[ArxivRecord, ...] = ()
    token: str = ""
    error: str = ""
    message: str = ""


def read_page(body: bytes) -> RecordPage:
    """Return what an answer says.

    Entities are not resolved, and an answer with a document type is refused.

    Raises:
        MalformedAnswerError: It is no answer of OAI-PMH.
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
    for one in listed.iterfind(_OAI + "record"):
        header = one.find(_OAI + "header")
        if header is None:
            raise MalformedAnswerError("has a record without a header")
        datestamp = _datestamp(_text(header.find(_OAI + "datestamp")))
        identifier = _text(header.find(_OAI + "identifier")).removeprefix(_IDENTIFIER)
        raw = one.find(f"{_OAI}metadata/{_RAW}arXivRaw")
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
    found: list[Version] = []
    for one in raw.iterfind(_RAW + "version"):
        number = _VERSION.fullmatch(one.get("version", ""))
        try:
            moment = parsedate_to_datetime(_text(one.find(_RAW + "date")))
        except (ValueError, OverflowError):
            return ()
        if number is None:
            return ()
        day = (moment if moment.tzinfo is None else moment.astimezone(UTC)).date()
        found.append(Version(int(number[1]), day, _text(one.find(_RAW + "source_type")).upper()))
    return tuple(sorted(found, key=lambda version: version.number))


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
