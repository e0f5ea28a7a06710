"""Conversions between the wire of the renderers and the domain, the same for every engine."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, fields

from i2s.render.v1 import render_pb2 as pb
from i2s_chassis.errors import InvalidArgumentError
from i2s_chassis.jail.model import Excerpt, Isolation, PolicyEvent, PolicyKind, Usage
from i2s_chassis.limits import Limits, LimitTable

MAX_POLICY_EVENTS = 100
MAX_DETAIL = 500

_REPLACEMENT = 0xFFFD
# Unicode block Control Pictures: U+2400 + n shows the control character n, U+2421 shows DEL.
_VISIBLE = {code: 0x2400 + code for code in range(0x20) if chr(code) not in "\t\n"} | {0x7F: 0x2421}
# C1 controls, and what reorders the text around it (Unicode Standard Annex 9, section 2).
_HIDDEN = [*range(0x80, 0xA0), 0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A)]
# Halves of characters, as a script of a page can make them: protobuf takes no string that holds one.
_SURROGATES = range(0xD800, 0xE000)
_SHOWN = _VISIBLE | dict.fromkeys([*_HIDDEN, *_SURROGATES], _REPLACEMENT)


def limits_from_wire(message: pb.Limits, table: LimitTable) -> Limits:
    """Return the limits in force for a request: its wishes, defaults elsewhere, clamped.

    Raises:
        InvalidArgumentError: A value is negative or not finite; names the field.
    """
    try:
        return table.resolve({field.name: getattr(message, field.name) for field in fields(Limits)})
    except ValueError as error:
        field, _, reason = str(error).partition(": ")
        raise InvalidArgumentError(field, reason) from None


def limits_to_wire(limits: Limits) -> pb.Limits:
    """Return the limits as the wire has them."""
    return pb.Limits(**asdict(limits))


def usage_to_wire(usage: Usage) -> pb.Usage:
    """Return what was used as the wire has it."""
    return pb.Usage(**asdict(usage))


def stage_to_wire(
    name: str, usage: Usage | None = None, detail: str = "", *, wall_seconds: float = 0.0
) -> pb.Stage:
    """Return one stage; ``wall_seconds`` alone for a stage that ran no program."""
    return pb.Stage(name=name, usage=usage_to_wire(usage or Usage(wall_seconds=wall_seconds)), detail=detail)


def isolation_to_wire(isolation: Isolation) -> pb.Isolation:
    """Return the walls as the wire has them."""
    return pb.Isolation(tier=pb.IsolationTier.ValueType(isolation.tier), mechanisms=isolation.mechanisms)


def policy_events_to_wire(events: Iterable[PolicyEvent]) -> list[pb.PolicyEvent]:
    """Return what was prevented: equal events merged, the first 100 kinds of event, details bounded."""
    merged: Counter[tuple[PolicyKind, str]] = Counter()
    for event in events:
        merged[event.kind, event.detail] += event.count
    return [
        pb.PolicyEvent(kind=pb.PolicyKind.ValueType(kind), detail=printable(detail[:MAX_DETAIL]), count=count)
        for (kind, detail), count in list(merged.items())[:MAX_POLICY_EVENTS]
    ]


def log_to_wire(excerpt: Excerpt) -> pb.LogExcerpt:
    """Return a log that came from an untrusted job, made printable."""
    return pb.LogExcerpt(
        head=printable(excerpt.head), tail=printable(excerpt.tail), total_bytes=excerpt.total_bytes
    )


def printable(raw: bytes | str) -> str:
    """Return text that can be sent and shown anywhere; every text of a job goes through here to the wire.

    Bytes that are not UTF-8 and lone surrogates become U+FFFD; control characters but tab and line feed
    become their Unicode control pictures; characters that reorder what stands around them become U+FFFD.
    """
    text = raw.decode(errors="replace") if isinstance(raw, bytes) else raw
    return text.translate(_SHOWN)
