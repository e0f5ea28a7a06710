"""The description of a renderer: what follows from it, and what it cannot be."""

from __future__ import annotations

from dataclasses import replace

import pytest

from i2s_wire.render.request import GenericSource, LatexSource, LilypondSource, PythonSource, SiteSource
from i2s_wire.renderer import RendererSpec
from i2s_wire.renderers import RENDER_HTML, RENDER_LATEX, RENDER_LILYPOND, RENDER_PYTHON, RENDERER_SPECS

DOT = RendererSpec(
    name="render-dot",
    title="Graphviz renderer",
    languages=("dot", "gv"),
    suffixes=(".dot",),
    port=7791,
    canary=GenericSource("gv", "a", {"a": b"graph { a }"}),
    extra="fonts",
)


def test_its_names_follow_from_that_of_the_service() -> None:
    assert (DOT.command, DOT.package, DOT.module) == ("i2s-render-dot", "i2s-render-dot", "i2s_render_dot")
    assert (DOT.requirement, DOT.user) == ("i2s-render-dot[fonts]", 17_791)
    assert replace(DOT, distribution="dots").requirement == "dots[fonts]"


def test_a_text_becomes_a_source_of_the_type_of_its_renderer() -> None:
    files = {"b": b"2"}
    assert DOT.source_of(b"x", files) == GenericSource("dot", "source.dot", {"b": b"2", "source.dot": b"x"})
    assert RENDER_LATEX.source_of(b"x", files) == LatexSource(b"x", files)
    assert RENDER_PYTHON.source_of(b"x", files) == PythonSource(b"x", files)
    assert RENDER_LILYPOND.source_of(b"x") == LilypondSource(b"x")
    assert RENDER_HTML.source_of(b"x", files) == SiteSource({"index.html": b"x", "b": b"2"})
    with pytest.raises(ValueError, match="render-lilypond: its sources have no files"):
        RENDER_LILYPOND.source_of(b"x", files)
    assert all(renderer_spec.renders(renderer_spec.source_of(b"x")) for renderer_spec in RENDERER_SPECS)


def test_the_text_is_taken_where_a_file_has_its_path() -> None:
    assert RENDER_HTML.source_of(b"x", {"index.html": b"1"}) == SiteSource({"index.html": b"x"})
    assert DOT.source_of(b"x", {"source.dot": b"1"}) == GenericSource(
        "dot", "source.dot", {"source.dot": b"x"}
    )


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"name": "dot"}, "the name is not render-NAME"),
        ({"name": "render-Dot"}, "the name is not render-NAME"),
        ({"languages": ()}, "there is no language"),
        ({"languages": "dot", "canary": PythonSource(b"")}, "the languages are no tuple"),
        ({"languages": ("gv", "")}, "a language is no word"),
        ({"languages": ("gv", "Two words")}, "a language is no word"),
        ({"languages": ("gv", "-dot")}, "a language is no word"),
        ({"suffixes": ("dot",)}, "a suffix does not begin with a dot"),
        ({"suffixes": ()}, "there is no suffix"),
        ({"port": 80}, "the port is not from 1024"),
        ({"languages": ("dot",)}, "the canary is in another language"),
        ({"canary": GenericSource("dot", "b", {"a": b"x"})}, "or has no file of its entry"),
    ],
)
def test_a_description_without_meaning_says_why(changed: dict[str, object], reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        replace(DOT, **changed)
