"""One LaTeX document, or an answer with LaTeX code, to one image."""

from __future__ import annotations

import re

from i2s_client.render import AsyncRenderClient
from i2s_sdk.reading import fenced_blocks
from i2s_sdk.settings import Settings
from i2s_sdk.single.render import (
    RenderedSource,
    attempted,
    member_named,
    page_options,
    structure_in,
    with_renderer,
)
from i2s_sdk.tasks.latex import LatexDocument, LatexTask
from i2s_wire.metrics.profile import Profile
from i2s_wire.render.options import LatexEngine, PageOptions
from i2s_wire.render.rendering import Rendering
from i2s_wire.renderers import RENDER_LATEX

_CLASS = re.compile(r"^[^%\n]*\\document(?:class|style)\b", re.MULTILINE)


def is_document(source: str) -> bool:
    r"""Return whether LaTeX code is a document of its own: it has a ``\documentclass`` outside a comment."""
    return _CLASS.search(source) is not None


def render_latex(
    source: str,
    *,
    profile: Profile | str | None = None,
    repair: bool = True,
    dpi: float | None = None,
    page: int = 1,
    whole_page: bool = False,
    engine: LatexEngine | str | None = None,
    settings: Settings | None = None,
) -> RenderedSource:
    r"""Render LaTeX code in its jail.

    >>> render_latex(r"\[ e^{i\pi} + 1 = 0 \]").png  # doctest: +SKIP

    A document is rendered as it is. Anything else is taken as the answer of a model: it is read as a run
    reads it, gets the preamble of the profile, and what the engine refuses is repaired.

    Args:
        source: LaTeX code, or the answer of a model.
        profile: Profile whose rules are followed; None takes that of the settings.
        repair: Whether refused code that is not a document is repaired.
        dpi: Resolution; None is that of the benchmark, 200.
        page: The page that is shown, counted from 1.
        whole_page: Keep the page as it is: no cut at the foot, no crop.
        engine: "pdflatex" (None), "lualatex" or "xelatex".
        settings: None reads environment and configuration file.

    Raises:
        UnknownNameError: There is no such engine.
        UsageError: The source is an answer without LaTeX.
        StackError: The renderer cannot be started.
        ServiceError: It does not answer; or the engine is not installed there.
    """
    settings = settings or Settings.load()
    tex = member_named("engine", LatexEngine, engine) if engine is not None else None
    task = LatexTask(Profile(profile or settings.profile))
    options = page_options(task.page(), dpi, page, whole_page)

    async def work(renderer: AsyncRenderClient) -> RenderedSource:
        return await render_source(renderer, task, source, options, repair, tex)

    return with_renderer(RENDER_LATEX.name, work, settings)


async def render_source(
    renderer: AsyncRenderClient,
    task: LatexTask,
    source: str,
    page: PageOptions,
    repair: bool,
    engine: LatexEngine | None = None,
) -> RenderedSource:
    """Render LaTeX code with a renderer at hand; see ``render_latex``."""
    if is_document(source) and not fenced_blocks(source):
        return RenderedSource(await renderer.render_latex(source, page=page, engine=engine), (), source)

    async def once(document: LatexDocument) -> Rendering:
        return await renderer.render_latex(document.source, page=page, engine=engine)

    return await attempted(task, task.document(structure_in(task, source)), source, once, repair)
