"""Answers of renderers, read from messages of ``i2s.render.v1``."""

from __future__ import annotations

from dataclasses import fields

from i2s.render.v1 import render_pb2 as pb
from i2s_wire.errors import member
from i2s_wire.render import figure_from_wire
from i2s_wire.render.description import RendererDescription, WarmEngine
from i2s_wire.render.isolation import Isolation, IsolationTier, PolicyEvent, PolicyKind
from i2s_wire.render.options import LilypondBackend
from i2s_wire.render.rendering import Engine, LogExcerpt, Picture, Rendering, Stage, Verdict
from i2s_wire.render.resources import Limits, Usage
from i2s_wire.render.site import ConsoleEntry, Element, SiteResult
from i2s_wire.render.source_error import ErrorKind, Provider, ProviderKind, SourceError, Undefined


def rendering(answer: pb.RenderResponse) -> Rendering:
    """Return what a renderer answered.

    Raises:
        ContractError: The message holds something that the contract does not allow.
    """
    return Rendering(
        verdict=member(Verdict, answer.verdict, "verdict"),
        message=answer.message,
        pictures=tuple(
            Picture(one.png, one.width, one.height, one.page, one.sha256, one.text) for one in answer.pictures
        ),
        total_pages=answer.total_pages,
        error=_error(answer.error) if answer.HasField("error") else None,
        log=LogExcerpt(head=answer.log.head, tail=answer.log.tail, total_bytes=answer.log.total_bytes),
        stages=tuple(map(stage, answer.stages)),
        usage=usage(answer.usage),
        limits=limits(answer.limits),
        isolation=isolation(answer.isolation),
        engine=engine(answer.engine),
        policy_events=tuple(map(policy_event, answer.policy_events)),
        site=_site(answer.site) if answer.HasField("site") else None,
        figures=tuple(map(figure_from_wire.figure, answer.figures)),
        lilypond_backend=member(LilypondBackend, answer.lilypond_backend, "lilypond_backend")
        if answer.lilypond_backend
        else None,
    )


def description(answer: pb.DescribeResponse) -> RendererDescription:
    """Return what a renderer says of itself.

    Raises:
        ContractError: The message holds something that the contract does not allow.
    """
    return RendererDescription(
        service=answer.service,
        version=answer.version,
        engine=engine(answer.engine),
        versions=dict(sorted(answer.versions.items())),
        fonts_digest=answer.fonts_digest,
        isolation=isolation(answer.isolation),
        default_limits=limits(answer.default_limits),
        max_limits=limits(answer.max_limits),
        sources=tuple(answer.sources),
        max_request_bytes=answer.max_request_bytes,
        slots=answer.slots,
        queue=answer.queue,
        warm=tuple(WarmEngine(one.kind, one.name, one.jobs) for one in answer.warm),
        missing=tuple(answer.missing),
    )


def limits(message: pb.Limits) -> Limits:
    """Return limits as they were sent, unchecked: floats may be negative or not finite."""
    return Limits(**{field.name: getattr(message, field.name) for field in fields(Limits)})


def usage(message: pb.Usage) -> Usage:
    """Return what was used."""
    return Usage(**{field.name: getattr(message, field.name) for field in fields(Usage)})


def stage(message: pb.Stage) -> Stage:
    """Return one step of a job."""
    return Stage(message.name, usage(message.usage), message.detail)


def isolation(message: pb.Isolation) -> Isolation:
    """Return a sandbox; tier NONE if the message does not say.

    Raises:
        UnknownValueError: The tier is unknown.
    """
    if not message.tier:
        return Isolation()
    return Isolation(member(IsolationTier, message.tier, "isolation.tier"), tuple(message.mechanisms))


def engine(message: pb.Engine) -> Engine:
    """Return a program."""
    return Engine(message.name, message.version, message.digest)


def policy_event(message: pb.PolicyEvent) -> PolicyEvent:
    """Return what was prevented.

    Raises:
        UnknownValueError: The kind is unknown.
    """
    kind = member(PolicyKind, message.kind, "policy_events.kind")
    return PolicyEvent(kind, message.detail, max(1, message.count))


def _site(site: pb.SiteResult) -> SiteResult:
    return SiteResult(
        title=site.title,
        text=site.text,
        console=tuple(ConsoleEntry(one.level, one.text) for one in site.console),
        elements=tuple(_element(one) for one in site.elements),
        settled=site.settled,
        jekyll=site.jekyll,
        missing=tuple(site.missing),
        warnings=tuple(site.warnings),
        left_out=tuple(site.left_out),
    )


def _element(element: pb.Element) -> Element:
    return Element(**{field.name: getattr(element, field.name) for field in fields(Element)})


def _error(error: pb.SourceError) -> SourceError:
    kind = error.kind or pb.ERROR_KIND_OTHER
    undefined = None
    if error.HasField("undefined"):
        providers = tuple(
            Provider(member(ProviderKind, one.kind, "error.undefined.providers.kind"), one.name)
            for one in error.undefined.providers
        )
        undefined = Undefined(error.undefined.name, providers)
    return SourceError(
        message=error.message,
        kind=member(ErrorKind, kind, "error.kind"),
        line=error.line,
        file=error.file,
        undefined=undefined,
        context=error.context,
    )
