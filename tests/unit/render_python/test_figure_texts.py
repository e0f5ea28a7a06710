"""Texts and axes of figures that were drawn with matplotlib."""

from __future__ import annotations

import datetime

import matplotlib.pyplot as plt
import numpy as np
import pytest

from i2s_wire.render.figure import Figure, TextRole


def by_role(figure: Figure) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for text in figure.texts:
        found.setdefault(text.role.name, []).append(text.text)
    return found


def ink(figure: Figure, picture: np.ndarray, text: str, background: int = 255) -> bool:
    """Return whether something dark is in the middle part of the box of a text."""
    [found] = [one for one in figure.texts if one.text == text]
    height, width = picture.shape[:2]
    rows = slice(int(found.box.y * height), int((found.box.y + found.box.height) * height) + 1)
    columns = slice(int(found.box.x * width), int((found.box.x + found.box.width) * width) + 1)
    part = picture[rows, columns].min(axis=-1)
    return bool(part.size) and int(part.min()) < background // 2


def test_texts_have_roles(drawn):
    drawing, axes = plt.subplots()
    axes.plot([0, 1], [0, 1], label="entry")
    axes.set(title="title", xlabel="x", ylabel="$y^2$", xticks=[0, 1], yticks=[0.5], xticklabels=["p", "q"])
    axes.legend(title="legend")
    axes.text(0.5, 0.5, "words")
    axes.table([["cell"]])
    drawing.suptitle("figure")
    figure, picture = drawn(drawing)
    assert by_role(figure) == {
        "TITLE": ["title"],
        "X_LABEL": ["x"],
        "Y_LABEL": ["$y^2$"],
        "X_TICK": ["p", "q"],
        "Y_TICK": ["0.5"],
        "LEGEND_TITLE": ["legend"],
        "LEGEND_ENTRY": ["entry"],
        "TABLE_CELL": ["cell"],
        "TEXT": ["words"],
        "FIGURE_TITLE": ["figure"],
    }
    assert [text.axes for text in figure.texts if text.role is TextRole.FIGURE_TITLE] == [None]
    assert all(ink(figure, picture, text.text) for text in figure.texts)
    assert figure.axes[0].legend is not None


def test_texts_have_colour_size_and_rotation(drawn):
    drawing = plt.figure()
    drawing.text(0.5, 0.5, "t", color="red", alpha=0.5, size=20, rotation=30)
    [text] = drawn(drawing)[0].texts
    assert (text.color, text.size, text.rotation) == ("#ff000080", 20, 30)


def test_texts_of_3d_are_where_they_were_drawn(drawn):
    drawing = plt.figure()
    axes = drawing.add_subplot(projection="3d")
    axes.text(1, 2, 3, "in space")
    axes.set(xlim=(0, 10), ylim=(0, 10), zlim=(0, 10), zlabel="depth", xticks=[3], yticks=[4], zticks=[5])
    figure, picture = drawn(drawing)
    assert by_role(figure)["X_TICK"] == ["3"]
    assert by_role(figure)["Z_LABEL"] == ["depth"]
    assert all(ink(figure, picture, text.text) for text in figure.texts)


def test_the_box_of_an_annotation_is_that_of_its_words(drawn):
    drawing, axes = plt.subplots()
    axes.annotate("words", (0, 0), (0.8, 0.8), arrowprops={"arrowstyle": "->"})
    axes.annotate("of a point out of view", (5, 5), xycoords="data", annotation_clip=True)
    axes.set(xlim=(0, 1), ylim=(0, 1))
    [text] = [one for one in drawn(drawing)[0].texts if one.role is TextRole.TEXT]
    assert text.text == "words"
    assert text.box.width < 0.15


def test_anchored_texts_are_texts(drawn):
    from matplotlib.offsetbox import AnchoredText

    drawing, axes = plt.subplots()
    axes.add_artist(AnchoredText("anchored", loc=2))
    figure, picture = drawn(drawing)
    assert by_role(figure)["TEXT"] == ["anchored"]
    assert ink(figure, picture, "anchored")


def test_invisible_and_empty_texts_are_left_out(drawn):
    drawing, axes = plt.subplots()
    axes.set_axis_off()
    axes.set(title=" ", xlabel="x")
    axes.text(0.5, 0.5, "hidden", visible=False)
    axes.text(0.5, 0.5, "clear", alpha=0)
    assert drawn(drawing)[0].texts == ()


def test_axes_have_scales_limits_and_cells_of_their_grid(drawn):
    drawing, axes = plt.subplots(2, 2)
    axes[0, 0].set(xscale="log", xlim=(1, 100), ylim=(5, -5))
    axes[0, 1].bar(["a", "b"], [1, 2])
    axes[1, 0].plot([datetime.date(2024, 1, day) for day in (1, 2)], [1, 2])
    axes[1, 1].grid(True)
    axes[1, 1].set_facecolor("red")
    figure, _ = drawn(drawing)
    first, second, third, fourth = figure.axes
    assert (first.x.scale, first.x.first, first.x.last) == ("log", 1, 100)
    assert (first.y.first, first.y.last) == (5, -5)
    assert second.x.scale == "category"
    assert 19722 < third.x.first < 19724
    assert (fourth.grid, first.grid, fourth.color) == (True, False, "#ff0000ff")
    assert [(axis.rows, axis.columns, axis.first_row, axis.first_column) for axis in figure.axes] == [
        (2, 2, 0, 0),
        (2, 2, 0, 1),
        (2, 2, 1, 0),
        (2, 2, 1, 1),
    ]
    assert first.box.y < third.box.y


@pytest.mark.parametrize(("projection", "has_z"), [("polar", False), ("3d", True), ("rectilinear", False)])
def test_axes_have_their_projection(drawn, projection, has_z):
    drawing, _ = plt.subplots(subplot_kw={"projection": projection})
    [axes] = drawn(drawing)[0].axes
    assert (axes.projection, axes.z is not None, axes.frame) == (projection, has_z, True)


def test_colour_bars_insets_and_twins_are_axes(drawn):
    drawing, axes = plt.subplots()
    drawing.colorbar(axes.imshow([[1, 2]]), label="scale")
    axes.twinx().plot([1, 2])
    axes.inset_axes([0.5, 0.5, 0.2, 0.2]).plot([1, 2])
    figure, _ = drawn(drawing)
    assert sorted(axis.colorbar for axis in figure.axes) == [False, False, False, True]
    assert by_role(figure)["Y_LABEL"] == ["scale"]
    assert all(mark.axes is not None for mark in figure.marks)


def test_sub_figures_are_part_of_their_figure(drawn):
    drawing = plt.figure()
    left, right = drawing.subfigures(1, 2)
    left.suptitle("left")
    right.subplots().set_title("right")
    figure, picture = drawn(drawing)
    assert by_role(figure)["FIGURE_TITLE"] == ["left"]
    assert ink(figure, picture, "left")
    assert ink(figure, picture, "right")
