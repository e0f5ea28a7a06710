"""Read the objects of a figure that the process of a program has written down, and may have made up."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import fields, is_dataclass

from pydantic import TypeAdapter, ValidationError

from i2s_wire.render.figure import Figure

#: The most of anything in one list, and of letters in one text.
MAX_ITEMS, MAX_LETTERS = 10_000, 10_000
#: The most bytes that are parsed at all; settings of the service permit fewer.
MAX_BYTES = 16 * 2**20
#: The most letters of the path of a field, or of what is wrong with it, in an error.
MAX_PLACE = 200
_MAX_WHOLE = 2**32 - 1
_adapter: TypeAdapter[Figure] = TypeAdapter(Figure)


class FigureError(ValueError):
    """The bytes are no description of a figure."""


def read_figure(content: bytes) -> Figure:
    """Return the objects of a figure.

    Args:
        content: JSON, in which fields have the names of ``i2s_wire.render.figure`` and enumerations their
            numbers. Fields that have defaults may be left out, unknown ones are passed over.

    Raises:
        FigureError: It is none; says what is wrong.
    """
    if len(content) > MAX_BYTES:
        raise FigureError(f"it has {len(content)} bytes, more than {MAX_BYTES}")
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
    indices = (*(one.axes for one in figure.texts), *(one.axes for one in figure.marks))
    if any(index is not None and index >= len(figure.axes) for index in indices):
        raise FigureError("a text or mark is of axes that are not there")
    return figure


def _values(one: object) -> Iterator[object]:
    """Yield all values of a figure that are of no class of ours."""
    if is_dataclass(one):
        for field in fields(one):
            yield from _values(getattr(one, field.name))
    elif isinstance(one, tuple):
        if len(one) > MAX_ITEMS:
            raise FigureError(f"a list has {len(one)} items, more than {MAX_ITEMS}")
        for item in one:
            yield from _values(item)
    else:
        yield one


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
