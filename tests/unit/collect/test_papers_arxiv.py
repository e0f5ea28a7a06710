"""Papers of arXiv are dated by their first version, fetched by version, and refused with a reason."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fake_sources.archives import bomb
from fake_sources.arxiv import FakeArxiv
from fake_sources.server import FakeServer, fake_server
from fake_sources.small_papers import FakePaper, FakeVersion, packed, papers, single, source
from i2s_collect.arxiv import ArxivSource
from i2s_collect.arxiv.metadata import MalformedAnswerError, authors_of, licence_of, read_page
from i2s_collect.arxiv.source import SINGLE_FILE, NoSourceError, reference_fault, unpack
from i2s_collect.candidates import Dropped, Fetched, Licence, Piece, Reason, SourceDocument, Window
from i2s_collect.web.answer import SourceStoppedError
from i2s_collect.web.client import HttpWeb, WebCache
from i2s_collect.web.manners import HostGaps, Manners
from i2s_wire.render.rendering import LogExcerpt, Picture, Rendering, Verdict
from i2s_wire.render.source_error import ErrorKind, SourceError, Undefined

OCTOBER = Window(date(2026, 10, 1), date(2026, 10, 31))
ANY = SourceDocument("2610.00001v1", date(2026, 10, 1), "", Licence(), "", (), "")


class World:
    """A stand-in of arXiv and clients that wait without waiting."""

    def __init__(self, folder: Path, stack: ExitStack, fake: FakeArxiv) -> None:
        self._folder, self._stack = folder, stack
        self.fake = fake
        self.server: FakeServer = stack.enter_context(fake_server(fake))
        self.source = ArxivSource.at(self.server.url)
        self.waited: list[float] = []

    def web(self, *, offline: bool = False) -> HttpWeb:
        web = HttpWeb(
            WebCache(self._folder / "http"),
            HostGaps(self._folder / "hosts", lambda seconds: None),
            "ann@example.org",
            "1.0",
            {self.server.host: Manners(0.0)},
            offline=offline,
            sleep=self.waited.append,
        )
        return self._stack.enter_context(web)

    def discover(self, window: Window = OCTOBER, *, offline: bool = False) -> list[SourceDocument | Dropped]:
        return list(self.source.discover(window, self.web(offline=offline)))


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    with ExitStack() as opened:
        yield opened


@pytest.fixture
def world(tmp_path: Path, stack: ExitStack) -> World:
    return World(tmp_path, stack, FakeArxiv())


def documents(found: list[SourceDocument | Dropped]) -> dict[str, SourceDocument]:
    return {one.key: one for one in found if isinstance(one, SourceDocument)}


def dropped(found: list[SourceDocument | Dropped]) -> dict[str, Reason]:
    return {one.key: one.reason for one in found if isinstance(one, Dropped)}


def test_papers_of_a_window_are_found_by_their_first_version_through_all_faults(world: World) -> None:
    found = world.discover()
    keys = documents(found)
    assert len(keys) == len(found) - len(dropped(found))
    assert "2610.00103v2" in keys, "the last version of the window"
    assert "math/0309136v1" not in keys, "changed in the window, submitted long before"
    assert not any(key.startswith("2609") for key in keys)
    assert dropped(found) == {
        "2610.00202v2": Reason.WITHDRAWN,
        "2610.00203": Reason.WITHDRAWN,
        "2610.00204v1": Reason.NO_SOURCE,
        "2610.00205v1": Reason.NO_SOURCE,
        "2610.00207": Reason.MALFORMED,
    }
    one = keys["2610.00001v1"]
    assert (one.day, one.owner, one.url) == (date(2026, 10, 2), "", "https://arxiv.org/abs/2610.00001v1")
    assert (one.title, one.authors) == ("On nothing, part 1", ("Ann Nobody", "Ben Noone", "Cid Néant"))
    assert one.licence == Licence("CC0-1.0", "http://creativecommons.org/publicdomain/zero/1.0/", True)
    assert 1.0 in world.waited, "Retry-After"


def test_a_harvest_asks_for_changes_since_the_window_and_follows_tokens_alone(world: World) -> None:
    world.discover()
    asked = [logged.path for logged in world.server.log if logged.path.startswith("/oai")]
    assert asked[0] == "/oai?verb=ListRecords&metadataPrefix=arXivRaw&from=2026-10-01"
    later = [path for path in asked if "resumptionToken" in path]
    assert later
    assert all(path.startswith("/oai?verb=ListRecords&resumptionToken=") for path in later)
    assert all("until" not in path for path in asked)


@pytest.mark.slow
def test_the_same_papers_are_found_without_faults_in_pages_of_any_size(
    tmp_path: Path, stack: ExitStack
) -> None:
    expected = None
    for size in (1, 7, 1_000):
        fake = FakeArxiv(per_page=size, expired=0, busy=0, garbled=0, cut_short=0)
        found = World(tmp_path / str(size), stack, fake).discover()
        assert expected is None or found == expected
        expected = found


def test_a_harvest_goes_on_from_the_last_day_after_its_token_expired(
    tmp_path: Path, stack: ExitStack
) -> None:
    day = [date(2026, 10, number) for number in range(1, 10)]
    content = single(source("\\[ a \\]"))
    many = [FakePaper(f"2610.0000{n}", day[n], [FakeVersion(day[n], content)]) for n in range(9)]
    world = World(tmp_path, stack, FakeArxiv(many, per_page=4, busy=0, garbled=0, expired=1))
    assert list(documents(world.discover())) == [f"{paper.id}v1" for paper in many]
    begun = [
        logged.path for logged in world.server.log if "metadataPrefix" in logged.path.partition("&from")[0]
    ]
    assert [path.rpartition("from=")[2] for path in begun if "Token" not in path] == [
        "2026-10-01",
        "2026-10-04",
    ]


def test_a_harvest_on_one_day_begins_again_with_that_day(tmp_path: Path, stack: ExitStack) -> None:
    day = date(2026, 10, 1)
    many = [FakePaper(f"2610.0000{n}", day, [FakeVersion(day, single("a"))]) for n in range(9)]
    world = World(tmp_path, stack, FakeArxiv(many, per_page=4, busy=0, garbled=0, expired=1))
    assert len(documents(world.discover())) == 9


def test_a_source_that_refuses_all_its_tokens_stops(tmp_path: Path, stack: ExitStack) -> None:
    world = World(tmp_path, stack, FakeArxiv(per_page=4, expired=1_000))
    with pytest.raises(SourceStoppedError, match="refuses its own tokens"):
        world.discover()


def test_a_source_that_answers_without_sense_stops(tmp_path: Path, stack: ExitStack) -> None:
    world = World(tmp_path, stack, FakeArxiv(garbled=1_000))
    with pytest.raises(SourceStoppedError, match="is no XML"):
        world.discover()


def test_the_same_is_found_offline(world: World) -> None:
    found = world.discover()
    world.server.refusing = True
    assert world.discover(offline=True) == found


def test_an_empty_window_is_no_fault(world: World) -> None:
    assert world.discover(Window(date(2026, 12, 1), date(2026, 12, 31))) == []


def test_sets_are_asked_for_and_papers_in_two_are_found_once(world: World) -> None:
    world.source = replace(world.source, sets=("cs", "stat"))
    found = world.discover()
    assert len(documents(found)) == len([one for one in found if isinstance(one, SourceDocument)])
    world.source = replace(world.source, sets=("math",))
    assert world.discover() == []


def cut(world: World, key: str) -> list[Piece | Dropped]:
    document = replace(ANY, key=key)
    fetched = world.source.fetch(document, world.web())
    assert isinstance(fetched, Fetched)
    assert fetched.url == f"https://export.arxiv.org/src/{key}"
    return list(world.source.cut(document, fetched.content))


def test_sources_are_fetched_by_version_and_cut(world: World) -> None:
    found = cut(world, "2610.00101v1")
    assert [(one.subset, one.member) for one in found if isinstance(one, Piece)] == [
        ("equation", "sections/one.tex"),
        ("table", "sections/two.tex"),
    ]
    assert next(one.text for one in found if isinstance(one, Piece)) == (
        "\\begin{equation} \\left\\lVert x \\right\\rVert + \\frac{1}{2} \\in "
        "\\mathbb{R}^{n \\times n}\\quad \\frac{y}{2} \\end{equation}"
    )
    (second,) = (one for one in cut(world, "2610.00103v2") if isinstance(one, Piece))
    assert "\\sum_{k=71}" in second.text
    assert "label" not in second.text
    assert "by inspection" not in second.text
    subsets = [one.subset for one in cut(world, "2610.00003v1") if isinstance(one, Piece)]
    assert subsets == ["equation", "table", "algorithm", "plot", "equation"], "a paper of one file"


@pytest.mark.parametrize(
    ("key", "reasons"),
    [
        ("2610.00105v1", [Reason.REFERENCE, Reason.REFERENCE, Reason.PICTURE_FILE, Reason.EMPTY]),
        ("2610.00108v1", [Reason.NOTHING_TO_CUT]),
        ("2610.00201v1", [Reason.NO_SOURCE]),
        ("2610.00208v1", [Reason.NO_ROOT_FILE]),
        ("2610.00301v1", [Reason.BAD_ARCHIVE]),
        ("2610.00302v1", [Reason.BAD_ARCHIVE]),
        ("2610.00303v1", [Reason.BAD_ARCHIVE]),
        ("2610.00304v1", [Reason.BAD_ARCHIVE]),
        ("2610.00305v1", [Reason.CATEGORY_CODES, Reason.MACROS, Reason.MACROS]),
        ("2610.00306v1", [Reason.NOTHING_TO_CUT]),
    ],
)
def test_papers_that_cannot_be_cut_say_why(world: World, key: str, reasons: list[Reason]) -> None:
    found = cut(world, key)
    assert [one.reason for one in found if isinstance(one, Dropped)] == reasons
    assert all(isinstance(one, Dropped) and one.key == key for one in found)


def test_a_source_that_is_gone_is_dropped(world: World) -> None:
    found = world.source.fetch(replace(ANY, key="2610.00206v1"), world.web())
    assert isinstance(found, Dropped)
    assert found.reason is Reason.GONE


def test_every_paper_of_the_stand_in_is_a_document_or_dropped(world: World) -> None:
    found = world.discover()
    keys = {one.key.partition("v")[0] for one in found}
    assert keys == {paper.id for paper in papers() if paper.id.startswith("2610")}


def test_content_is_told_by_its_first_bytes() -> None:
    assert unpack(single("\\documentclass{a}")) == {SINGLE_FILE: b"\\documentclass{a}"}
    assert unpack(packed({"b/a.tex": "x"})) == {"b/a.tex": b"x"}
    assert unpack(b"\\documentclass{a}") == {SINGLE_FILE: b"\\documentclass{a}"}
    for content in (b"%PDF-1.4", single(b"%PDF-1.4"), b"%!PS-Adobe"):
        with pytest.raises(NoSourceError):
            unpack(content)
    with pytest.raises(ValueError, match="unpacks to more than"):
        unpack(bomb())


@given(st.binary(max_size=600), st.sampled_from([b"", b"\x1f\x8b", b"\\documentclass", b"%PDF"]))
def test_any_content_is_cut_or_dropped(content: bytes, start: bytes) -> None:
    for one in ArxivSource().cut(ANY, start + content):
        assert isinstance(one, Dropped | Piece)


@pytest.mark.parametrize(
    ("uri", "name", "redistributable"),
    [
        ("http://creativecommons.org/licenses/by/4.0/", "CC-BY-4.0", True),
        ("https://creativecommons.org/licenses/by-sa/4.0", "CC-BY-SA-4.0", True),
        ("http://creativecommons.org/publicdomain/zero/1.0/", "CC0-1.0", True),
        ("http://creativecommons.org/licenses/by-nc-sa/4.0/", "CC-BY-NC-SA-4.0", False),
        ("http://creativecommons.org/licenses/by-nc-nd/4.0/", "CC-BY-NC-ND-4.0", False),
        ("http://arxiv.org/licenses/nonexclusive-distrib/1.0/", "arXiv-nonexclusive-distrib-1.0", False),
        ("http://arxiv.org/licenses/assumed-1991-2003/", "arXiv-assumed-1991-2003", False),
        ("http://example.org/licenses/by/4.0/", "", False),
        ("", "", False),
    ],
)
def test_licences_are_known_by_their_uri(uri: str, name: str, redistributable: bool) -> None:
    assert licence_of(uri) == Licence(name, uri, redistributable)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("A. Bee, C. Dee and E. Eff", ("A. Bee", "C. Dee", "E. Eff")),
        ("A. Bee (1 and 2), C. Dee (2) ((1) Here, (2) There)", ("A. Bee", "C. Dee")),
        ("Anders Andersson, and Bo Sandberg", ("Anders Andersson", "Bo Sandberg")),
        ("", ()),
    ],
)
def test_authors_are_told_from_affiliations(text: str, names: tuple[str, ...]) -> None:
    assert authors_of(text) == names


def test_entities_and_document_types_are_not_read(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("noRecordsMatch")
    for entity in (f'SYSTEM "{secret}"', '"noRecordsMatch"'):
        body = (
            f"<!DOCTYPE OAI-PMH [<!ENTITY e {entity}>]>"
            '<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/"><error code="a">&e;</error></OAI-PMH>'
        )
        with pytest.raises(MalformedAnswerError):
            read_page(body.encode())


@given(st.binary(max_size=300))
def test_any_answer_is_read_or_malformed(body: bytes) -> None:
    start = b'<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/"><ListRecords>'
    for answer in (body, start + body, start + body + b"</ListRecords></OAI-PMH>"):
        try:
            read_page(answer)
        except MalformedAnswerError as error:
            assert "\n" not in str(error)


def rendering(pages: int = 1, log: str = "", tail: str = "", error: SourceError | None = None) -> Rendering:
    verdict = Verdict.RENDERED if error is None else Verdict.COMPILE_ERROR
    pictures = (Picture(b"", 1, 1),) if error is None else ()
    return Rendering(verdict, pictures=pictures, total_pages=pages, log=LogExcerpt(log, tail), error=error)


def test_renderings_that_are_no_references_are_told() -> None:
    piece = Piece("table", "a.tex", (0, 1), b"a", "a", 1)

    def reason(one: Rendering) -> Reason | None:
        fault = reference_fault(piece, one)
        return fault.reason if fault else None

    assert reason(rendering(log="Overfull \\hbox (19.9pt too wide) in paragraph")) is None
    assert reason(rendering(log="Overfull \\hbox (20.5pt too wide) in paragraph")) is Reason.OVERFULL
    assert reason(rendering(tail="Overfull \\vbox (210.0pt too high) has occurred")) is Reason.OVERFULL
    assert reason(rendering(pages=2)) is Reason.SEVERAL_PAGES
    undefined = SourceError(
        "Undefined control sequence.", ErrorKind.UNDEFINED_COMMAND, undefined=Undefined("foo")
    )
    assert reason(rendering(error=undefined)) is Reason.UNDEFINED_COMMAND
    assert reason(rendering(error=SourceError("Missing $ inserted."))) is None
