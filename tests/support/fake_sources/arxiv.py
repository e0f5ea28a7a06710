"""A stand-in of arXiv: its OAI-PMH interface with pages and tokens, and sources by version."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time
from email.utils import format_datetime
from urllib.parse import parse_qs, urlencode
from xml.sax.saxutils import escape, quoteattr

from fake_sources.exchange import FakeAnswer, FakeRequest
from fake_sources.small_papers import FakePaper, FakeVersion, papers

_SOURCE = re.compile(r"/src/(?P<id>.+)v(?P<version>[1-9]\d*)")
_ARGUMENTS = frozenset({"verb", "metadataPrefix", "from", "until", "set", "resumptionToken"})


@dataclass
class FakeArxiv:
    """Papers of our own making.

    Attributes:
        papers: All there are.
        per_page: Records of a page.
        expired: How many tokens are refused before one is taken.
        busy: How many requests are answered 503 before one is answered.
        garbled: How many pages of metadata break off before one is whole, without a fault of the connection.
        cut_short: How many sources break off before one is whole.
    """

    papers: Sequence[FakePaper] = field(default_factory=papers)
    per_page: int = 7
    expired: int = 1
    busy: int = 1
    garbled: int = 1
    cut_short: int = 1
    asked: Counter[str] = field(default_factory=Counter)

    def answer(self, request: FakeRequest) -> FakeAnswer:
        """Return the answer to a request."""
        if self._first("busy", self.busy):
            return FakeAnswer(503, b"Retry after 1 seconds", {"Retry-After": "1"})
        if request.path == "/oai":
            body = self._oai({name: values[0] for name, values in request.query.items()}).encode()
            if b"<ListRecords>" in body and self._first("garbled", self.garbled):
                body = body[: len(body) // 2]
            return FakeAnswer(200, body, {"Content-Type": "text/xml; charset=utf-8"})
        if found := _SOURCE.fullmatch(request.path):
            return self._source(found["id"], int(found["version"]))
        return FakeAnswer(404, b"Not found")

    def _first(self, what: str, times: int) -> bool:
        self.asked[what] += 1
        return self.asked[what] <= times

    def _source(self, identifier: str, number: int) -> FakeAnswer:
        paper = next((one for one in self.papers if one.id == identifier), None)
        version = paper.versions[number - 1] if paper and number <= len(paper.versions) else None
        if version is None or version.content is None:
            return FakeAnswer(404, b"No source")
        cut_short = self._first("cut_short", self.cut_short)
        return FakeAnswer(200, version.content, {"Content-Type": "application/octet-stream"}, cut_short)

    def _oai(self, query: dict[str, str]) -> str:
        if query.get("verb") != "ListRecords":
            return _envelope('<error code="badVerb">Illegal verb</error>')
        skip = 0
        if token := query.get("resumptionToken"):
            if len(query) != 2:
                return _envelope('<error code="badArgument">resumptionToken is exclusive</error>')
            if self._first("expired", self.expired):
                return _envelope('<error code="badResumptionToken">Expired</error>')
            query = {name: values[0] for name, values in parse_qs(token).items()}
            skip = int(query.pop("skip"))
        if not query.keys() <= _ARGUMENTS or "metadataPrefix" not in query:
            return _envelope('<error code="badArgument">Illegal argument</error>')
        if query["metadataPrefix"] != "arXivRaw":
            return _envelope('<error code="cannotDisseminateFormat">Unknown format</error>')
        matching = self._matching(query)
        if not matching:
            return _envelope('<error code="noRecordsMatch"/>')
        shown = matching[skip : skip + self.per_page]
        records = "".join(_record(paper) for paper in shown)
        following = ""
        if skip + self.per_page < len(matching):
            text = urlencode({**query, "skip": skip + self.per_page})
            following = f"<resumptionToken expires='2026-11-23T00:00:00Z'>{escape(text)}</resumptionToken>"
        return _envelope(f"<ListRecords>{records}{following}</ListRecords>")

    def _matching(self, query: dict[str, str]) -> list[FakePaper]:
        first = date.fromisoformat(query.get("from", "0001-01-01"))
        last = date.fromisoformat(query.get("until", "9999-12-31"))
        group = query.get("set", "").partition(":")[0]
        found = [
            paper
            for paper in self.papers
            if first <= paper.changed <= last
            and (not group or any(name.partition(".")[0] == group for name in paper.categories))
        ]
        return sorted(found, key=lambda paper: (paper.changed, paper.id))


def _envelope(content: str) -> str:
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/">'
        "<responseDate>2026-11-22T05:00:00Z</responseDate>"
        '<request verb="ListRecords">https://example.org/oai</request>'
        f"{content}</OAI-PMH>\n"
    )


def _record(paper: FakePaper) -> str:
    status = "" if paper.versions else ' status="deleted"'
    header = (
        f"<header{status}><identifier>oai:arXiv.org:{paper.id}</identifier>"
        f"<datestamp>{paper.changed}</datestamp><setSpec>cs:cs:LG</setSpec></header>"
    )
    if not paper.versions:
        return f"<record>{header}</record>"
    versions = "".join(_version(number, version) for number, version in enumerate(paper.versions, 1))
    licence = f"<license>{escape(paper.licence)}</license>" if paper.licence else ""
    return (
        f'<record>{header}<metadata><arXivRaw xmlns="http://arxiv.org/OAI/arXivRaw/"><id>{paper.id}</id>'
        f"<submitter>Ann Nobody</submitter>{versions}<title>{escape(paper.title)}</title>"
        f"<authors>{escape(paper.authors)}</authors><categories>{' '.join(paper.categories)}</categories>"
        f"{licence}<abstract>Nothing.</abstract></arXivRaw></metadata></record>"
    )


def _version(number: int, version: FakeVersion) -> str:
    moment = (
        format_datetime(datetime.combine(version.day, time(18, 0, 1), UTC), usegmt=True)
        if version.day
        else "?"
    )
    kind = f"<source_type>{version.source_type}</source_type>" if version.source_type else ""
    return f"<version version={quoteattr(f'v{number}')}><date>{moment}</date><size>1kb</size>{kind}</version>"
