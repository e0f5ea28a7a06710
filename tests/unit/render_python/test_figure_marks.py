"""Marks of figures that were drawn with matplotlib."""

from __future__ import annotations

import math

import matplotlib.pyplot as plt
import numpy as np
import pytest

from i2s_wire.render.figure import Mark, MarkKind


@pytest.fixture
def marks(drawn):
    """Return what draws with a function on new axes, and returns the marks."""

    def draw(function, **options) -> list[Mark]:
        drawing, axes = plt.subplots(subplot_kw=options)
        function(axes)
        return list(drawn(drawing)[0].marks)

    return draw


def kinds(found: list[Mark]) -> list[str]:
    return [mark.kind.name for mark in found]


def test_a_line_has_its_points_colour_style_and_label(marks):
    [line] = marks(lambda axes: axes.plot([1, 2, 4], [3, 1, 2], "s--", c="red", alpha=0.5, lw=3, label="a"))
    assert (line.kind, line.label, line.axes) == (MarkKind.LINE, "a", 0)
    assert (line.x, line.y, line.total) == ((1, 2, 4), (3, 1, 2), 3)
    assert (line.colors, line.line_style, line.line_width, line.marker) == (("#ff000080",), "--", 3, "s")


def test_a_line_of_symbols_alone_is_points(marks):
    [points] = marks(lambda axes: axes.plot([1, 2], [3, 4], "o", color="#102030", ms=5))
    assert (points.kind, points.sizes, points.colors) == (MarkKind.POINTS, (25,), ("#102030ff",))


def test_points_keep_colours_and_sizes_beside_them_where_others_are_not_finite(marks):
    def scatter(axes):
        axes.scatter([1, np.nan, 3], [1, 2, 3], c=["red", "lime", "blue"], s=[10, 20, 30])

    [points] = marks(scatter)
    assert (points.kind, points.x, points.total) == (MarkKind.POINTS, (1, 3), 2)
    assert points.colors == ("#ff0000ff", "#0000ffff")
    assert points.sizes == (10, 30)


def test_too_many_points_are_thinned_with_their_colours(drawn):
    drawing, axes = plt.subplots()
    shades = np.linspace(0, 1, 5000)
    axes.scatter(np.arange(5000), np.zeros(5000), color=np.stack([shades, shades, shades], axis=1), s=4)
    figure, _ = drawn(drawing)
    [points] = figure.marks
    assert figure.truncated
    assert (points.total, len(points.x), len(points.colors), points.sizes) == (5000, 1000, 1000, (4,))
    assert (points.x[0], points.x[-1]) == (0, 4999)
    for x, color in zip(points.x, points.colors, strict=True):
        assert int(color[1:3], 16) == pytest.approx(x / 4999 * 255, abs=1)


@pytest.mark.parametrize("lying", [False, True])
def test_bars_are_one_mark(marks, lying):
    def draw(axes):
        (axes.barh if lying else axes.bar)(["a", "b"], [3, -1], 0.5, [1, 2], label="s", color=["r", "b"])

    [bars] = marks(draw)
    length, place = (bars.x, bars.y) if lying else (bars.y, bars.x)
    assert bars.kind is (MarkKind.HORIZONTAL_BARS if lying else MarkKind.BARS)
    assert (length, place, bars.sizes, bars.z) == ((3, -1), (0, 1), (0.5, 0.5), (1, 2))
    assert (bars.label, bars.colors, bars.total) == ("s", ("#ff0000ff", "#0000ffff"), 2)


def test_a_histogram_is_bars(marks):
    [bars] = marks(lambda axes: axes.hist([1, 1, 2, 5], bins=[0, 2, 4, 6]))
    assert (bars.kind, bars.y, bars.x, bars.sizes) == (MarkKind.BARS, (2, 1, 1), (1, 3, 5), (2, 2, 2))


