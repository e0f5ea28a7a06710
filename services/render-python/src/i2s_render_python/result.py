"""The result that the process of a program delivered, figures included; the program may have forged it."""

from __future__ import annotations

import hmac
import math
from collections.abc import Iterator
from dataclasses import dataclass, fields, is_dataclass
from typing import Annotated

from pydantic import Field, TypeAdapter, ValidationError

from i2s_chassis.warm.result import MAX_RESULT_BYTES, Number, Page, Part, ResultError, Text, cut, read_head
from i2s_wire.render.figure import Figure

_DIGITS = 9


class ProgramError(Part):
    """The exception that ended a program."""

    #: Name of its class.
    type: Text
    #: Its words.
    text: Text
    #: Line of ``file``, from 1; 0 if none is known.
    line: Number = 0
    #: File that the line is in; empty if none is known.
    file: Text = ""
    #: The text of that line.
    context: Text = ""
    #: The name that is not defined, or the module that was imported, if it is about one.
    name: Text = ""
    #: Whether there is no such module.
    missing: bool = False
    #: Whether the program could not be read.
    syntax: bool = False
    #: The module in which the exception was raised; empty if none is known.
    module: Text = ""


class DrawnFigure(Part):
    """A figure that was drawn: its number from 1, and whether its objects were written."""

    page: Page
    objects: bool


class Result(Part):
    """The result of a program."""

    #: Number of figures that count.
    total: Number
    #: Figures that were drawn.
    figures: Annotated[tuple[DrawnFigure, ...], Field(max_length=1000, strict=False)]
    #: The exception that ended it.
    error: ProgramError | None = None
    #: Width and height of an image that was not drawn because it is too large.
    pixels: Annotated[tuple[float, float] | None, Field(strict=False)] = None


class _Head(Part):
    """What a delivery begins with: the token of its job, the result, and the sizes of its parts."""

    token: Text
    result: Result
    parts: Annotated[dict[str, Number], Field(max_length=2000)]


@dataclass(frozen=True, slots=True)
class Delivery:
    """What the process of a program delivered."""

    result: Result
    #: Images and descriptions of objects, by name; see ``figure`` and ``objects``.
    parts: dict[str, bytes]

    def figure(self, page: int) -> bytes:
        """Return an image; empty if there is none."""
        return self.parts.get(f"figure-{page}", b"")

    def objects(self, page: int) -> bytes:
        """Return the description of the objects of a figure; empty if there is none."""
        return self.parts.get(f"objects-{page}", b"")


def read_delivery(content: bytes, token: str) -> Delivery:
    """Return a delivery: the length of its head as a line, the head as JSON, and its parts in their order.

    Raises:
        ResultError: It is none, or has another token; says why.
    """
    if not content:
        raise ResultError("it delivered nothing")
    length, newline, rest = content.partition(b"\n")
    if not newline or not length.isdigit() or len(length) > _DIGITS or int(length) > MAX_RESULT_BYTES:
        raise ResultError("the delivery has no head")
    at = int(length)
    head = read_head(_Head, rest[:at])
    if not hmac.compare_digest(head.token.encode("utf-8", "replace"), token.encode()):
        raise ResultError("the delivery is not that of this job")
    parts = dict(zip(head.parts, cut(rest[at:], head.parts.values()), strict=True))
    return Delivery(head.result, parts)


#: The most of anything in one list, and of letters in one text.
MAX_ITEMS, MAX_LETTERS = 10_000, 10_000
#: The most bytes that are parsed at all; settings of the service permit fewer.
MAX_FIGURE_BYTES = 16 * 2**20
#: The most letters of the path of a field, or of what is wrong with it, in an error.
MAX_PLACE = 200
_MAX_WHOLE = 2**32 - 1
_adapter: TypeAdapter[Figure] = TypeAdapter(Figure)


class FigureError(ValueError):
    """The bytes are not the description of a figure."""


def read_figure(content: bytes, max_bytes: int = MAX_FIGURE_BYTES) -> Figure:
    """Return the objects of a figure.

    Args:
        content: JSON, in which fields have the names of ``i2s_wire.render.figure`` and enumerations their
            numbers. Fields that have defaults may be left out, unknown ones are passed over.
        max_bytes: The most that it may have, at most MAX_FIGURE_BYTES.

    Raises:
        FigureError: It is none; says what is wrong.
    """
    most = min(max_bytes, MAX_FIGURE_BYTES)
    if len(content) > most:
        raise FigureError(f"it has {len(content)} bytes, more than {most}")
    try:
        figure: Figure = _adapter.validate_json(content, strict=True)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        place = ".".join(map(str, first["loc"])) or "the whole"
        raise FigureError(f"{place[:MAX_PLACE]}: {first['msg'][:MAX_PLACE]}") from None
    except RecursionError:
        raise FigureError("it is nested too deeply") from None
    for value in _values(figure):
        _check(value)
    indices = (*(text.axes for text in figure.texts), *(mark.axes for mark in figure.marks))
    if any(index is not None and index >= len(figure.axes) for index in indices):
        raise FigureError("a text or mark is of axes that are not there")
    return figure


def _values(part: object) -> Iterator[object]:
    """Yield all values of a figure that are of no class of ours."""
    if is_dataclass(part):
        for field in fields(part):
            yield from _values(getattr(part, field.name))
    elif isinstance(part, tuple):
        if len(part) > MAX_ITEMS:
            raise FigureError(f"a list has {len(part)} items, more than {MAX_ITEMS}")
        for item in part:
            yield from _values(item)
    else:
        yield part


def _check(value: object) -> None:
    if isinstance(value, float) and not math.isfinite(value):
        raise FigureError("a number is not finite")
    if isinstance(value, int) and not 0 <= value <= _MAX_WHOLE:
        raise FigureError(f"{value} is no number from 0 to {_MAX_WHOLE}")
    if isinstance(value, str):
        if len(value) > MAX_LETTERS:
            raise FigureError(f"a text has {len(value)} letters, more than {MAX_LETTERS}")
        if any("\ud800" <= letter <= "\udfff" for letter in value):
            raise FigureError("a text is not valid Unicode")
