"""Files of IMSLP are listed without taking any; those that a person has fetched are recognised and cut."""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from types import SimpleNamespace

import pypdfium2
import pytest
from PIL import Image, ImageDraw

from fake_sources.music import FakeImslp
from fake_sources.server import FakeServer, fake_server
from i2s_collect.candidates import Dropped, Fetched, Piece, Reason, SourceDocument, Window
from i2s_collect.collecting import CollectOptions, DataSetCollection
from i2s_collect.files import GivenFiles
from i2s_collect.filters import Filters
from i2s_collect.images import scores
from i2s_collect.images.duplicates import KnownPieces
from i2s_collect.music import ImslpSource, ListedScore, list_scores
from i2s_collect.source import DrawnSource
from i2s_collect.sources import SourceOptions, open_source
from i2s_collect.state import CollectionState
from i2s_collect.web.answer import NotAtHandError, SourceStoppedError
from i2s_collect.web.client import HttpWeb, WebCache
from i2s_collect.web.manners import HostGaps, Manners
from i2s_sdk.data.folder import read_folder
from i2s_sdk.errors import UsageError
from i2s_wire.documents.drawing import DocumentDefect, DrawnPages, PageDrawing
from i2s_wire.render.rendering import Engine, Verdict

OCTOBER = Window(date(2026, 10, 1), date(2026, 10, 31))


@dataclass
class World:
    """A stand-in of IMSLP, and a client that waits without waiting."""

    fake: FakeImslp
    server: FakeServer
    web: HttpWeb

    def listed(self) -> tuple[list[ListedScore], list[Dropped]]:
        found = list(list_scores(OCTOBER, self.web, self.server.url))
        return [one for one in found if isinstance(one, ListedScore)], [
            one for one in found if isinstance(one, Dropped)
        ]


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    with ExitStack() as stack:
        fake = FakeImslp()
        server = stack.enter_context(fake_server(fake))
        web = HttpWeb(
            WebCache(tmp_path / "http"),
            HostGaps(tmp_path / "hosts", lambda seconds: None),
            "ann@example.org",
            "1.0",
            {server.host: Manners(0.0)},
            sleep=lambda seconds: None,
        )
        yield World(fake, server, stack.enter_context(web))


def asked(server: FakeServer, part: str) -> int:
    return sum(part in one.path for one in server.log)


@pytest.mark.parametrize("old_list", [False, True])
def test_uploads_of_a_window_are_listed_and_no_file_is_asked_for(world: World, old_list: bool) -> None:
    world.fake.old_list = old_list
    listed, dropped = world.listed()
    assert not dropped
    assert [(one.file, one.submitted.day, one.licence, one.pages, one.page) for one in listed] == [
        ("NB Sonata 1.pdf", 3, "Public Domain", 12, "Sonata No.1 (Nobody, Ann)"),
        ("NB Sonata 1 parts.pdf", 3, "Public Domain", 7, "Sonata No.1 (Nobody, Ann)"),
        ("Unnamed.pdf", 12, "", 0, ""),
        ("Recording.mp3", 13, "", 0, ""),
        (
            "Cid March.pdf",
            31,
            "Creative Commons Attribution-ShareAlike 4.0",
            0,
            "March (Nobody, Cid)",
        ),
    ]
    assert listed[0].sha1 == hashlib.sha1(b"NB_Sonata_1.pdf").hexdigest()
    assert listed[0].link == "https://imslp.org/wiki/Sonata_No.1_%28Nobody%2C_Ann%29"
    assert asked(world.server, "imslpscripts") == 0
    assert asked(world.server, "action=parse") == 2  # the page of each work once
    assert all(one.path.startswith(("/robots.txt", "/api.php")) for one in world.server.log)
    assert not any("cookie" in one.headers for one in world.server.log)


@pytest.mark.parametrize("without", ["error", "other times"])
def test_without_a_list_of_uploads_the_list_of_works_is_read(world: World, without: str) -> None:
    if without == "error":
        world.fake.uploads = None
    else:
        world.fake.ignores_window = True
    listed, dropped = world.listed()
    assert [(one.file, one.licence, one.pages) for one in listed] == [
        ("Cid March.pdf", "Creative Commons Attribution-ShareAlike 4.0", 0),
        ("NB Sonata 1.pdf", "Public Domain", 12),
        ("NB Sonata 1 parts.pdf", "Public Domain", 7),
    ]
    assert [(one.key, one.reason) for one in dropped] == [("Lost.pdf", Reason.MALFORMED)]
    assert asked(world.server, "imslpscripts") == 2
    assert all(one.path.startswith(("/robots.txt", "/api.php", "/imslpscripts/")) for one in world.server.log)