def test_a_pie_is_wedges(marks):
    [pie] = marks(lambda axes: axes.pie([1, 2, 1], labels=["a", "b", "c"]))
    assert (pie.kind, pie.total, pie.x, pie.y) == (MarkKind.WEDGES, 3, (0, 90, 270), (90, 270, 360))
    assert len(set(pie.colors)) == 3


def test_areas_have_their_outline(marks):
    found = marks(lambda axes: axes.stackplot([1, 2], [1, 2], [2, 2], labels=["p", "q"]))
    assert kinds(found) == ["AREA", "AREA"]
    assert [area.label for area in found] == ["p", "q"]
    assert (min(found[1].y), max(found[1].y)) == (1, 4)


def test_stairs_have_edges_and_heights(marks):
    [steps] = marks(lambda axes: axes.stairs([1, 3, 2]))
    assert (steps.kind, steps.x, steps.y) == (MarkKind.STEPS, (0, 1, 2, 3), (1, 3, 2))


def test_error_bars_have_half_lengths(marks):
    found = marks(lambda axes: axes.errorbar([1, 2], [3, 4], yerr=[0.5, 1], xerr=0.25, fmt="o", label="e"))
    [bars] = [mark for mark in found if mark.kind is MarkKind.ERROR_BARS]
    assert (bars.x, bars.y, bars.label) == ((1, 2), (3, 4), "e")
    assert bars.sizes == pytest.approx((0.25, 0.25, 0.5, 1))


@pytest.mark.parametrize("filled", [False, True])
def test_a_box_plot_is_one_mark_with_its_medians(marks, filled):
    [boxes] = marks(lambda axes: axes.boxplot([[1, 2, 3], [4, 6, 9]], patch_artist=filled))
    assert (boxes.kind, boxes.total, boxes.x, boxes.y) == (MarkKind.BOXES, 2, (1, 2), (2, 6))


def test_a_violin_plot_is_boxes(marks):
    [boxes] = marks(lambda axes: axes.violinplot([[1, 2, 3], [4, 5, 6]], showmeans=True))
    assert (boxes.kind, boxes.total, boxes.x) == (MarkKind.BOXES, 2, (1, 2))


def test_images_and_meshes_are_cells_with_their_values(marks):
    values = np.arange(6).reshape(2, 3)
    for draw in ("imshow", "pcolormesh", "pcolor"):
        [cells] = marks(lambda axes, draw=draw: getattr(axes, draw)(values, cmap="magma"))
        assert (cells.kind, cells.total, cells.color_map) == (MarkKind.CELLS, 6, "magma")
        assert cells.z == (0, 1, 2, 3, 4, 5)


def test_contours_have_levels(marks):
    values = np.add.outer(np.arange(5), np.arange(5))
    for draw in ("contour", "contourf"):
        [contours] = marks(lambda axes, draw=draw: getattr(axes, draw)(values, levels=[1, 3, 5]))
        assert (contours.kind, contours.z) == (MarkKind.CONTOURS, (1, 3, 5))


def test_a_field_of_arrows_has_lengths_along_x_and_then_y(marks):
    [arrows] = marks(lambda axes: axes.quiver([0, 1], [0, 2], [1, 2], [3, 4]))
    assert (arrows.kind, arrows.x, arrows.y, arrows.sizes) == (MarkKind.ARROWS, (0, 1), (0, 2), (1, 2, 3, 4))


def test_stems_are_segments_and_points(marks):
    found = marks(lambda axes: axes.stem([1, 2], [3, 4], basefmt=" ", label="s"))
    assert sorted(kinds(found)) == ["POINTS", "SEGMENTS"]
    [stems] = [mark for mark in found if mark.kind is MarkKind.SEGMENTS]
    assert (stems.label, stems.total, stems.x, stems.y) == ("s", 2, (1, 1, 2, 2), (0, 3, 0, 4))


