"""The papers of arXiv for the task ``latex``: their archives, and the renderings that are references."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date

from i2s_collect.arxiv.metadata import ArxivRecord, Version, harvest, licence_of
from i2s_collect.candidates import Dropped, Fetched, Piece, Reason, SourceDocument, Window
from i2s_collect.tex.cutting import cut_paper
from i2s_collect.tex.environments import SUBSETS
from i2s_collect.web.answer import Ask, Web
from i2s_collect.web.manners import Manners
from i2s_sdk.instances.site_files import gunzip, read_tar
from i2s_wire.render.rendering import LogExcerpt, Rendering
from i2s_wire.render.source_error import ErrorKind

#: Name of the file if a paper is a single one.
SINGLE_FILE = "paper.tex"

_GZIP, _PDF, _POSTSCRIPT = b"\x1f\x8b", b"%PDF", b"%!PS"
_USTAR = slice(257, 262)
_HEADER = 512


class NoSourceError(Exception):
    """A paper has no TeX source; the message says what there is instead."""


def unpack(content: bytes) -> dict[str, bytes]:
    """Return the files of a paper by name. The first bytes say what the content is.

    Raises:
        NoSourceError: It is a PDF or PostScript file.
        ValueError: It is an archive that cannot be read, that is too large, or that holds something other
            than files and folders; the message says so.
    """
    unpacked = gunzip(content) if content.startswith(_GZIP) else content
    if unpacked[_USTAR] == b"ustar" or b"\0" in unpacked[:_HEADER]:
        return read_tar(unpacked)
    if unpacked.startswith((_PDF, _POSTSCRIPT)):
        raise NoSourceError("a PDF file" if unpacked.startswith(_PDF) else "a PostScript file")
    return {SINGLE_FILE: unpacked}


#: How far a box may reach over its width or height, in points.
MAX_OVERFULL = 20.0

_OVERFULL = re.compile(r"Overfull \\([hv])box \((\d{1,7}(?:\.\d{1,7})?)pt too (?:wide|high)\)")
_UNDEFINED = frozenset({ErrorKind.UNDEFINED_COMMAND, ErrorKind.UNDEFINED_ENVIRONMENT})


def reference_fault(piece: Piece, rendering: Rendering) -> Dropped | None:
    """Return why a rendering is not a reference, or None.

    The log is read as far as the renderer returns it.
    """
    error = rendering.error
    if error is not None and error.kind in _UNDEFINED:
        name = error.undefined.name if error.undefined else error.message
        return Dropped(Reason.UNDEFINED_COMMAND, name[:100], subset=piece.subset)
    if not rendering.verdict.has_picture:
        return None
    if rendering.total_pages != 1:
        return Dropped(Reason.SEVERAL_PAGES, f"{rendering.total_pages} pages", subset=piece.subset)
    most = overfull(rendering.log)
    if most > MAX_OVERFULL:
        return Dropped(Reason.OVERFULL, f"{most:g} pt, more than {MAX_OVERFULL:g}", subset=piece.subset)
    return None


def overfull(log: LogExcerpt) -> float:
    """Return by how many points the widest box of a log is too wide, or the highest too high; 0 for none."""
    text = f"{log.head}\n{log.tail}"
    return max((float(found[2]) for found in _OVERFULL.finditer(text)), default=0.0)


#: Where metadata and sources are.
METADATA_URL, SOURCES_URL = "https://oaipmh.arxiv.org/oai", "https://export.arxiv.org/src"
#: Where people find papers.
ABSTRACTS_URL = "https://arxiv.org/abs"
#: Seconds between two requests, which arXiv asks for.
GAP = 3.0
#: The largest source that is taken, in bytes.
MAX_SOURCE_BYTES = 50_000_000

_KEY = re.compile(r"(?:\d{4}\.\d{4,5}|[a-z-]{1,20}(?:\.[A-Z]{2})?/\d{7})v\d{1,3}")
_GONE = frozenset({404, 410})
_NAMED_TYPES = {"H": "HTML", "P": "PostScript", "X": "a word processor file"}
# Letters of the source type that say nothing against TeX.
_TEX_TYPES = frozenset("DA")


@dataclass(frozen=True, slots=True)
class ArxivSource:
    """Papers whose first version was submitted within a window."""

    #: URL of the OAI-PMH interface.
    metadata_url: str = METADATA_URL
    #: URL of the folder of sources, without a slash at the end.
    sources_url: str = SOURCES_URL
    #: Sets of the interface, such as "cs" or "math:math:NA"; empty for all papers.
    sets: tuple[str, ...] = ()
    #: Name of the source.
    name: str = "arxiv"
    #: Name of the task.
    task: str = "latex"
    #: Subsets of the instances.
    subsets: tuple[str, ...] = SUBSETS

    @classmethod
    def at(cls, base_url: str) -> ArxivSource:
        """Return the source behind another server: metadata under ``/oai``, sources under ``/src``."""
        return cls(f"{base_url}/oai", f"{base_url}/src")

    @property
    def manners(self) -> Manners:
        """The rates and connections with which both hosts are asked."""
        return Manners(GAP)

    def discover(self, window: Window, web: Web) -> Iterator[SourceDocument | Dropped]:
        """Yield every paper of a window, or why it is left out.

        The interface selects by the day of the last change. So all records are read that changed since the
        first day of the window.
        """
        seen: set[str] = set()
        for of_set in self.sets or ("",):
            for record in harvest(web, self.metadata_url, window.first, of_set):
                document = candidate(record, window)
                if document is not None and record.id not in seen:
                    seen.add(record.id)
                    yield document

    def fetch(self, document: SourceDocument, web: Web) -> Fetched | Dropped:
        """Return the source of a paper, of the version that its key names.

        Its URL is that of arXiv whatever the server, so that a mirror makes the same data set.
        """
        if not _KEY.fullmatch(document.key):
            return Dropped(Reason.MALFORMED, "is no id of a paper with its version", document.key)
        ask = Ask(f"{self.sources_url}/{document.key}", max_bytes=MAX_SOURCE_BYTES, expected=_GONE)
        answer = web.get(ask)
        if answer.status != 200:
            return Dropped(Reason.GONE, f"the source is gone ({answer.status})", document.key)
        return Fetched(answer.body, "", f"{SOURCES_URL}/{document.key}")

    def cut(self, document: SourceDocument, content: bytes) -> Iterator[Piece | Dropped]:
        """Yield the pieces of a paper and the refused ones."""
        try:
            members = unpack(content)
        except NoSourceError as error:
            yield Dropped(Reason.NO_SOURCE, str(error), document.key)
            return
        except ValueError as error:
            yield Dropped(Reason.BAD_ARCHIVE, f"the source {error}"[:300], document.key)
            return
        for piece in cut_paper(members):
            yield replace(piece, key=document.key) if isinstance(piece, Dropped) else piece

    def rendering_fault(self, piece: Piece, rendering: Rendering) -> Dropped | None:
        """Return why a rendering is not a reference, or None."""
        return reference_fault(piece, rendering)


def candidate(record: ArxivRecord, window: Window) -> SourceDocument | Dropped | None:
    """Return a record as a document, why it is left out, or None if it is not of the window.

    The version is the last one of the window. A paper that was withdrawn in any later version is left out.
    """
    if not record.id or not record.versions:
        if record.deleted:
            return Dropped(Reason.WITHDRAWN, "deleted", record.id) if _may_be_of(record.id, window) else None
        if record.id and not _may_be_of(record.id, window):
            return None
        return Dropped(Reason.MALFORMED, "a record without readable id or versions", record.id)
    if record.versions[0].number != 1:
        return Dropped(Reason.MALFORMED, "a record without its first version", record.id)
    if record.versions[0].day not in window:
        return None
    version = max((one for one in record.versions if one.day in window), key=lambda one: one.number)
    key = f"{record.id}v{version.number}"
    if any("I" in one.source_type for one in record.versions if one.number >= version.number):
        return Dropped(Reason.WITHDRAWN, "", key)
    if without := _without_source(version):
        return Dropped(Reason.NO_SOURCE, without, key)
    return SourceDocument(
        key=key,
        day=record.versions[0].day,
        owner="",
        licence=licence_of(record.licence),
        title=record.title,
        authors=record.authors,
        url=f"{ABSTRACTS_URL}/{key}",
        detail={"categories": list(record.categories)},
    )


def _without_source(version: Version) -> str:
    """Return why a version has no TeX source, as far as its type says."""
    if "S" in version.source_type:
        return "its source is not shown"
    others = [letter for letter in version.source_type if letter not in _TEX_TYPES]
    return _NAMED_TYPES.get(others[0], f"source type {others[0]}") if others else ""


def _may_be_of(identifier: str, window: Window) -> bool:
    """Return whether the month in an id is one of the window, or may be."""
    digits = identifier.rpartition("/")[2][:4]
    if len(digits) < 4 or not digits.isdecimal() or not 1 <= int(digits[2:]) <= 12:
        return True
    year = int(digits[:2])
    month = date(1900 + year if "/" in identifier and year > 90 else 2000 + year, int(digits[2:]), 1)
    # Ids are given when papers are announced, which may be in the month after their submission.
    first = window.first.year * 12 + window.first.month
    last = window.last.year * 12 + window.last.month
    return first <= month.year * 12 + month.month <= last + 1
