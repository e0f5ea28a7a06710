"""Answers of renderers as messages of ``i2s.render.v1``. Texts must be valid Unicode."""

from __future__ import annotations

from dataclasses import asdict

from i2s.render.v1 import render_pb2 as pb
from i2s_wire.render import figure_to_wire
from i2s_wire.render.isolation import Isolation, PolicyEvent
from i2s_wire.render.rendering import Engine, LogExcerpt, Picture, Rendering, Stage
from i2s_wire.render.resources import Limits, Usage
from i2s_wire.render.site import SiteResult
from i2s_wire.render.source_error import SourceError


def rendering(answer: Rendering, request_id: str = "") -> pb.RenderResponse:
    """Return the answer to a request.

    Args:
        answer: What became of the source.
        request_id: Identifier of the request.

    Raises:
        ValueError: A text holds a lone surrogate.
    """
    return pb.RenderResponse(
        id=request_id,
        verdict=pb.Verdict.ValueType(answer.verdict),
        message=answer.message,
        pictures=[_picture(one) for one in answer.pictures],
        total_pages=answer.total_pages,
        error=_error(answer.error) if answer.error is not None else None,
        log=_log(answer.log),
        stages=[stage(one) for one in answer.stages],
        usage=usage(answer.usage),
        limits=limits(answer.limits),
        isolation=isolation(answer.isolation),
        engine=engine(answer.engine),
        policy_events=[policy_event(one) for one in answer.policy_events],
        site=_site(answer.site) if answer.site is not None else None,
        figures=[figure_to_wire.figure(one) for one in answer.figures],
        lilypond_backend=pb.LilypondBackend.ValueType(
            answer.lilypond_backend or pb.LILYPOND_BACKEND_UNSPECIFIED
        ),
    )


def limits(one: Limits) -> pb.Limits:
    """Return limits as the wire has them."""
    return pb.Limits(
        cpu_seconds=one.cpu_seconds,
        wall_seconds=one.wall_seconds,
        memory_bytes=one.memory_bytes,
        processes=one.processes,
        file_bytes=one.file_bytes,
        disk_bytes=one.disk_bytes,
        inodes=one.inodes,
        pages=one.pages,
        pixels=one.pixels,
        log_bytes=one.log_bytes,
        picture_bytes=one.picture_bytes,
    )


def isolation(one: Isolation) -> pb.Isolation:
    """Return a sandbox as the wire has it."""
    return pb.Isolation(tier=pb.IsolationTier.ValueType(one.tier), mechanisms=one.mechanisms)


def engine(one: Engine) -> pb.Engine:
    """Return a program as the wire has it."""
    return pb.Engine(name=one.name, version=one.version, digest=one.digest)


def usage(one: Usage) -> pb.Usage:
    """Return what was used as the wire has it."""
    return pb.Usage(
        wall_seconds=one.wall_seconds,
        cpu_seconds=one.cpu_seconds,
        peak_memory_bytes=one.peak_memory_bytes,
        peak_processes=one.peak_processes,
        waited_seconds=one.waited_seconds,
    )


def stage(one: Stage) -> pb.Stage:
    """Return one step of a job as the wire has it."""
    return pb.Stage(name=one.name, usage=usage(one.usage), detail=one.detail)


def policy_event(event: PolicyEvent) -> pb.PolicyEvent:
    """Return what was prevented as the wire has it."""
    return pb.PolicyEvent(kind=pb.PolicyKind.ValueType(event.kind), detail=event.detail, count=event.count)


def _picture(picture: Picture) -> pb.Picture:
    return pb.Picture(
        png=picture.png,
        width=picture.width,
        height=picture.height,
        page=picture.page,
        sha256=picture.sha256,
        text=picture.text,
    )


def _log(log: LogExcerpt) -> pb.LogExcerpt:
    return pb.LogExcerpt(head=log.head, tail=log.tail, total_bytes=log.total_bytes)


def _error(error: SourceError) -> pb.SourceError:
    undefined = None
    if error.undefined is not None:
        providers = [
            pb.Provider(kind=pb.ProviderKind.ValueType(one.kind), name=one.name)
            for one in error.undefined.providers
        ]
        undefined = pb.Undefined(name=error.undefined.name, providers=providers)
    return pb.SourceError(
        message=error.message,
        line=error.line,
        file=error.file,
        kind=pb.ErrorKind.ValueType(error.kind),
        undefined=undefined,
        context=error.context,
    )


def _site(site: SiteResult) -> pb.SiteResult:
    return pb.SiteResult(
        title=site.title,
        text=site.text,
        console=[pb.ConsoleEntry(level=one.level, text=one.text) for one in site.console],
        elements=[pb.Element(**asdict(one)) for one in site.elements],
        settled=site.settled,
        jekyll=site.jekyll,
        missing=site.missing,
        warnings=site.warnings,
        left_out=site.left_out,
    )
