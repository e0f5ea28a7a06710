"""Which renderer a request by HTTP is for: that of its kind of source, or of its language."""

from __future__ import annotations

import pytest

from i2s.render.v1 import render_pb2 as pb
from i2s_gateway import operations
from i2s_gateway.guard import GatewayError
from i2s_gateway.operations import renderer_for
from i2s_wire.render.request import GenericSource
from i2s_wire.renderer import RendererSpec
from i2s_wire.renderers import RENDER_LATEX

DOT = RendererSpec(
    name="render-dot",
    title="Graphviz renderer",
    languages=("dot",),
    suffixes=(".dot",),
    port=7791,
    canary=GenericSource("dot", "a", {"a": b"graph { a }"}),
)


def test_the_kind_of_a_source_or_its_language_decides(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(operations, "languages", lambda: {"latex": RENDER_LATEX, "dot": DOT})
    assert renderer_for(pb.RenderRequest(latex=pb.LatexSource(document=b"x")), "") == "render-latex"
    dot = pb.RenderRequest(generic=pb.GenericSource(language="dot"))
    assert renderer_for(dot, "") == "render-dot"
    assert renderer_for(dot, "render-mine") == "render-mine"
    with pytest.raises(GatewayError, match="for the language 'latex'"):
        renderer_for(pb.RenderRequest(generic=pb.GenericSource(language="latex")), "")


def test_a_language_that_nothing_renders_and_a_request_without_source_are_told() -> None:
    with pytest.raises(GatewayError, match="no renderer is known for the language 'tikz'"):
        renderer_for(pb.RenderRequest(generic=pb.GenericSource(language="tikz")), "")
    with pytest.raises(GatewayError, match="one of latex, site, lilypond, python, generic"):
        renderer_for(pb.RenderRequest(), "")
