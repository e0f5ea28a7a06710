"""Requests and answers of renderers, from and to the types of the wire; the same for every engine.

Limits and the options that several renderers share are read. In answers texts are printable, paths short and
numbers bounded: folders of the installation and of the sandbox say nothing to readers.
"""

from __future__ import annotations

import enum
import hashlib
import math
import re
import sys
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from typing import Any, Protocol, TypeVar

from i2s.render.v1 import render_pb2 as pb
from i2s_chassis.errors import InvalidArgumentError
from i2s_chassis.jail import model as jail
from i2s_chassis.jail.model import fields_of
from i2s_chassis.jail.plan import WORK_IN_NAMESPACE
from i2s_chassis.limits import Limits, LimitTable
from i2s_chassis.renderer.bounds import ReceivedSource
from i2s_chassis.renderer.model import RawRendering, ResolvedPageOptions
from i2s_wire.codec import decode
from i2s_wire.render import resources
from i2s_wire.render.isolation import Isolation, IsolationTier, PolicyEvent, PolicyKind
from i2s_wire.render.rendering import Engine, LogExcerpt, Picture, Rendering, Stage
from i2s_wire.render.request import File
from i2s_wire.render.resources import Usage
from i2s_wire.render.source_error import SourceError, Undefined

MAX_POLICY_EVENTS = 100
MAX_DETAIL = 500
#: Characters of a message.
MAX_TEXT = 2048

_MAX_ID_BYTES = 256
_REPLACEMENT = 0xFFFD
# Unicode block Control Pictures: U+2400 + n shows the control character n, U+2421 shows DEL.
_VISIBLE = {code: 0x2400 + code for code in range(0x20) if chr(code) not in "\t\n"} | {0x7F: 0x2421}
# C1 controls, and what reorders the text around it (Unicode Standard Annex 9, section 2).
_HIDDEN = [*range(0x80, 0xA0), 0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A)]
# Halves of characters, as a script of a page can make them: protobuf takes no string that holds one.
_SURROGATES = range(0xD800, 0xE000)
_SHOWN = _VISIBLE | dict.fromkeys([*_HIDDEN, *_SURROGATES], _REPLACEMENT)


def check_id(text: str, field: str = "id") -> None:
    """Check the id of a request or of a part of one.

    Raises:
        InvalidArgumentError: It is longer than 256 bytes.
    """
    if len(text.encode()) > _MAX_ID_BYTES:
        raise InvalidArgumentError(field, f"is longer than {_MAX_ID_BYTES} bytes")


def limits_from_wire(message: pb.Limits, table: LimitTable) -> Limits:
    """Return the limits in force for a request: its wishes, defaults elsewhere, clamped.

    Raises:
        InvalidArgumentError: A value is negative or not finite; names the field.
    """
    try:
        return table.resolve(fields_of(decode(message, resources.Limits)))
    except ValueError as error:
        field, _, reason = str(error).partition(": ")
        raise InvalidArgumentError(field, reason) from None


def files_from_wire(files: Iterable[pb.File]) -> tuple[File, ...]:
    """Return the files of a source, unchecked."""
    return tuple(File(file.path, file.content) for file in files)


def source_from_wire(message: pb.GenericSource) -> ReceivedSource:
    """Return a generic source, unchecked; see ``bounds.source_complaint``."""
    return ReceivedSource(message.language, message.entry, files_from_wire(message.files))


def wire_limits(limits: Limits) -> resources.Limits:
    """Return limits in force in the type of the wire."""
    return resources.Limits(**fields_of(limits))


def wire_usage(usage: jail.Usage) -> resources.Usage:
    """Return what was used in the type of the wire."""
    return resources.Usage(**fields_of(usage))


def wire_isolation(isolation: jail.Isolation) -> Isolation:
    """Return the sandbox in the type of the wire."""
    return Isolation(IsolationTier(isolation.tier), isolation.mechanisms)


def wire_policy_events(events: Iterable[jail.PolicyEvent]) -> tuple[PolicyEvent, ...]:
    """Return what was prevented: equal events merged, the first 100 kinds of event, details bounded."""
    merged: Counter[tuple[jail.PolicyKind, str]] = Counter()
    for event in events:
        merged[event.kind, event.detail] += event.count
    return tuple(
        PolicyEvent(PolicyKind(kind), printable(detail[:MAX_DETAIL]), count)
        for (kind, detail), count in list(merged.items())[:MAX_POLICY_EVENTS]
    )


def wire_log(excerpt: jail.Excerpt) -> LogExcerpt:
    """Return a log that came from an untrusted job, made printable."""
    return LogExcerpt(printable(excerpt.head), printable(excerpt.tail), excerpt.total_bytes)


def printable(raw: bytes | str) -> str:
    """Return text that can be sent and shown anywhere; every text of a job goes through here to the wire.

    Bytes that are not UTF-8 and lone surrogates become U+FFFD; control characters but tab and line feed
    become their Unicode control images; characters that reorder what stands around them become U+FFFD.
    """
    text = raw.decode(errors="replace") if isinstance(raw, bytes) else raw
    return text.translate(_SHOWN)


_MAX_DPI = 2400.0
_MAX_PAGES = 100_000
_OPTION_GROUPS = tuple(field.name for field in pb.RenderOptions.DESCRIPTOR.fields)

E = TypeVar("E", bound=enum.IntEnum)
P = TypeVar("P", bound=ResolvedPageOptions)


