"""Pages and their size before they are drawn."""

import pytest

from i2s_render_lilypond.backend import BACKENDS
from i2s_render_lilypond.paper import Paper, count_pages, read_count, read_paper
from i2s_wire.render.options import LilypondBackend

GHOSTSCRIPT, CAIRO = BACKENDS[LilypondBackend.GHOSTSCRIPT], BACKENDS[LilypondBackend.CAIRO]


def test_a4_at_the_default_resolution_has_lilyponds_own_pixels():
    paper = read_paper(b"595.2755905511812 841.8897637795277\n")
    assert GHOSTSCRIPT.size(paper, 101) == (835, 1181)


def test_cairo_begins_a_pixel_that_ghostscript_rounds_away():
    assert CAIRO.size(read_paper(b"595.2755905511812 841.8897637795277\n"), 101) == (836, 1181)


def test_enormous_paper_is_computed_and_not_made():
    assert GHOSTSCRIPT.size(Paper(1e6, 1e6), 101) == (1402778, 1402778)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"1 2",
        b"1 2 3\n",
        b"-1 2\n",
        b"nan 2\n",
        b"inf 1\n",
        b"1e999 1\n",
        b"0x10 1\n",
        b"1 1\n\n",
        b"a b\n",
    ],
)
def test_what_is_no_size_is_none(content):
    assert read_paper(content) is None


def test_pages_are_counted_from_the_header():
    assert (
        count_pages(b"%!PS-Adobe-3.0\n%%Creator: LilyPond 2.24.3\n%%Pages: 12\n%%PageOrder: Ascend\n") == 12
    )


@pytest.mark.parametrize(
    "header", [b"", b"%!PS\n%%Pages: (atend)\n", b"x %%Pages: 3\n", b"\n" * 20_000 + b"%%Pages: 3\n"]
)
def test_without_a_header_there_are_no_pages(header):
    assert count_pages(header) == 0


def test_the_number_of_pages_is_read_from_its_own_file():
    assert read_count(b"12\n") == 12


@pytest.mark.parametrize("content", [b"", b"12", b"-1\n", b"1\n2\n", b"1e3\n", b"9999999999\n"])
def test_what_is_no_number_of_pages_is_none(content):
    assert read_count(content) == 0
