"""A language that no package here describes is rendered at the address of the renderer that says it does."""

from __future__ import annotations

import asyncio

import click
import pytest

from i2s.render.v1 import render_pb2 as pb
from i2s_sdk.cli.render import render_command
from i2s_sdk.errors import ServiceUnavailableError, UnknownNameError, UsageError
from i2s_sdk.settings import Settings
from i2s_sdk.single.render import RenderedSource, render
from served_gateway import renderer

AWAY = "render-away=127.0.0.1:1"


async def draws(request: pb.RenderRequest, context: object) -> pb.RenderResponse:
    """Answer with the path of the file and its content as the message."""
    files = {file.path: file.content.decode() for file in request.generic.files}
    return pb.RenderResponse(
        id=request.id, verdict=pb.VERDICT_NO_OUTPUT, message=f"{request.generic.entry}: {files}"
    )


async def rendered(language: str, others: str) -> RenderedSource:
    settings = Settings(other_renderers=others, start_seconds=0.5, retry_seconds=0.5)
    return await asyncio.to_thread(render, language, "graph {}", settings=settings)


async def test_the_renderer_at_an_address_is_asked_for_its_languages() -> None:
    async with renderer(draws, languages=["dot"]) as address:
        drawn = await rendered("dot", f"{AWAY},render-dot={address}")
        with pytest.raises(UnknownNameError, match=r"no language is called 'tikz'.* dot,"):
            await rendered("tikz", f"render-dot={address}")
        with pytest.raises(ServiceUnavailableError, match=r"127\.0\.0\.1:1"):
            await rendered("tikz", f"{AWAY},render-dot={address}")
    assert drawn.rendering.message == "source.dot: {'source.dot': 'graph {}'}"


def test_the_command_line_has_a_command_for_a_language_that_only_an_address_can_know(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    context = click.Context(render_command)
    with pytest.raises(UnknownNameError):
        render_command.get_command(context, "dot")
    monkeypatch.setenv("I2S_OTHER_RENDERERS", "render-dot=127.0.0.1:7791")
    command = render_command.get_command(context, "dot")
    assert command is not None
    assert "--dpi" in {flag for param in command.params for flag in param.opts}
    latex = render_command.get_command(context, "latex")
    assert latex is not None
    assert "--engine" in {flag for param in latex.params for flag in param.opts}
    completed = click.Context(render_command, resilient_parsing=True)
    assert render_command.get_command(completed, "do") is None


def test_files_that_a_source_cannot_have_are_refused() -> None:
    with pytest.raises(UsageError, match="render-lilypond: its sources have no files"):
        render("lilypond", "{ c }", files={"a.ly": b"x"}, settings=Settings())
