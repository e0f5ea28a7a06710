"""Which renderer a request by HTTP is for: that of its kind of source, or of its language."""

from __future__ import annotations

import asyncio

import httpx
import pytest

from i2s.render.v1 import render_pb2 as pb
from i2s_gateway import operations
from i2s_gateway.gateway import run_gateway
from i2s_gateway.guard import GatewayError
from i2s_gateway.operations import Backends, renderer_for
from i2s_gateway.settings import GatewaySettings
from i2s_sdk.settings import Settings
from i2s_wire.render.request import GenericSource
from i2s_wire.renderer import RendererSpec
from i2s_wire.renderers import RENDER_LATEX
from served_gateway import renderer, served

DOT = RendererSpec(
    name="render-dot",
    title="Graphviz renderer",
    languages=("dot",),
    suffixes=(".dot",),
    port=7791,
    canary=GenericSource("dot", "a", {"a": b"graph { a }"}),
)


NOTHING = Backends({}, GatewaySettings())
GRAPH = {"generic": {"language": "dot", "entry": "a", "files": [{"path": "a", "content_text": "graph {}"}]}}


async def test_the_kind_of_a_source_or_its_language_decides(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(operations, "languages", lambda: {"latex": RENDER_LATEX, "dot": DOT})
    latex = pb.RenderRequest(latex=pb.LatexSource(document=b"x"))
    assert await renderer_for(latex, "", NOTHING, ()) == "render-latex"
    dot = pb.RenderRequest(generic=pb.GenericSource(language="dot"))
    assert await renderer_for(dot, "", NOTHING, ()) == "render-dot"
    assert await renderer_for(dot, "render-mine", NOTHING, ()) == "render-mine"
    with pytest.raises(GatewayError, match="for the language 'latex'"):
        await renderer_for(pb.RenderRequest(generic=pb.GenericSource(language="latex")), "", NOTHING, ())


async def test_a_language_that_nothing_renders_and_a_request_without_source_are_told() -> None:
    with pytest.raises(GatewayError, match="no renderer is known for the language 'tikz'"):
        await renderer_for(pb.RenderRequest(generic=pb.GenericSource(language="tikz")), "", NOTHING, ())
    with pytest.raises(GatewayError, match="one of latex, site, lilypond, python, generic"):
        await renderer_for(pb.RenderRequest(), "", NOTHING, ())


async def draws(request: pb.RenderRequest, context: object) -> pb.RenderResponse:
    """Answer with the language of the source as the message."""
    return pb.RenderResponse(verdict=pb.VERDICT_RENDERED, message=request.generic.language)


@pytest.mark.parametrize("names", [("render-dot",), ()])
async def test_a_renderer_that_is_known_by_its_address_alone_gets_sources_in_its_languages(
    names: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    if not names:  # of the services of this project none is started for a test
        monkeypatch.setattr("i2s_gateway.gateway.service_names", lambda: ())
    ready: asyncio.Future[tuple[tuple[str, ...], str]] = asyncio.get_running_loop().create_future()
    async with renderer(draws, languages=["dot"]) as address:
        gateway = run_gateway(
            names,
            Settings(other_renderers=f"render-dot={address}"),
            GatewaySettings(listen="127.0.0.1:0"),
            None,
            lambda *served: ready.set_result(served),
        )
        serving = asyncio.create_task(gateway)
        try:
            await asyncio.wait({serving, ready}, return_when=asyncio.FIRST_COMPLETED)
            if serving.done():
                await serving
            behind, url = await ready
            assert behind == ("render-dot",)
            async with httpx.AsyncClient(base_url=url) as client:
                drawn = await client.post("/v1/render", json=GRAPH)
                unknown = await client.post("/v1/render", json={"generic": {"language": "tikz"}})
        finally:
            serving.cancel()
            await asyncio.gather(serving, return_exceptions=True)
    assert (drawn.status_code, drawn.json().get("message")) == (200, "dot"), drawn.text
    assert (unknown.status_code, unknown.json()["error"]["status"]) == (501, "UNIMPLEMENTED")


async def test_a_language_is_asked_for_once_and_an_absent_renderer_may_have_another() -> None:
    described = 0

    async def counted(request: pb.RenderRequest, context: object) -> pb.RenderResponse:
        nonlocal described
        described += not request.HasField("generic")
        return await draws(request, context)

    async with (
        renderer(counted, languages=["dot"]) as address,
        served({"render-dot": address, "render-away": "127.0.0.1:1"}) as url,
        httpx.AsyncClient(base_url=url) as client,
    ):
        for _ in range(2):
            assert (await client.post("/v1/render", json=GRAPH)).status_code == 200
        absent = await client.post("/v1/render", json={"generic": {"language": "tikz"}})
    assert absent.status_code == 503
    assert described == 2  # for "dot", and for "tikz"
