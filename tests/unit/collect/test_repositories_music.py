"""Scores are cut out of LilyPond sources, and works of IMSLP are listed without taking any."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fake_sources.exchange import FakeSource
from fake_sources.github import FakeGithub
from fake_sources.music import sample_mutopia
from fake_sources.server import FakeServer, fake_server
from fake_sources.small_sites import score, score_repositories
from i2s_collect.candidates import Dropped, Fetched, Licence, Piece, Reason, SourceDocument, Window
from i2s_collect.github import GithubApi, GithubWaits
from i2s_collect.music import GithubScoresSource, MutopiaSource
from i2s_collect.music.imslp_api import file_blocks
from i2s_collect.music.lilypond_sources import MAX_CHARACTERS, cut_scores, read_lilypond, score_fault
from i2s_collect.music.mutopia import date_from, licence_from, read_sources
from i2s_collect.web.client import HttpWeb, WebCache
from i2s_collect.web.manners import HostGaps, Manners
from i2s_wire.render.rendering import Rendering, Verdict

OCTOBER = Window(date(2026, 10, 1), date(2026, 10, 31))


class World:
    """Servers and a client that waits without waiting."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        self._folder, self._stack = folder, stack

    def open(self, source: FakeSource) -> tuple[FakeServer, HttpWeb]:
        server = self._stack.enter_context(fake_server(source))
        web = HttpWeb(
            WebCache(self._folder / "http"),
            HostGaps(self._folder / "hosts", lambda seconds: None),
            "ann@example.org",
            "1.0",
            {server.host: Manners(0.0, GithubWaits())},
            sleep=lambda seconds: None,
        )
        return server, self._stack.enter_context(web)


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    with ExitStack() as stack:
        yield World(tmp_path, stack)


def pieces(text: str) -> list[Piece]:
    return [
        cut_score for cut_score in cut_scores("music", "a.ly", text.encode()) if isinstance(cut_score, Piece)
    ]


def reasons(text: str, *neighbours: str) -> list[Reason]:
    found = cut_scores("music", "a.ly", text.encode(), neighbours)
    return [one.reason for one in found if isinstance(one, Dropped)]


def test_a_file_with_one_score_is_a_piece_as_it_is() -> None:
    (found,) = pieces(score(0))
    assert found.structure.decode() == score(0).strip() == found.text
    assert (found.member, found.span, found.length) == ("a.ly", (0, len(score(0))), 0)


def test_each_of_several_scores_is_a_piece_without_the_others() -> None:
    text = "é = { c'4 }\n\\score { { a'4 } }\n\\book { \\score { { b'4 } } \\score { { c'4 } \\midi { } } }\n"
    one, other = pieces(text)
    assert "a'4" in one.text
    assert "b'4" not in one.text
    assert "b'4" in other.text
    assert "a'4" not in other.text
    assert all("é" in piece.text and "\\midi" not in piece.text for piece in (one, other))
    assert text.encode()[slice(*one.span)].decode() == "\\score { { a'4 } }"
    assert text.encode()[slice(*other.span)].decode() == "\\score { { b'4 } }"
    assert "\\book {" in other.text


@pytest.mark.parametrize(
    "hidden",
    [
        "% \\score { { d'4 } }\n",
        "%{ \\score { { d'4 } } %}",
        'text = "\\\\score { { d } } \\" \\\\score {"',
        '#(define (f x) "\\\\score { " ; \\score {\n \'(#\\{ #\\( ))',
        "part = \\score { { d'4 } }",
        "\\markup { \\score { { d'4 } } }",
        "#(define m #{ \\score { { d'4 } } #})",
        "\\score { { d'4 } \\midi { } }",
    ],
)
def test_what_only_looks_like_a_printed_score_is_none(hidden: str) -> None:
    text = f"\\score {{ {{ a'4 }} }}\n{hidden}\n"
    found = read_lilypond(text + "\\score { { b'4 } }")
    assert [one.shown for one in found.scores].count(True) == 2
    assert len(pieces(text)) == 1