def test_a_part_of_the_works_is_listed(world: World) -> None:
    world.fake.uploads = None
    found = list_scores(OCTOBER, world.web, world.server.url, works=2)
    assert {one.page for one in found if isinstance(one, ListedScore)} == {"March (Nobody, Cid)"}


def test_robots_txt_decides(world: World) -> None:
    world.fake.robots = "User-agent: *\nDisallow: /api.php\n"
    with pytest.raises(SourceStoppedError, match=r"robots\.txt"):
        world.listed()
    assert asked(world.server, "/api.php") == 0


def test_documents_have_licences_and_what_recognises_their_files(world: World) -> None:
    found = list(ImslpSource(base_url=world.server.url).discover(OCTOBER, world.web))
    documents = {one.key: one for one in found if isinstance(one, SourceDocument)}
    assert [one.key for one in found if isinstance(one, Dropped)] == ["Recording.mp3"]
    sonata = documents["NB Sonata 1.pdf"]
    assert (sonata.title, sonata.authors, sonata.owner) == (
        "Sonata No.1",
        ("Nobody, Ann",),
        "Sonata No.1 (Nobody, Ann)",
    )
    assert sonata.licence.redistributable
    assert documents["Cid March.pdf"].licence.name == "CC-BY-SA-4.0"
    assert not documents["Unnamed.pdf"].licence.redistributable
    assert json.loads(sonata.line())["detail"]["sha1"] == hashlib.sha1(b"NB_Sonata_1.pdf").hexdigest()


def test_a_file_is_recognised_by_its_content(world: World, tmp_path: Path) -> None:
    (tmp_path / "given" / "deep").mkdir(parents=True)
    (tmp_path / "given" / "deep" / "any name").write_bytes(b"NB_Sonata_1.pdf")
    (tmp_path / "given" / "Cid March.pdf").write_bytes(b"another file of that name")
    source = ImslpSource(GivenFiles(tmp_path / "given"), world.server.url)
    documents = {
        one.key: one for one in source.discover(OCTOBER, world.web) if isinstance(one, SourceDocument)
    }
    requests = len(world.server.log)
    fetched = source.fetch(documents["NB Sonata 1.pdf"], world.web)
    assert isinstance(fetched, Fetched)
    assert (fetched.content, fetched.version) == (
        b"NB_Sonata_1.pdf",
        hashlib.sha1(b"NB_Sonata_1.pdf").hexdigest(),
    )
    with pytest.raises(NotAtHandError, match=r"Cid March\.pdf"):
        source.fetch(documents["Cid March.pdf"], world.web)
    assert len(world.server.log) == requests


def test_files_are_given_to_sources_that_want_them_and_from_a_folder(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="arxiv fetches its documents itself"):
        open_source("arxiv", SourceOptions({}, given=tmp_path))
    with pytest.raises(UsageError, match="is no folder"):
        open_source("imslp", SourceOptions({}, given=tmp_path / "none"))
    assert isinstance(open_source("imslp", SourceOptions({})).source, DrawnSource)
    assert not isinstance(open_source("arxiv", SourceOptions({})).source, DrawnSource)


