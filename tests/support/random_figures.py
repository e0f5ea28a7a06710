"""Figures of any kind, for tests of properties."""

from __future__ import annotations

from hypothesis import strategies as st

from i2s_wire.render.figure import Axes, Axis, Call, Figure, FigureBox, FigureText, Mark, MarkKind, TextRole

numbers = st.floats(allow_nan=False, allow_infinity=False)
boxes = st.builds(FigureBox, *[st.floats(0, 1) | numbers] * 4)
columns = st.lists(numbers, max_size=5).map(tuple)
colors = st.lists(st.integers(0, 2**32 - 1).map("#{:08x}".format), max_size=4).map(tuple)
axes = st.builds(
    Axes,
    box=boxes,
    projection=st.sampled_from(("rectilinear", "polar", "3d")),
    x=st.builds(Axis, st.sampled_from(("linear", "log")), numbers, numbers),
    rows=st.integers(0, 3),
    columns=st.integers(0, 3),
    colorbar=st.booleans(),
)
texts = st.builds(FigureText, st.text(max_size=4), st.sampled_from(TextRole), box=boxes)
marks = st.builds(
    Mark,
    st.sampled_from(MarkKind),
    st.none() | st.integers(0, 3),
    x=columns,
    y=columns,
    z=columns,
    sizes=columns,
    colors=colors,
    edge_colors=colors,
    line_width=numbers,
    total=st.integers(0, 9),
    box=st.none() | boxes,
)
calls = st.builds(Call, st.sampled_from(("Axes.bar", "Axes.plot")), st.integers(1, 3))
#: Figures with any of everything.
figures = st.builds(
    Figure,
    axes=st.lists(axes, max_size=3).map(tuple),
    texts=st.lists(texts, max_size=5).map(tuple),
    marks=st.lists(marks, max_size=5).map(tuple),
    calls=st.none() | st.lists(calls, max_size=3, unique_by=lambda one: one.function).map(tuple),
)