def test_sources_that_do_not_stand_alone_are_dropped() -> None:
    assert reasons('\\include "parts/notes.ily" { c\'4 }', "lib/notes.ily") == [Reason.INPUT_FILE]
    assert reasons('\\include "english.ly" { c\'4 }', "a.ly") == []
    assert reasons('{ c\'4^\\markup { \\epsfile #X #3 "a.eps" } }') == [Reason.PICTURE_FILE]
    assert reasons("melody = { c'4 d' }\n\\header { title = \"x\" }\n\\layout { }") == [Reason.NOTHING_TO_CUT]
    assert reasons("melody = \\relative c' { c4 }\n\\score { \\melody \\midi { } }") == [
        Reason.NOTHING_TO_CUT
    ]
    assert reasons("{ " + "c'4 " * MAX_CHARACTERS + "}") == [Reason.TOO_LONG]
    assert [
        cut_score.reason
        for cut_score in cut_scores("music", "a.ly", b"\xff\xfe")
        if isinstance(cut_score, Dropped)
    ] == [Reason.NO_SOURCE]


def test_music_outside_of_a_score_is_music() -> None:
    assert len(pieces("melody = { c'4 }\n\\new Staff \\melody")) == 0  # a variable alone opens no block
    assert len(pieces("melody = { c'4 }\n\\new Staff { \\melody }")) == 1
    assert len(pieces("<< { c'4 } { e'4 } >>")) == 1


def test_a_byte_order_mark_is_no_part_of_the_source() -> None:
    content = b"\xef\xbb\xbf\\score { { a'4 } }\n\\score { { b'4 } }"
    found = [cut_score for cut_score in cut_scores("music", "a.ly", content) if isinstance(cut_score, Piece)]
    assert [content[slice(*one.span)] for one in found] == [b"\\score { { a'4 } }", b"\\score { { b'4 } }"]


@given(
    st.lists(
        st.sampled_from(["\\score", "{", "}", "<<", ">>", '"', "%", "%{", "%}", "#(", ")", "=", "a", "\n"])
    )
)
def test_any_text_is_read_and_scores_lie_within_it(parts: list[str]) -> None:
    text = " ".join(parts)
    previous = 0
    for one in read_lilypond(text).scores:
        assert previous <= one.first < one.last <= len(text)
        assert text[one.first : one.last].startswith("\\score")
        assert text[one.last - 1] == "}"
        previous = one.last


def test_a_score_that_is_closed_by_another_sign_is_none() -> None:
    assert read_lilypond("\\score { >>").scores == ()
    assert [one.first for one in read_lilypond("\\score { >> \\score { a }").scores] == [12]


def test_a_source_of_many_open_braces_is_read_in_linear_time() -> None:
    assert read_lilypond("\\score { " * 100_000).scores == ()
    assert read_lilypond("#(" * 300_000).scores == ()


@pytest.mark.parametrize(("pages", "expected"), [(1, None), (2, Reason.SEVERAL_PAGES)])
def test_a_score_of_several_pages_is_no_reference(pages: int, expected: Reason | None) -> None:
    (piece,) = pieces(score(0))
    found = score_fault(piece, Rendering(Verdict.RENDERED, total_pages=pages))
    assert (found.reason if found else None) == expected


def test_scores_of_repositories_are_found_fetched_and_cut(world: World) -> None:
    server, web = world.open(FakeGithub())
    source = GithubScoresSource(GithubApi(server.url))
    found: dict[str, list[Piece | Dropped]] = {}
    for document in source.discover(OCTOBER, web):
        assert isinstance(document, SourceDocument)
        fetched = source.fetch(document, web)
        assert isinstance(fetched, Fetched)
        found[document.key] = list(source.cut(document, fetched.content))
    assert set(found) == {score_repository.full_name for score_repository in score_repositories()}
    kinds = {
        key: [one.member if isinstance(one, Piece) else one.reason for one in cut]
        for key, cut in found.items()
    }
    assert kinds == {
        "player0/scores": ["exercise.ly"],
        "player1/scores": ["first.ly", "second/second.ly"],
        "player2/scores": ["both.ly", "both.ly"],
        "player3/scores": [Reason.INPUT_FILE],
        "player4/scores": [Reason.NO_ROOT_FILE],
    }


