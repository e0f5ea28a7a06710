"""One source to one picture, with the documents and repairs of the benchmark."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from i2s_sdk.clients.render import AsyncRenderClient
from i2s_sdk.errors import UnknownNameError
from i2s_sdk.profile import Profile
from i2s_sdk.render_types import Crop, PageOptions, Rendering
from i2s_sdk.settings import Settings
from i2s_sdk.stack.blocking import run_blocking
from i2s_sdk.stack.logs import passing_logs
from i2s_sdk.stack.services import RENDER_LATEX, open_services
from i2s_sdk.tasks import Repair, Structure, render_with_repairs_async
from i2s_sdk.tasks.latex import LatexDocument, LatexTask, preamble_files

#: Engines that this version can render with.
ENGINES = ("latex",)

_CLASS = re.compile(r"^[^%\n]*\\document(?:class|style)\b", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class RenderedSource:
    """What became of a source.

    Attributes:
        rendering: The last one.
        repairs: Made before it.
        document: The document that was rendered last.
    """

    rendering: Rendering
    repairs: tuple[Repair, ...]
    document: str

    @property
    def png(self) -> bytes | None:
        """The picture, where there is one."""
        return self.rendering.pictures[0].png if self.rendering.verdict.has_picture else None


def is_document(source: str) -> bool:
    r"""Return whether LaTeX code is a document of its own: it has a ``\documentclass`` outside a comment."""
    return _CLASS.search(source) is not None


def render(
    source: str,
    *,
    engine: str = "latex",
    profile: Profile | str | None = None,
    repair: bool = True,
    dpi: float | None = None,
    page: int = 1,
    whole_page: bool = False,
    settings: Settings | None = None,
) -> RenderedSource:
    r"""Render LaTeX code.

    Code with a ``\documentclass`` is rendered as it is, without repairs. Anything else is taken as the answer
    of a model is: it gets the preamble of the profile, equations lose their numbers, and what the engine
    refuses is repaired as the profile has it.

    >>> render(r"\[ e^{i\pi} + 1 = 0 \]").png  # doctest: +SKIP

    Args:
        source: LaTeX code.
        engine: "latex".
        profile: The rule book; None takes that of the settings.
        repair: Whether refused code that is no document is repaired.
        dpi: Resolution; None is that of the benchmark, 200.
        page: The page that is shown, counted from 1.
        whole_page: Keep the page as it is: no cut at the foot, no crop.
        settings: None reads environment and configuration file.

    Raises:
        UnknownNameError: There is no such engine.
        StackError: The renderer cannot be started.
        ServiceError: It does not answer.
    """
    if engine not in ENGINES:
        raise UnknownNameError("engine", engine, ENGINES)
    settings = settings or Settings.load()
    task = LatexTask(Profile(profile or settings.profile))
    options = replace(task.page(), first_page=page)
    if dpi is not None:
        options = replace(options, dpi=dpi)
    if whole_page:
        options = replace(options, crop=Crop.NONE, cut_bottom=0.0)
    return run_blocking(_with_renderer(task, source, options, repair, settings))


async def _with_renderer(
    task: LatexTask, source: str, page: PageOptions, repair: bool, settings: Settings
) -> RenderedSource:
    with passing_logs() as logs:
        async with open_services(settings, logs, (RENDER_LATEX,), preamble_files()) as services:
            return await render_source(services.renderer, task, source, page, repair)


async def render_source(
    renderer: AsyncRenderClient, task: LatexTask, source: str, page: PageOptions, repair: bool
) -> RenderedSource:
    """Render LaTeX code with a renderer at hand; see ``render``."""
    if is_document(source):
        return RenderedSource(await renderer.render_latex(source, page=page), (), source)

    async def once(document: LatexDocument) -> Rendering:
        return await renderer.render_latex(document.source, page=page)

    document = task.document(Structure(source))
    if not repair:
        return RenderedSource(await once(document), (), document.source)
    attempts = await render_with_repairs_async(task, document, once)
    return RenderedSource(attempts.last, attempts.repairs, attempts.document.source)
