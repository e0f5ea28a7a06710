"""Options of a request, read from the wire; what several renderers share."""

from __future__ import annotations

import enum
import math
from collections.abc import Iterable
from dataclasses import replace
from typing import Any, Protocol, TypeVar

from i2s.render.v1 import render_pb2 as pb
from i2s_chassis.errors import InvalidArgumentError
from i2s_chassis.renderer.model import ResolvedPageOptions

_MAX_DPI = 2400.0
_MAX_PAGES = 100_000
_GROUPS = ("page", "window", "latex", "site", "lilypond", "python")

E = TypeVar("E", bound=enum.IntEnum)
P = TypeVar("P", bound=ResolvedPageOptions)


class _Message(Protocol):
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
    for name in _GROUPS:
        if name not in own and message.HasField(name):  # type: ignore[arg-type]
            raise InvalidArgumentError(f"options.{name}", f"has no meaning for {what}; leave it out")


def whole_number(message: _Message, name: str, path: str, default: int, most: int = _MAX_PAGES) -> int:
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
