"""One LilyPond score, or an answer with one, to one image."""

from __future__ import annotations

from dataclasses import replace

from i2s_client.render import AsyncRenderClient
from i2s_sdk.settings import Settings
from i2s_sdk.single.render import (
    RenderedSource,
    attempted,
    member_named,
    page_options,
    structure_in,
    with_renderer,
)
from i2s_sdk.tasks.music import LilypondDocument, MusicTask
from i2s_wire.metrics.profile import Profile
from i2s_wire.render.options import LilypondBackend
from i2s_wire.render.rendering import Rendering
from i2s_wire.renderers import RENDER_LILYPOND


def render_lilypond(
    source: str,
    *,
    profile: Profile | str | None = None,
    repair: bool = True,
    dpi: float | None = None,
    page: int = 1,
    whole_page: bool = False,
    backend: LilypondBackend | str | None = None,
    want_notes: bool = False,
    settings: Settings | None = None,
) -> RenderedSource:
    r"""Render a LilyPond score in its jail.

    Args:
        source: LilyPond code, or the answer of a model. Without ``\version`` it is taken as current syntax,
            and what fails so is converted from older versions (profile ``paper``).
        profile: Profile whose rules are followed; None takes that of the settings.
        repair: Whether older versions are tried.
        dpi: Resolution; None is that of the benchmark, 101.
        page: The page that is shown, counted from 1.
        whole_page: Keep the page as it is: no cut at the foot, no crop, footers and tagline on.
        backend: What draws the pages: "ghostscript" (None, and that of the benchmark) or "cairo", which takes
            less time and draws slightly different pixels.
        want_notes: Return the notes that were engraved too (``rendering.notes``).
        settings: None reads environment and configuration file.

    Raises:
        UnknownNameError: There is no such back end.
        UsageError: The source is an answer without LilyPond code.
        StackError: The renderer cannot be started.
        ServiceError: It does not answer; or its LilyPond was built without cairo.
    """
    settings = settings or Settings.load()
    task = MusicTask(Profile(profile or settings.profile))
    options = task.options()
    options = replace(options, page=page_options(options.page, dpi, page, whole_page))
    if whole_page:
        options = replace(options, lilypond=replace(options.lilypond, no_footers=False))
    if backend is not None:
        options = replace(
            options,
            lilypond=replace(options.lilypond, backend=member_named("back end", LilypondBackend, backend)),
        )

    options = replace(options, lilypond=replace(options.lilypond, want_notes=want_notes))
    structure = structure_in(task, source)

    async def work(renderer: AsyncRenderClient) -> RenderedSource:
        async def once(score: LilypondDocument) -> Rendering:
            return await renderer.render(replace(task.request(score), options=options))

        return await attempted(task, task.document(structure), source, once, repair)

    return with_renderer(RENDER_LILYPOND.name, work, settings)