def page(staves: int, seed: int = 0, size: tuple[int, int] = (800, 1100)) -> Image.Image:
    """A page with staves, or with lines of text if there are none."""
    image = Image.new("L", size, 255)
    draw = ImageDraw.Draw(image)
    for staff in range(staves):
        top = 120 + 180 * staff
        for line in range(5):
            draw.line((60, top + 10 * line, 740, top + 10 * line), fill=0)
        for x in range(100, 720, 30 + seed):
            y = top + 5 * ((x * (seed + 3)) // 7 % 8)
            draw.ellipse((x, y - 5, x + 12, y + 5), fill=0)
            draw.line((x + 12, y, x + 12, y - 35), fill=0)
    if not staves:
        for row in range(60, 1000, 22):
            draw.text((60, row), "There is no music on this page, words alone. " * 3, fill=0)
    return image


def pdf(*pages: Image.Image) -> bytes:
    content = io.BytesIO()
    pages[0].save(content, "PDF", resolution=100, save_all=True, append_images=pages[1:])
    return content.getvalue()


class PdfiumHere:
    """Draws pages with PDFium in this process, with the interface of the client of the documents service."""

    def __init__(self, largest: int = 50_000_000, most_pixels: int = 10_000_000) -> None:
        self.largest, self.most_pixels = largest, most_pixels
        self.asked: list[tuple[int, int]] = []

    async def describe(self) -> SimpleNamespace:
        engine = Engine("pdfium", str(pypdfium2.PDFIUM_INFO), "")
        return SimpleNamespace(max_request_bytes=self.largest, engines=(Engine("pandoc"), engine))

    async def draw_pages(self, pdf: bytes, drawing: PageDrawing, first: int, count: int) -> DrawnPages:
        self.asked.append((first, count))
        try:
            document = pypdfium2.PdfDocument(pdf)
        except pypdfium2.PdfiumError:
            return DrawnPages((), 0, Verdict.INVALID_INPUT, "is no PDF document", DocumentDefect.BROKEN)
        pages = []
        for number in range(first - 1, min(first - 1 + count, len(document))):
            found, scale = document[number], drawing.dpi / 72
            if found.get_width() * found.get_height() * scale**2 > self.most_pixels:
                return DrawnPages((), len(document), Verdict.PIXEL_LIMIT, "has too many pixels")
            content = io.BytesIO()
            found.render(scale=scale).to_pil().convert("RGB").save(content, "PNG")
            pages.append(content.getvalue())
        return DrawnPages(tuple(pages), len(document))


async def systems(documents: PdfiumHere, content: bytes) -> list[tuple[object, object]]:
    found = scores.systems_of_pdf(documents, content)  # type: ignore[arg-type]
    return [
        (one.reason.value, one.detail) if isinstance(one, Dropped) else (one.page, one.number)
        async for one in found
    ]


@pytest.mark.slow
async def test_pages_that_cannot_be_drawn_or_are_no_music_are_left_out() -> None:
    pages = (page(0), page(3), page(1, size=(8000, 11000)), page(1))
    found = await systems(PdfiumHere(), pdf(*pages))
    assert [one for one in found if isinstance(one[0], int)] == [(2, 1), (2, 2), (2, 3), (4, 1)]
    assert [one[0] for one in found if isinstance(one[0], str)] == ["not_music", "not_rendered"]
    assert found[-2] == ("not_rendered", "page 3: has too many pixels")


async def test_a_document_that_cannot_be_opened_or_is_too_large_is_dropped() -> None:
    assert await systems(PdfiumHere(), b"no document") == [("not_rendered", "page 1: is no PDF document")]
    ((reason, _),) = await systems(PdfiumHere(scores.REQUEST_MARGIN + 2), pdf(page(1)))
    assert reason == "too_large"


@pytest.mark.slow
async def test_no_more_than_the_most_pages_are_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scores, "MOST_PAGES", scores.PAGES_AT_ONCE)
    documents = PdfiumHere()
    found = await systems(documents, pdf(*[page(0)] * 10))
    assert documents.asked == [(1, 8)]
    assert found[-1] == ("too_large", "pages 9 to 10: more than 8")


async def test_systems_of_given_files_become_instances_without_a_structure(
    world: World, tmp_path: Path
) -> None:
    given = tmp_path / "given"
    given.mkdir()

    def collection(web: HttpWeb) -> DataSetCollection:
        source = ImslpSource(GivenFiles(given), world.server.url)
        options = CollectOptions(OCTOBER, per_document=2)
        return DataSetCollection(tmp_path / "set", source, web, Filters("music"), KnownPieces(), options)

    march = pdf(page(3), page(2, 5))
    world.fake.contents["Cid_March.pdf"] = march
    drawing = PdfiumHere()
    state = CollectionState(tmp_path / "set" / "collection")
    try:
        one = collection(world.web)
        one.discover(state)
        summary = await one.work(state, {}, drawing)  # type: ignore[arg-type]
        assert (summary.not_cached, summary.visited, summary.accepted) == (4, 0, {"wild_imslp": 0})
        (given / "a").write_bytes(march)
        one = collection(world.web)
        one.discover(state)
        summary = await one.work(state, {}, drawing)  # type: ignore[arg-type]
    finally:
        state.close()
    assert (summary.not_cached, summary.visited, summary.accepted) == (3, 1, {"wild_imslp": 2})
    assert not summary.faults()
    listed = (tmp_path / "set" / "collection" / "documents.jsonl").read_text().splitlines()
    assert len(listed) == 4
    instances = read_folder(tmp_path / "set").instances
    assert [(one.structure, one.subset, one.licence) for one in instances] == [
        (None, "wild_imslp", "CC-BY-SA-4.0")
    ] * 2
    assert len({one.id for one in instances}) == 2
    sha1 = hashlib.sha1(march).hexdigest()
    for instance in instances:
        origin = instance.provenance
        assert (origin["source"], origin["member"], origin["version"]) == ("imslp", "Cid March.pdf", sha1)
        assert origin["notes"]["sha1"] == sha1
        notes = origin["notes"]
        assert origin["place"] == f"page {notes['page']}, system {notes['system']}"
        assert origin["engine"]["name"] == "pdfium"
        assert instance.image is not None
        assert instance.image.read_bytes().startswith(b"\x89PNG")


def test_pieces_are_pictures_without_sources() -> None:
    image = page(1)
    made = scores.System(3, 2, image.convert("RGB"), 0.9).png()
    assert Image.open(io.BytesIO(made)).size == image.size
    assert Piece("s", "m", (0, 0), b"", "", 0).picture == b""
