"""The objects of a figure of matplotlib as data, in the form of ``i2s_wire.render.figure``.

Runs in the process of the program, with nothing but matplotlib and numpy. Whatever a program has done to its
figure, this must not fail: what cannot be described is left out. Names of fields and numbers of enumerations
are those of the wire; a test compares them.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from i2s_render_python.inside.figure_objects.frames import describe_axes
from i2s_render_python.inside.figure_objects.marks import marks_of_axes, marks_of_figure
from i2s_render_python.inside.figure_objects.text_sizes import Sizes
from i2s_render_python.inside.figure_objects.texts import texts_of_axes, texts_of_figure
from i2s_render_python.inside.figure_objects.values import Object, Values

#: The most axes, texts and marks of one figure.
MAX_AXES, MAX_TEXTS, MAX_MARKS = 200, 5000, 2000


def describe(
    figure: Figure, page: int, sizes: Sizes | None = None, calls: Callable[[], list[Object]] | None = None
) -> Object:
    """Return the objects of a figure that has been drawn.

    Args:
        figure: The figure.
        page: Number of its picture.
        sizes: Sizes of its texts, from when it was drawn; None if they are not known.
        calls: Returns the calls of plotting functions so far; None if they are not known.

    Returns:
        The fields of ``i2s_wire.render.figure.Figure``, ready for JSON: less than 4 MiB of it, by the bounds
        here and in ``values``, and no number that is not finite.
    """
    try:
        return {**_described(figure, page, sizes), **({"calls": calls()} if calls is not None else {})}
    except Exception:  # figures of programs do anything
        return {"page": page, "truncated": True}


def _described(figure: Figure, page: int, sizes: Sizes | None) -> Object:
    values = Values(figure, sizes)
    every_axes = list(_with_insets(figure.axes))
    truncated = len(every_axes) > MAX_AXES
    del every_axes[MAX_AXES:]
    axes: list[Object] = []
    texts: list[Object] = []
    marks: list[Object] = []
    for index, one in enumerate(every_axes):
        axes.append(describe_axes(one, values))
        if one.get_visible():
            truncated |= _collect(texts, texts_of_axes(one, values), MAX_TEXTS, index)
            truncated |= _collect(marks, marks_of_axes(one, values), MAX_MARKS, index)
    truncated |= _collect(texts, texts_of_figure(figure, values), MAX_TEXTS, None)
    truncated |= _collect(marks, marks_of_figure(figure, values), MAX_MARKS, None)
    width, height = figure.get_size_inches()
    return {
        "page": page,
        "width_inches": values.number(width),
        "height_inches": values.number(height),
        "dpi": values.number(figure.dpi),
        "axes": axes,
        "texts": texts,
        "marks": marks,
        "truncated": truncated or values.truncated,
    }


def _with_insets(axes: Iterable[Axes]) -> Iterator[Axes]:
    """Yield axes, each with those that are set into it; axes of colour bars that are set in count too."""
    for one in axes:
        yield one
        yield from _with_insets(one.child_axes)


def _collect(into: list[Object], part: Iterable[Object], most: int, axes: int | None) -> bool:
    """Add the objects of a part as long as there is room; returns whether some were left out."""
    with contextlib.suppress(Exception):  # artists of programs do anything
        for one in part:
            if len(into) == most:
                return True
            into.append({**one, "axes": axes} if axes is not None else one)
    return False