def test_an_archive_that_is_none_is_dropped() -> None:
    document = SourceDocument("a/b", date(2026, 10, 1), "a", Licence(), "", (), "")
    for content in (b"", b"x", bytes(2000)):
        found = list(GithubScoresSource().cut(document, content))
        assert next(one.reason for one in found if isinstance(one, Dropped)) in (
            Reason.BAD_ARCHIVE,
            Reason.NO_ROOT_FILE,
        )


def test_pieces_of_mutopia_have_the_date_and_licence_of_their_header(world: World) -> None:
    server, web = world.open(sample_mutopia())
    source = MutopiaSource(GithubApi(server.url))
    found = list(source.discover(Window(date(2001, 1, 1), date(2020, 1, 1)), web))
    documents = {one.key: one for one in found if isinstance(one, SourceDocument)}
    assert {
        name.split("/")[2]: (document.day, document.licence.name) for name, document in documents.items()
    } == {
        "one": (date(2015, 3, 21), "Public Domain"),
        "two": (date(2016, 1, 17), "CC-BY-SA-4.0"),
        "three": (date(2001, 5, 2), "CC-BY-3.0"),
        "six": (date(2015, 3, 21), "Public Domain"),
    }
    assert {one.key.split("/")[2]: one.reason for one in found if isinstance(one, Dropped)} == {
        "four": Reason.MALFORMED,
        "five": Reason.MALFORMED,
    }
    asked = len(server.log)
    one = documents["ftp/NobodyA/one/one.ly"]
    fetched = MutopiaSource(source.api).fetch(one, web)
    assert len(server.log) == asked  # the archive was stored
    assert isinstance(fetched, Fetched)
    assert [type(piece) for piece in source.cut(one, fetched.content)] == [Piece]
    six = list(source.cut(documents["ftp/NobodyF/six/six.ly"], fetched.content))
    assert [piece.reason for piece in six if isinstance(piece, Dropped)] == [Reason.INPUT_FILE]
    assert not list(source.discover(OCTOBER, web))[2:]  # nothing is of this window


def test_an_archive_of_mutopia_that_is_none_stops_the_source(world: World) -> None:
    with pytest.raises(ValueError, match=r"is no \.tar\.gz"):
        read_sources(b"no archive")


@pytest.mark.parametrize(
    ("text", "name", "redistributable"),
    [
        ("Public Domain", "Public Domain", True),
        ("Creative Commons Attribution-ShareAlike 4.0", "CC-BY-SA-4.0", True),
        ("Creative Commons Attribution 3.0", "CC-BY-3.0", True),
        ("cc by-sa 2.5", "CC-BY-SA-2.5", True),
        (
            "Creative Commons Attribution-NonCommercial 4.0",
            "Creative Commons Attribution-NonCommercial 4.0",
            False,
        ),
        ("(c) 1999 Nobody", "(c) 1999 Nobody", False),
        ("", "", False),
    ],
)
def test_licences_of_headers_are_read(text: str, name: str, redistributable: bool) -> None:
    found = licence_from(text)
    assert (found.name, found.redistributable) == (name, redistributable)


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ({"footer": "Mutopia-2005/05/24-560", "lastupdated": "2001/1/1"}, date(2005, 5, 24)),
        ({"lastupdated": "2005/May/4"}, date(2005, 5, 4)),
        ({"lastupdated": "24/August/2005"}, date(2005, 8, 24)),
        ({"lastupdated": "2005-02-31"}, None),
        ({"lastupdated": "0/Foo/0"}, None),
        ({}, None),
    ],
)
def test_dates_of_headers_are_read(header: dict[str, str], expected: date | None) -> None:
    assert date_from(header) == expected


@given(
    st.lists(
        st.sampled_from(["{{#fte:imslpfile\n", "{{", "}}", "|File Name 1=a.pdf\n", "|Page Count 1=-3\n"])
    )
)
def test_any_wikitext_is_read(parts: list[str]) -> None:
    for block in file_blocks("".join(parts)):
        assert block.pages == 0
        assert block.day is None