class _OptionMessage(Protocol):
    def HasField(self, field_name: Any, /) -> bool: ...  # noqa: N802, ANN401 - as protobuf has it


def refuse_foreign(message: pb.RenderOptions, own: Iterable[str], what: str) -> None:
    """Refuse options that are of another renderer.

    Args:
        message: All options.
        own: Names of the groups that have a meaning here.
        what: What is rendered here, in the plural.

    Raises:
        InvalidArgumentError: There are some; names the group.
    """
    for name in _OPTION_GROUPS:
        if name not in own and message.HasField(name):  # type: ignore[arg-type]
            raise InvalidArgumentError(f"options.{name}", f"has no meaning for {what}; leave it out")


def whole_number(message: _OptionMessage, name: str, path: str, default: int, most: int = _MAX_PAGES) -> int:
    """Return a whole number from 1 on, the default if it is not given.

    Raises:
        InvalidArgumentError: It is out of range.
    """
    if not message.HasField(name):
        return default
    value: int = getattr(message, name)
    if not 1 <= value <= most:
        field = f"{path}.{name}" if path else name
        raise InvalidArgumentError(field, f"{value} is not from 1 to {most}")
    return value


def chosen(value: int, default: E, field: str) -> E:
    """Return a value of an enumeration, the default for 0.

    Raises:
        InvalidArgumentError: It has no such value.
    """
    if value == 0:
        return default
    try:
        return type(default)(value)
    except ValueError:
        raise InvalidArgumentError(field, f"{value} is none of its values") from None


def page_from_wire(page: pb.PageOptions, default: P) -> P:
    """Return what a request asks of pages, defaults elsewhere.

    Raises:
        InvalidArgumentError: A value has no meaning; names the field.
    """
    dpi = page.dpi if page.HasField("dpi") else default.dpi
    if not (math.isfinite(dpi) and 0 < dpi <= _MAX_DPI):
        raise InvalidArgumentError("options.page.dpi", f"{dpi} is not above 0 and at most {_MAX_DPI:g}")
    cut = page.cut_bottom if page.HasField("cut_bottom") else default.cut_bottom
    if not 0 <= cut < 1:
        raise InvalidArgumentError("options.page.cut_bottom", f"{cut} is not from 0 to below 1")
    return replace(
        default,
        dpi=dpi,
        first_page=whole_number(page, "first_page", "options.page", default.first_page),
        page_count=whole_number(page, "page_count", "options.page", default.page_count),
        cut_bottom=cut,
        crop=chosen(page.crop, default.crop, "options.page.crop"),
        blank_page=chosen(page.blank_page, default.blank_page, "options.page.blank_page"),
    )


def answer_of(
    raw: RawRendering, queue_seconds: float, *, limits: Limits, isolation: jail.Isolation, engine: Engine
) -> Rendering:
    """Return the answer to a job.

    Args:
        raw: What came of it.
        queue_seconds: How long it waited for a slot.
        limits: Limits in force for it.
        isolation: The sandbox that it ran in.
        engine: What it ran on.
    """
    return Rendering(
        verdict=raw.verdict,
        message=_shown(raw.message),
        pictures=tuple(map(_with_digest, raw.pictures)),
        total_pages=raw.total_pages,
        error=_error(raw.error) if raw.error is not None else None,
        log=wire_log(raw.log),
        stages=(
            Stage("queue", Usage(wall_seconds=queue_seconds)),
            *(Stage(stage.name, wire_usage(stage.usage), stage.detail) for stage in raw.stages),
        ),
        usage=wire_usage(raw.usage),
        limits=wire_limits(limits),
        isolation=wire_isolation(isolation),
        engine=engine,
        policy_events=wire_policy_events(raw.events),
    )


def _shown(message: str) -> str:
    return with_short_paths(printable(message))[:MAX_TEXT]


def _with_digest(image: Picture) -> Picture:
    return replace(image, sha256=hashlib.sha256(image.png).hexdigest())


def _error(error: SourceError) -> SourceError:
    undefined = error.undefined
    if undefined is not None:
        undefined = Undefined(printable(undefined.name), undefined.providers)
    return replace(
        error,
        message=_shown(error.message),
        file=printable(error.file),
        undefined=undefined,
        context=printable(error.context),
    )


_INSTALLED = {"/usr/share", "/usr/lib", "/usr/local/lib", "/var/lib", sys.prefix, sys.base_prefix} - {
    "/",
    "/usr",
}
# A work folder, outside of namespaces one of a jail, and in it the folder of a job of a warm process.
_WORK = rf"(?:{WORK_IN_NAMESPACE}|(?:/[\w.-]{{1,100}}){{1,9}}/i2s-jail-\w+/[\w-]+)(?:/job\d+)?"
_PATH = re.compile(
    rf"(?<![\w./~-])(?:(?P<work>{_WORK})|{'|'.join(map(re.escape, sorted(_INSTALLED, reverse=True)))})"
    r"(?![\w.-])"
    # What ends a path in the messages of engines, beside white space.
    r"(?P<below>/[^\s'\"`:;,()<>]*)?"
)


def with_short_paths(text: str) -> str:
    """Return a message in which files of the installation and of the sandbox have their names alone."""
    return _PATH.sub(_short_path, text)


def _short_path(path: re.Match[str]) -> str:
    name = (path["below"] or "").rstrip("/").rpartition("/")[2]
    if path["work"]:
        return name or "."
    return name or path[0].rpartition("/")[2]