def test_a_line_across_the_axes_is_placed_in_the_figure(drawn):
    drawing, axes = plt.subplots()
    axes.axhline(0.5, color="red")
    axes.set_ylim(0, 1)
    figure, picture = drawn(drawing)
    [line] = figure.marks
    assert line.kind is MarkKind.SEGMENTS
    assert line.placed_by_figure
    height, width = picture.shape[:2]
    row, column = int(line.y[0] * height), int(sum(line.x) / 2 * width)
    assert (picture[row - 2 : row + 2, column] == [255, 0, 0]).all(axis=-1).any()


def test_patches_are_shapes_with_their_class(marks):
    def shapes(axes):
        axes.add_patch(plt.Circle((0.5, 0.5), 0.2, fc="g"))
        axes.add_patch(plt.Polygon([(0, 0), (1, 0), (0, 1)], fill=False, ec="r", ls=":"))

    circle, polygon = marks(shapes)
    assert (circle.kind, circle.shape, circle.colors) == (MarkKind.SHAPE, "Circle", ("#008000ff",))
    assert max(circle.x) == pytest.approx(0.7)
    assert (polygon.shape, polygon.colors, polygon.edge_colors) == ("Polygon", (), ("#ff0000ff",))
    assert polygon.line_style == ":"


def test_the_arrow_of_an_annotation_is_a_shape(marks):
    [arrow] = marks(lambda axes: axes.annotate("t", (0, 0), (1, 1), arrowprops={"arrowstyle": "->"}))
    assert (arrow.kind, arrow.shape) == (MarkKind.SHAPE, "FancyArrowPatch")


def test_marks_of_3d_have_z_or_are_surfaces(marks):
    grid = np.meshgrid(range(4), range(3))

    def draw(axes):
        axes.plot([1, 2], [3, 4], [5, 6])
        axes.scatter([1, 2], [3, 4], [5, 9], c=["r", "b"])
        axes.plot_surface(*grid, grid[0] * grid[1])
        axes.plot_wireframe(*grid, grid[0])
        axes.bar3d([0, 1], [0, 1], [0, 0], 1, 1, [2, 3])

    found = marks(draw, projection="3d")
    assert sorted(kinds(found)) == ["LINE", "POINTS", "SURFACE", "SURFACE", "SURFACE"]
    by_kind = {mark.kind: mark for mark in found}
    assert by_kind[MarkKind.LINE].z == (5, 6)
    assert by_kind[MarkKind.POINTS].z == (5, 9)
    assert by_kind[MarkKind.POINTS].colors == ("#ff0000ff", "#0000ffff")


def test_what_is_not_visible_is_no_mark(marks):
    def draw(axes):
        axes.plot([1, 2], [1, 2], visible=False)
        axes.plot([1, 2], [1, 2], ls="none")
        axes.scatter([np.nan], [1])
        axes.bar([1], [1])[0].set_visible(False)
        axes.plot([], [], label="only for the legend")
        axes.legend()

    assert marks(draw) == []


def test_marks_of_the_figure_are_of_no_axes(drawn):
    drawing = plt.figure()
    drawing.add_artist(plt.Line2D([0.2, 0.8], [0.25, 0.25], color="k"))
    [line] = drawn(drawing)[0].marks
    assert (line.axes, line.placed_by_figure) == (None, True)
    assert (line.x, line.y) == (pytest.approx((0.2, 0.8)), pytest.approx((0.75, 0.75)))


def test_boxes_of_marks_contain_their_ink(drawn):
    drawing, axes = plt.subplots()
    axes.set_axis_off()
    axes.bar([1, 2], [3, 4], color="red")
    figure, picture = drawn(drawing)
    [bars] = figure.marks
    rows, columns = np.nonzero((picture == [255, 0, 0]).all(axis=-1))
    height, width = picture.shape[:2]
    box = bars.box
    place = (box.x * width, box.y * height, (box.x + box.width) * width, (box.y + box.height) * height)
    assert place == pytest.approx((columns.min(), rows.min(), columns.max() + 1, rows.max() + 1), abs=1)
    assert math.isclose(figure.width_inches, 6.4)
