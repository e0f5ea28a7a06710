"""Scores of IMSLP, for the task ``music``: a list of files without taking any, and systems of those at hand.

IMSLP does not permit programs to fetch its files. Its interfaces name each file with its SHA-1, so that a
file that a person has fetched is recognised. Such files are drawn and cut into systems, which have no ground
truth.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from urllib.parse import quote

from i2s_client.documents import AsyncDocumentsClient
from i2s_collect.candidates import Dropped, Fetched, Piece, Reason, SourceDocument, Window
from i2s_collect.files import GivenFiles
from i2s_collect.images.scores import System, systems_of_pdf
from i2s_collect.music.imslp_api import BASE_URL, FileBlock, FileFacts, ImslpApi, NoUploadsError, plain_name
from i2s_collect.music.mutopia import licence_from
from i2s_collect.web.answer import NotAtHandError, Web
from i2s_collect.web.manners import Manners
from i2s_wire.render.rendering import Rendering

#: The subset. Its references have no source, so it stands apart as all subsets that are named "wild".
SUBSET = "wild_imslp"
#: Media type of the files that are cut.
PDF = "application/pdf"
#: Seconds between two requests, if robots.txt names none.
GAP = 3.0

_PAGE_PREFIX = "/wiki/"


@dataclass(frozen=True, slots=True)
class ListedScore:
    """A file of IMSLP."""

    #: Its name.
    file: str
    #: Title of the page of the work; empty if no page names the file.
    page: str
    #: URL of that page, for people; without it, of the own page of the file. It is that of IMSLP wherever the
    #: list was read, so that a mirror makes the same data set.
    link: str
    #: SHA-1 of the file, in hexadecimal.
    sha1: str
    #: Licence as the page of the work names it; empty if it does not.
    licence: str
    #: Number of pages; 0 if unknown.
    pages: int
    #: Image type, such as "Normal Scan" or "Typeset".
    image_type: str
    #: Day on which it was uploaded.
    submitted: date
    #: Media type.
    mime: str
    #: Size in bytes.
    size: int


def list_scores(
    window: Window, web: Web, base_url: str = BASE_URL, start: int = 0, works: int | None = None
) -> Iterator[ListedScore | Dropped]:
    """Yield the files that were uploaded within a window, or why one is left out.

    They are looked for in the list of uploads. If IMSLP does not offer that, all works of the list of works
    are looked at, which is a request for each.

    Args:
        window: Days of upload.
        web: The HTTP client that asks.
        base_url: Where IMSLP is.
        start: Number of the first work of the list of works that is looked at.
        works: How many works are looked at; None for all. It counts for the list of works alone.

    Raises:
        SourceStoppedError: IMSLP does not answer, or robots.txt does not permit to ask.
    """
    api = ImslpApi(web, base_url)
    try:
        uploads = api.uploads(window)
    except NoUploadsError:
        yield from _of_works(window, api, start, works)
    else:
        yield from _of_uploads(uploads, api)


def _of_uploads(uploads: list[FileFacts], api: ImslpApi) -> Iterator[ListedScore]:
    described: dict[str, dict[str, FileBlock]] = {}
    for facts in uploads:
        block, title = None, ""
        for one in api.works_with(facts.name):
            if one not in described:
                described[one] = {plain_name(file.name): file for file in api.files_of(one)}
            title = title or one
            if facts.name in described[one]:
                block, title = described[one][facts.name], one
                break
        if facts.uploaded is not None:
            yield _listed(title, facts.uploaded, block, facts)


def _of_works(
    window: Window, api: ImslpApi, start: int, works: int | None
) -> Iterator[ListedScore | Dropped]:
    for number, title in enumerate(api.titles(start)):
        if works is not None and number >= works:
            return
        blocks = [(block, block.day) for block in api.files_of(title) if block.day and block.day in window]
        known = api.facts([block.name for block, _ in blocks])
        for block, day in blocks:
            facts = known.get(plain_name(block.name))
            yield (
                _listed(title, day, block, facts)
                if facts
                else Dropped(Reason.MALFORMED, "its SHA-1 is not known", block.name)
            )


def _listed(title: str, day: date, block: FileBlock | None, facts: FileFacts) -> ListedScore:
    page = title or f"File:{facts.name}"
    return ListedScore(
        file=facts.name,
        page=title,
        link=BASE_URL + _PAGE_PREFIX + quote(page.replace(" ", "_"), safe="/:"),
        sha1=facts.sha1,
        licence=block.licence if block else "",
        pages=block.pages if block else 0,
        image_type=block.image_type if block else "",
        submitted=day,
        mime=facts.mime,
        size=facts.size,
    )


@dataclass(frozen=True, slots=True)
class ImslpSource:
    """Files of IMSLP that were uploaded within a window, of which a person has fetched some."""

    #: Files that a person has fetched.
    given: GivenFiles = field(default_factory=GivenFiles)
    #: Where IMSLP is.
    base_url: str = BASE_URL
    #: Name of the source.
    name: str = "imslp"
    #: Name of the task.
    task: str = "music"
    #: The one subset.
    subsets: tuple[str, ...] = (SUBSET,)

    @property
    def manners(self) -> Manners:
        """The rate and connections with which the host is asked."""
        return Manners(GAP)

    def discover(self, window: Window, web: Web) -> Iterator[SourceDocument | Dropped]:
        """Yield every file of a window, or why it is left out. None is fetched."""
        for score in list_scores(window, web, self.base_url):
            yield score if isinstance(score, Dropped) else _document(score)

    def fetch(self, document: SourceDocument, web: Web) -> Fetched | Dropped:
        """Return a file that a person has fetched; nobody is asked for it.

        Raises:
            NotAtHandError: It is not among the given files.
        """
        sha1 = _sha1_of(document)
        content = self.given.read(sha1)
        if content is None:
            raise NotAtHandError(f"{document.key} is not among the files that were given")
        return Fetched(content, sha1, document.url)

    def cut(self, document: SourceDocument, content: bytes) -> Iterator[Piece | Dropped]:
        """Yield nothing: pages are drawn before they are cut; see ``cut_drawn``."""
        yield from ()

    async def cut_drawn(
        self, document: SourceDocument, content: bytes, documents: AsyncDocumentsClient
    ) -> AsyncIterator[Piece | Dropped]:
        """Yield the systems of all pages that are sheet music, and why pages are left out."""
        async for found in systems_of_pdf(documents, content):
            if isinstance(found, Dropped):
                yield Dropped(found.reason, found.detail, document.key, SUBSET)
            else:
                yield _piece(document.key, _sha1_of(document), found)

    def rendering_fault(self, piece: Piece, rendering: Rendering) -> Dropped | None:
        """Return None: nothing is rendered."""
        return None


def _sha1_of(document: SourceDocument) -> str:
    """Return the SHA-1 of a file; a document of a recipe has it as its version."""
    return str(document.detail.get("sha1", document.version))


def _document(score: ListedScore) -> SourceDocument | Dropped:
    if score.mime != PDF:
        return Dropped(
            Reason.NO_SOURCE, f"is no PDF document but {score.mime or 'of unknown type'}", score.file
        )
    detail: Mapping[str, object] = {
        "file": score.file,
        "sha1": score.sha1,
        "size": score.size,
        "pages": score.pages,
        "image_type": score.image_type,
    }
    title, _, composer = score.page.rpartition(" (")
    return SourceDocument(
        key=score.file,
        day=score.submitted,
        owner=score.page,
        licence=licence_from(score.licence),
        title=title or score.file,
        authors=(composer.removesuffix(")"),) if title and composer.endswith(")") else (),
        url=score.link,
        detail=detail,
    )


def _piece(file: str, sha1: str, system: System) -> Piece:
    return Piece(
        subset=SUBSET,
        member=file,
        span=(0, 0),
        structure=b"",
        text="",
        length=0,
        notes={
            "sha1": sha1,
            "page": system.page,
            "system": system.number,
            "page_sheet_music": round(system.probability, 4),
        },
        place=f"page {system.page}, system {system.number}",
        picture=system.png(),
    )
