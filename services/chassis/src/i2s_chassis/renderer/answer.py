"""The answer of a renderer as the wire has it."""

from __future__ import annotations

from i2s.render.v1 import render_pb2 as pb
from i2s_chassis.renderer import wire
from i2s_chassis.renderer.model import Picture, Rendering, SourceError

_MAX_TEXT = 2048


def fill_answer(answer: pb.RenderResponse, rendering: Rendering, queue_seconds: float) -> None:
    """Write into an answer what came of its job.

    Args:
        answer: Holds what does not depend on that.
        rendering: What came of it.
        queue_seconds: How long it waited for a slot.
    """
    answer.verdict = pb.Verdict.ValueType(rendering.verdict)
    answer.message = wire.printable(rendering.message)[:_MAX_TEXT]
    answer.pictures.extend(_picture(picture) for picture in rendering.pictures)
    answer.total_pages = rendering.total_pages
    if rendering.error is not None:
        answer.error.CopyFrom(_error(rendering.error))
    answer.log.CopyFrom(wire.log_to_wire(rendering.log))
    answer.stages.append(wire.stage_to_wire("queue", wall_seconds=queue_seconds))
    answer.stages.extend(wire.stage_to_wire(one.name, one.usage, one.detail) for one in rendering.stages)
    answer.usage.CopyFrom(wire.usage_to_wire(rendering.usage))
    answer.policy_events.extend(wire.policy_events_to_wire(rendering.events))


def _picture(picture: Picture) -> pb.Picture:
    return pb.Picture(
        png=picture.png,
        width=picture.width,
        height=picture.height,
        page=picture.page,
        sha256=picture.sha256,
    )


def _error(error: SourceError) -> pb.SourceError:
    undefined = None
    if error.undefined is not None:
        providers = [
            pb.Provider(kind=pb.ProviderKind.ValueType(one.kind), name=one.name)
            for one in error.undefined.providers
        ]
        undefined = pb.Undefined(name=wire.printable(error.undefined.name), providers=providers)
    return pb.SourceError(
        message=wire.printable(error.message)[:_MAX_TEXT],
        line=error.line,
        file=wire.printable(error.file),
        kind=pb.ErrorKind.ValueType(error.kind),
        undefined=undefined,
        context=wire.printable(error.context),
    )
