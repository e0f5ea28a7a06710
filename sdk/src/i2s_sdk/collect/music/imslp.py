"""Lists what IMSLP has, without taking any of it.

IMSLP does not permit programs to fetch its files. Its interfaces for programs name each file with its
SHA-1, so that a file which a person has fetched can be recognised. Requests go to ``imslpscripts`` and
``api.php`` alone, carry no cookies, and obey robots.txt.

Source: https://imslp.org/wiki/IMSLP:API and https://www.mediawiki.org/wiki/API
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from datetime import date
from pathlib import Path
from urllib.parse import quote

from i2s_sdk.collect.candidates import Dropped, Reason, Window
from i2s_sdk.collect.music.wikitext import FileBlock, file_blocks
from i2s_sdk.collect.web.answer import Ask, Web
from i2s_sdk.collect.web.errors import SourceStoppedError
from i2s_sdk.json_text import read_json
from i2s_sdk.writing import write_whole, writing

#: Where IMSLP is.
BASE_URL = "https://imslp.org"
#: Works a page of the list of works, and files a request for facts of files.
WORKS_PER_PAGE, FILES_PER_REQUEST = 1_000, 50
#: The most pages of the list of works.
MAX_LIST_PAGES = 1_000

_WORKLIST = (
    "/imslpscripts/API.ISCR.php?account=worklist/disclaimer=accepted/sort=id/type=2"
    "/start={start}/retformat=json"
)
_MAX_ANSWER_BYTES = 20_000_000
_PAGE_PREFIX = "/wiki/"


@dataclass(frozen=True, slots=True)
class ListedScore:
    """A file of IMSLP.

    Attributes:
        file: Its name.
        page: Title of the page of the work.
        link: URL of that page, for people.
        sha1: Of the file, in hexadecimal.
        licence: As the page of the work names it; empty if it does not.
        pages: Number of pages; 0 if unknown.
        image_type: Such as "Normal Scan" or "Typeset".
        submitted: Day on which it was uploaded.
        mime: Media type.
        size: In bytes.
    """

    file: str
    page: str
    link: str
    sha1: str
    licence: str
    pages: int
    image_type: str
    submitted: date
    mime: str
    size: int


def list_scores(
    window: Window, web: Web, base_url: str = BASE_URL, start: int = 0, works: int | None = None
) -> Iterator[ListedScore | Dropped]:
    """Yield the files of the list of works that were uploaded within a window, or why one is left out.

    Args:
        window: Days of upload.
        web: Asks.
        base_url: Where IMSLP is.
        start: Number of the first work of the list that is looked at.
        works: How many works are looked at; None for all.

    Raises:
        SourceStoppedError: IMSLP does not answer, or robots.txt does not permit to ask.
    """
    for number, title in enumerate(_titles(web, base_url, start)):
        if works is not None and number >= works:
            return
        blocks = [block for block in _blocks(title, web, base_url) if block.day and block.day in window]
        facts = _facts([block.name for block in blocks], web, base_url)
        for block in blocks:
            found = facts.get(block.name)
            yield (
                _listed(title, block, found, base_url)
                if found
                else Dropped(Reason.MALFORMED, "nothing is known of this file", block.name)
            )


def write_list(path: Path, scores: Iterable[ListedScore]) -> int:
    """Write files as JSON lines, in the order of their names, and return how many.

    Raises:
        WriteError: It cannot be written.
    """
    ordered = sorted(scores, key=lambda one: (one.file, one.page))
    lines = [
        json.dumps(asdict(one), default=str, ensure_ascii=False, sort_keys=True) + "\n" for one in ordered
    ]
    with writing(path):
        write_whole(path, "".join(lines).encode())
    return len(lines)


def _titles(web: Web, base_url: str, start: int) -> Iterator[str]:
    """Yield the titles of works, in the order of the list."""
    for page in range(MAX_LIST_PAGES):
        request = Ask(
            base_url + _WORKLIST.format(start=start + page * WORKS_PER_PAGE),
            documented=False,
            max_bytes=_MAX_ANSWER_BYTES,
        )
        body = _answer(request, web)
        for key in sorted((key for key in body if key.isdecimal()), key=lambda one: (len(one), one)):
            work = body[key]
            title = work.get("id") if isinstance(work, Mapping) else None
            if isinstance(title, str) and title.isprintable() and 0 < len(title) <= 500:
                yield title
        metadata = body.get("metadata")
        if not isinstance(metadata, Mapping) or metadata.get("moreresultsavailable") is not True:
            return


def _blocks(title: str, web: Web, base_url: str) -> list[FileBlock]:
    query = (("action", "parse"), ("prop", "wikitext"), ("page", title), ("format", "json"))
    match _answer(_api(base_url, query), web):
        case {"parse": {"wikitext": {"*": str(text)}}} | {"parse": {"wikitext": str(text)}}:
            return file_blocks(text)
    return []  # a page that was moved or deleted


def _facts(names: list[str], web: Web, base_url: str) -> dict[str, Mapping[str, object]]:
    """Return what is known of files, by name."""
    known: dict[str, Mapping[str, object]] = {}
    for first in range(0, len(names), FILES_PER_REQUEST):
        titles = "|".join(f"File:{name}" for name in names[first : first + FILES_PER_REQUEST])
        query = (
            ("action", "query"),
            ("prop", "imageinfo"),
            ("iiprop", "size|sha1|mime|timestamp"),
            ("titles", titles),
            ("format", "json"),
        )
        match _answer(_api(base_url, query), web):
            case {"query": {"pages": dict(pages)}}:
                for page in pages.values():
                    match page:
                        case {"title": str(title), "imageinfo": [dict(facts), *_]}:
                            known[title.partition(":")[2].replace("_", " ")] = facts
    return {name: known[plain] for name in names if (plain := name.replace("_", " ")) in known}


def _api(base_url: str, query: tuple[tuple[str, str], ...]) -> Ask:
    # Not marked as documented, so that robots.txt is asked for this path as well.
    return Ask(f"{base_url}/api.php", query, documented=False, max_bytes=_MAX_ANSWER_BYTES)


def _answer(request: Ask, web: Web) -> Mapping[str, object]:
    try:
        body = read_json(web.get(request).body)
    except ValueError:
        body = None
    if not isinstance(body, dict):
        web.forget(request)
        raise SourceStoppedError(f"{request.url} answered what is no JSON object; run the same command later")
    return body


def _listed(
    title: str, block: FileBlock, facts: Mapping[str, object], base_url: str
) -> ListedScore | Dropped:
    sha1, mime, size = facts.get("sha1"), facts.get("mime"), facts.get("size")
    if not isinstance(sha1, str) or not _is_sha1(sha1) or block.day is None:
        return Dropped(Reason.MALFORMED, "its SHA-1 is not known", block.name)
    return ListedScore(
        file=block.name,
        page=title,
        link=base_url + _PAGE_PREFIX + quote(title.replace(" ", "_")),
        sha1=sha1,
        licence=block.licence,
        pages=block.pages,
        image_type=block.image_type,
        submitted=block.day,
        mime=mime if isinstance(mime, str) else "",
        size=size if isinstance(size, int) and not isinstance(size, bool) else 0,
    )


def _is_sha1(text: str) -> bool:
    return len(text) == 40 and all(one in "0123456789abcdef" for one in text)
