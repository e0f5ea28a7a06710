"""The interfaces of IMSLP for programs: files, works, and the wikitext of their pages."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date

from i2s_collect.candidates import Window
from i2s_collect.web.answer import Ask, SourceStoppedError, Web
from i2s_sdk.json_text import read_json

#: The longest page that is read, in characters, and the most files of one.
MAX_CHARACTERS, MAX_FILES = 2_000_000, 2_000

_OPENING = "{{#fte:imslpfile"
_EDGES = re.compile(r"\{\{|\}\}")
_FIELD = re.compile(r"^\|[ \t]*([A-Za-z ]{1,40}?)[ \t]*(\d{0,4})[ \t]*=[ \t]*([^\n]*)", re.MULTILINE)
_DATE = re.compile(r"(\d{4})[/-](\d{1,2})[/-](\d{1,2})")


@dataclass(frozen=True, slots=True)
class FileBlock:
    """A file as the page of its work describes it."""

    #: Name of the file.
    name: str
    #: Licence, such as "Public Domain"; empty if it is not named.
    licence: str
    #: Number of pages; 0 if unknown.
    pages: int
    #: Image type, such as "Normal Scan".
    image_type: str
    #: Day of its upload; None if unknown.
    day: date | None


def file_blocks(text: str) -> list[FileBlock]:
    """Return the files of a page in their order; a block that does not end is left out."""
    return [file for block in _blocks(text[:MAX_CHARACTERS]) for file in _files(block)][:MAX_FILES]


def _blocks(text: str) -> Iterator[str]:
    position = text.find(_OPENING)
    while position >= 0:
        depth, end = 0, len(text)
        for edge in _EDGES.finditer(text, position):
            depth += 1 if edge.group() == "{{" else -1
            if depth == 0:
                end = edge.end()
                yield text[position + len(_OPENING) : end - 2]
                break
        position = text.find(_OPENING, end)


def _files(block: str) -> Iterator[FileBlock]:
    """Yield the files of a block: numbered fields are of one file, the others of all."""
    fields = {(name.strip(), number): value.strip() for name, number, value in _FIELD.findall(block)}
    for (name, number), value in fields.items():
        if name != "File Name" or not value or not value.isprintable() or "|" in value:
            continue

        def read(wanted: str, number: str = number) -> str:
            return fields.get((wanted, number)) or fields.get((wanted, "")) or ""

        pages = read("Page Count")
        yield FileBlock(
            name=value[:300],
            licence=read("Copyright")[:100],
            pages=int(pages) if pages.isascii() and pages.isdecimal() and len(pages) < 6 else 0,
            image_type=read("Image Type")[:100],
            day=_day_of_submission(read("Date Submitted")),
        )


def _day_of_submission(text: str) -> date | None:
    match = _DATE.search(text)
    try:
        return date(int(match[1]), int(match[2]), int(match[3])) if match else None
    except ValueError:
        return None


#: Where IMSLP is.
BASE_URL = "https://imslp.org"
#: Works a page of the list of works, files a page of the list of uploads, and files a request for facts.
WORKS_PER_PAGE, UPLOADS_PER_PAGE, FILES_PER_REQUEST = 1_000, 500, 50
#: The most pages of a list.
MAX_LIST_PAGES = 1_000

_WORKLIST = (
    "/imslpscripts/API.ISCR.php?account=worklist/disclaimer=accepted/sort=id/type=2"
    "/start={start}/retformat=json"
)
_MAX_ANSWER_BYTES = 20_000_000
_SHA1_DIGITS = 40

Query = tuple[tuple[str, str], ...]


class NoUploadsError(Exception):
    """The interface does not list files by the time of their upload; the message says how it answers."""


@dataclass(frozen=True, slots=True)
class FileFacts:
    """The entry of a file in the interface."""

    #: Name of the file, with spaces rather than underscores.
    name: str
    #: SHA-1 in hexadecimal.
    sha1: str
    #: Day on which its latest version was uploaded, UTC; None if unknown.
    uploaded: date | None
    #: Media type; empty if unknown.
    mime: str
    #: Size in bytes; 0 if unknown.
    size: int


@dataclass(frozen=True, slots=True)
class ImslpApi:
    """The interfaces of IMSLP."""

    #: The HTTP client that asks.
    web: Web
    #: Where IMSLP is.
    base_url: str = BASE_URL

    def uploads(self, window: Window) -> list[FileFacts]:
        """Return the files that were uploaded within a window, in the order of their uploads.

        Raises:
            NoUploadsError: The interface does not offer that.
            SourceStoppedError: IMSLP does not answer, or robots.txt does not permit to ask.
        """
        first: Query = (
            ("action", "query"),
            ("list", "allimages"),
            ("aisort", "timestamp"),
            ("aidir", "ascending"),
            ("aistart", f"{window.first.isoformat()}T00:00:00Z"),
            ("aiend", f"{window.last.isoformat()}T23:59:59Z"),
            ("aiprop", "timestamp|size|sha1|mime"),
            ("ailimit", str(UPLOADS_PER_PAGE)),
            ("format", "json"),
        )
        query, found = first, dict[str, FileFacts]()
        for _ in range(MAX_LIST_PAGES):
            body = self._answer(self._api(query))
            match body:
                case {"query": {"allimages": list(entries)}}:
                    for entry in entries:
                        facts = _facts_of(entry)
                        if facts is None:
                            continue
                        if facts.uploaded is None or facts.uploaded not in window:
                            raise NoUploadsError("it lists files that were uploaded at other times")
                        found.setdefault(facts.name, facts)
                case {"error": {"info": str(info)}}:
                    raise NoUploadsError(info[:200])
                case _:
                    raise NoUploadsError("it answers without a list of files")
            following = _continued(body)
            if not following:
                return list(found.values())
            changed = dict(following)
            query = (*((name, changed.pop(name, value)) for name, value in first), *changed.items())
        return list(found.values())

    def works_with(self, file: str) -> list[str]:
        """Return the titles of the works whose pages name a file; it may be none."""
        query: Query = (
            ("action", "query"),
            ("list", "imageusage"),
            ("iutitle", f"File:{file}"),
            ("iunamespace", "0"),
            ("iulimit", "10"),
            ("format", "json"),
        )
        match self._answer(self._api(query)):
            case {"query": {"imageusage": list(pages)}}:
                titles = [page.get("title") for page in pages if isinstance(page, Mapping)]
                return [title for title in titles if isinstance(title, str) and _is_title(title)]
        return []

    def titles(self, start: int = 0) -> Iterator[str]:
        """Yield the titles of works in the order of the list of works, from a number on."""
        for page in range(MAX_LIST_PAGES):
            body = self._answer(
                Ask(
                    self.base_url + _WORKLIST.format(start=start + page * WORKS_PER_PAGE),
                    documented=False,
                    max_bytes=_MAX_ANSWER_BYTES,
                )
            )
            for key in sorted((key for key in body if key.isdecimal()), key=lambda one: (len(one), one)):
                work = body[key]
                title = work.get("id") if isinstance(work, Mapping) else None
                if isinstance(title, str) and _is_title(title):
                    yield title
            metadata = body.get("metadata")
            if not isinstance(metadata, Mapping) or metadata.get("moreresultsavailable") is not True:
                return

    def files_of(self, title: str) -> list[FileBlock]:
        """Return the files that the page of a work describes; none if it was moved or deleted."""
        query = (("action", "parse"), ("prop", "wikitext"), ("page", title), ("format", "json"))
        match self._answer(self._api(query)):
            case {"parse": {"wikitext": {"*": str(text)}}} | {"parse": {"wikitext": str(text)}}:
                return file_blocks(text)
        return []

    def facts(self, names: list[str]) -> dict[str, FileFacts]:
        """Return what is known of files, by their plain name."""
        known: dict[str, FileFacts] = {}
        for first in range(0, len(names), FILES_PER_REQUEST):
            query = (
                ("action", "query"),
                ("prop", "imageinfo"),
                ("iiprop", "size|sha1|mime|timestamp"),
                ("titles", "|".join(f"File:{name}" for name in names[first : first + FILES_PER_REQUEST])),
                ("format", "json"),
            )
            match self._answer(self._api(query)):
                case {"query": {"pages": dict(pages)}}:
                    for page in pages.values():
                        match page:
                            case {"title": str(title), "imageinfo": [dict(info), *_]}:
                                facts = _facts_of({**info, "name": title.partition(":")[2]})
                                if facts is not None:
                                    known[facts.name] = facts
        return known

    def _api(self, query: Query) -> Ask:
        # Not marked as documented, so that robots.txt is asked for this path as well.
        return Ask(f"{self.base_url}/api.php", query, documented=False, max_bytes=_MAX_ANSWER_BYTES)

    def _answer(self, request: Ask) -> Mapping[str, object]:
        try:
            body = read_json(self.web.get(request).body)
        except ValueError:
            body = None
        if not isinstance(body, dict):
            self.web.forget(request)
            raise SourceStoppedError(
                f"{request.url} answered what is no JSON object; run the same command later"
            )
        return body


def plain_name(name: str) -> str:
    """Return the name of a file as MediaWiki shows it: spaces for underscores, a capital at the beginning."""
    spaced = " ".join(name.replace("_", " ").split())
    return spaced[:1].upper() + spaced[1:]


def _facts_of(entry: object) -> FileFacts | None:
    """Return the facts of a file, or None if its name or its SHA-1 is not known."""
    if not isinstance(entry, Mapping):
        return None
    name, sha1, mime, size = (entry.get(key) for key in ("name", "sha1", "mime", "size"))
    if not (isinstance(name, str) and isinstance(sha1, str) and _is_title(name) and _is_sha1(sha1)):
        return None
    return FileFacts(
        plain_name(name),
        sha1,
        _day_of_timestamp(entry.get("timestamp")),
        mime if isinstance(mime, str) else "",
        size if isinstance(size, int) and not isinstance(size, bool) else 0,
    )


def _continued(body: Mapping[str, object]) -> Query:
    """Return with what a list goes on, in the form of old and of new versions of MediaWiki."""
    match body:
        case {"continue": dict(found)} | {"query-continue": {"allimages": dict(found)}}:
            return tuple((name, value) for name, value in found.items() if isinstance(value, str))
    return ()


def _is_title(text: str) -> bool:
    return text.isprintable() and 0 < len(text) <= 500 and "|" not in text


def _is_sha1(text: str) -> bool:
    return len(text) == _SHA1_DIGITS and all(one in "0123456789abcdef" for one in text)


def _day_of_timestamp(text: object) -> date | None:
    try:
        return date.fromisoformat(text[:10]) if isinstance(text, str) else None
    except ValueError:
        return None
