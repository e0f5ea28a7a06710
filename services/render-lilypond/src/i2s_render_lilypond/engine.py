"""The engine: a jail, a converter, and warm processes that stand ready."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import AsyncIterator
from dataclasses import replace

from i2s_chassis.errors import WarmError
from i2s_chassis.jail import Isolation, Jail, Usage
from i2s_chassis.limits import Limits
from i2s_chassis.renderer.bounds import bounded_log, limits_left
from i2s_chassis.renderer.verdict import Judgement
from i2s_chassis.server.telemetry import Telemetry
from i2s_chassis.warm.pool import WarmPool, open_pool
from i2s_render_lilypond.converter import ConvertedScore, ScoreConverter, open_converter
from i2s_render_lilypond.installation import LilypondInstallation
from i2s_render_lilypond.job_folder import (
    ColdScoreFolder,
    ScoreFolder,
    WarmScoreFolder,
    included,
    open_zygote,
)
from i2s_render_lilypond.model import LilypondJob, LilypondRendering
from i2s_render_lilypond.pages import RenderedPages, ScoreDrawing
from i2s_render_lilypond.score import SCORE, complaint, disk_complaint
from i2s_render_lilypond.settings import LilypondSettings
from i2s_wire.render.rendering import Verdict


class LilypondEngine:
    """Renders scores.

    Attributes:
        installation: What images are made with.
        zygotes: LilyPonds that stand ready; None if every one is started anew.
        converters: Convert-lys that stand ready, likewise.
    """

    def __init__(
        self,
        settings: LilypondSettings,
        jail: Jail,
        installation: LilypondInstallation,
        *,
        zygotes: WarmPool | None = None,
        converters: WarmPool | None = None,
    ) -> None:
        self._settings, self._jail = settings, jail
        self._converter = ScoreConverter(jail, installation, converters)
        self.installation, self.zygotes, self.converters = installation, zygotes, converters

    @property
    def isolation(self) -> Isolation:
        """The isolation that jobs run in."""
        return self._jail.isolation

    async def render(self, job: LilypondJob) -> LilypondRendering:
        """Render a score.

        Raises:
            RendererError: The fault of an engine.
            JailError: A fault of the jail.
        """
        wrong = complaint(job.score, max_bytes=self._settings.score_bytes)
        if wrong is not None:
            return LilypondRendering(Verdict.INVALID_INPUT, wrong, backend=job.options.backend)
        full = disk_complaint(job.score, job.limits)
        if full is not None:
            return LilypondRendering(Verdict.OUTPUT_LIMIT, full, backend=job.options.backend)
        converted = await self._converter.convert(job)
        if converted.judgement is not None:
            return _refused(job, converted, converted.judgement)
        spent = sum((stage.usage for stage in converted.stages), Usage())
        job = replace(job, score=converted.score)
        return _rendering(job, converted, await self._render_pages(job, limits_left(job.limits, spent)))

    async def _render_pages(self, job: LilypondJob, limits: Limits) -> RenderedPages:
        """Make the images, with a warm process if one can serve the job."""
        zygotes = self.zygotes
        if zygotes is not None and not job.options.cold and zygotes.settings.fit(job.limits):
            with contextlib.suppress(WarmError):  # lost: the job gets a process of its own
                async with self._warm(zygotes, job, limits) as job_folder:
                    return await ScoreDrawing(job_folder, job.options, job.limits).render()
        async with self._cold(job, limits) as job_folder:
            return await ScoreDrawing(job_folder, job.options, job.limits).render()

    @contextlib.asynccontextmanager
    async def _warm(self, zygotes: WarmPool, job: LilypondJob, limits: Limits) -> AsyncIterator[ScoreFolder]:
        include = included(job.options)
        async with zygotes.lease() as (zygote, folder):
            job_folder = WarmScoreFolder(zygote, folder, self.installation, limits, include)
            await job_folder.stand({SCORE: job.score})
            yield job_folder

    @contextlib.asynccontextmanager
    async def _cold(self, job: LilypondJob, limits: Limits) -> AsyncIterator[ScoreFolder]:
        readable = self.installation.readable
        async with self._jail.cell(limits, {SCORE: job.score}, readable=readable) as cell:
            yield ColdScoreFolder(cell, self.installation, limits, included(job.options))


def _refused(job: LilypondJob, converted: ConvertedScore, judgement: Judgement) -> LilypondRendering:
    return LilypondRendering(
        verdict=judgement.verdict,
        message=judgement.message,
        error=converted.error,
        log=bounded_log(converted.log, job.limits.log_bytes),
        stages=converted.stages,
        events=converted.events,
        backend=job.options.backend,
    )


def _rendering(job: LilypondJob, converted: ConvertedScore, rendered: RenderedPages) -> LilypondRendering:
    judgement = rendered.judgement or Judgement(Verdict.NO_OUTPUT, "")
    return LilypondRendering(
        verdict=judgement.verdict,
        message=judgement.message,
        pictures=tuple(rendered.pictures),
        total_pages=rendered.total_pages,
        error=rendered.error,
        log=bounded_log(rendered.log, job.limits.log_bytes),
        stages=(*converted.stages, *rendered.stages),
        events=(*converted.events, *rendered.events),
        backend=job.options.backend,
        notes=rendered.notes,
    )


@contextlib.asynccontextmanager
async def open_engine(
    jail: Jail,
    installation: LilypondInstallation,
    settings: LilypondSettings,
    *,
    slots: int = 1,
    telemetry: Telemetry | None = None,
) -> AsyncIterator[LilypondEngine]:
    """Give an engine; its processes end with the context.

    Args:
        jail: The jail that jobs run in.
        installation: What images are made with.
        settings: What an operator decided.
        slots: Jobs at the same time.
        telemetry: The metrics that count warm processes.

    Raises:
        StartError: There can be no zygote here, and there must be.
        JailError: A fault of the jail.
    """
    zygote = functools.partial(open_zygote, jail, installation)
    converter = functools.partial(open_converter, jail, installation)
    async with (
        open_pool("zygote", zygote, settings, required=True, slots=slots, telemetry=telemetry) as zygotes,
        open_pool("converter", converter, settings, slots=slots, telemetry=telemetry) as converters,
    ):
        yield LilypondEngine(settings, jail, installation, zygotes=zygotes, converters=converters)
