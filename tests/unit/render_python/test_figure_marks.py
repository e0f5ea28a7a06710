"""Marks of figures that were drawn with matplotlib."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.collections import PatchCollection
from matplotlib.colors import ListedColormap

from i2s_wire.render.figure import Mark, MarkKind

RED = {"color": "red"}
ALL_RED = {"boxprops": RED, "whiskerprops": RED, "capprops": RED, "medianprops": RED}


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


def test_ends_of_segments_stay_pairs_where_there_are_too_many_or_some_are_not_finite(marks):
    starts = np.arange(3000.0)
    ends = starts + 0.5
    ends[7] = np.nan
    [segments] = marks(lambda axes: axes.hlines(np.zeros(3000), starts, ends))
    assert (segments.kind, segments.total, len(segments.x)) == (MarkKind.SEGMENTS, 2999, 2000)
    pairs = list(zip(segments.x[::2], segments.x[1::2], strict=True))
    assert {last - first for first, last in pairs} == {0.5}
    assert (pairs[0], pairs[-1]) == ((0, 0.5), (2999, 2999.5))


@pytest.mark.parametrize("symbol", ["o", "s", "^", "*", "X", "d"])
def test_points_have_the_symbol_that_they_are_drawn_with(marks, symbol):
    [points] = marks(lambda axes: axes.scatter([1, 2], [3, 4], marker=symbol))
    assert points.marker == symbol


def test_points_with_an_outline_of_their_own_have_no_symbol(marks):
    [points] = marks(lambda axes: axes.scatter([1, 2], [3, 4], marker=[(0, 0), (1, 0), (0, 3)]))
    assert (points.kind, points.marker) == (MarkKind.POINTS, "")


def test_an_area_of_several_parts_has_the_outlines_of_all(marks):
    [area] = marks(lambda axes: axes.broken_barh([(1, 2), (6, 1)], (0, 1)))
    assert (area.kind, min(area.x), max(area.x), area.total) == (MarkKind.AREA, 1, 7, 10)


def test_a_collection_of_patches_is_one_shape(marks):
    patches = [plt.Circle((0, 0), 1), plt.Circle((5, 0), 2)]
    [shapes] = marks(lambda axes: axes.add_collection(PatchCollection(patches, facecolor="g")))
    assert (shapes.kind, shapes.shape, shapes.total) == (MarkKind.SHAPE, "PatchCollection", 2)
    assert (min(shapes.x), max(shapes.x)) == (pytest.approx(-1), pytest.approx(7))


def test_bars_of_3d_are_bars(marks):
    [bars] = marks(lambda axes: axes.bar([1, 2], [3, 4], zs=1, zdir="y"), projection="3d")
    assert (bars.kind, bars.x, bars.y) == (MarkKind.BARS, (1, 2), (3, 4))


def test_an_odd_container_leaves_the_others_whole(marks):
    def draw(axes):
        odd = axes.bar([1], [1])
        odd.get_label = None
        axes.bar([3, 4], [1, 2], label="even")

    found = marks(draw)
    assert [(mark.kind.name, mark.total) for mark in found if mark.label == "even"] == [("BARS", 2)]
    assert kinds(found).count("SHAPE") == 1


def test_a_line_across_the_axes_is_placed_in_the_figure(drawn):
    drawing, axes = plt.subplots()
    axes.axhline(0.5, color="red")
    axes.set_ylim(0, 1)
    figure, picture = drawn(drawing)
    [line] = figure.marks
    assert line.kind is MarkKind.SEGMENTS
    assert line.placed_by_figure
    assert line.total == 1
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


@pytest.mark.parametrize(
    ("kind", "draw"),
    [
        ("BARS", lambda axes: axes.bar([1, 2], [3, 4], color="red")),
        ("BOXES", lambda axes: axes.boxplot([[1, 2, 3], [2, 3, 4]], **ALL_RED)),
        ("BOXES", lambda axes: axes.violinplot([[1, 2, 3]], facecolor="red", linecolor="red")),
        ("AREA", lambda axes: axes.broken_barh([(1, 2), (6, 1)], (0, 1), color="red")),
        ("CONTOURS", lambda axes: axes.contourf([[0, 1], [1, 2]], colors="red")),
        ("CELLS", lambda axes: axes.pcolor([[0, 1]], cmap=ListedColormap(["red", "red"]))),
        ("ERROR_BARS", lambda axes: axes.errorbar([1, 2], [3, 4], yerr=1, fmt="none", ecolor="red")),
    ],
)
def test_boxes_of_marks_are_around_their_ink(drawn, kind, draw):
    drawing, axes = plt.subplots()
    axes.set_axis_off()
    draw(axes)
    figure, picture = drawn(drawing)
    box = next(mark.box for mark in figure.marks if mark.kind.name == kind)
    # Smooth edges count too.
    rows, columns = np.nonzero(picture[..., 1] < 128)
    height, width = picture.shape[:2]
    place = (box.x * width, box.y * height, (box.x + box.width) * width, (box.y + box.height) * height)
    # Outlines are in the middle of strokes.
    assert place == pytest.approx((columns.min(), rows.min(), columns.max() + 1, rows.max() + 1), abs=2)


def test_boxes_of_surfaces_are_around_their_ink(drawn):
    def draw(axes):
        axes.set_axis_off()
        axes.plot_surface(*np.meshgrid(range(4), range(3)), np.ones((3, 4)), color="red", shade=False)

    drawing, plot = plt.subplots(subplot_kw={"projection": "3d"})
    draw(plot)
    figure, picture = drawn(drawing)
    [surface] = figure.marks
    rows, columns = np.nonzero(picture[..., 1] < 128)
    height, width = picture.shape[:2]
    assert surface.box.x * width == pytest.approx(columns.min(), abs=2)
    assert (surface.box.y + surface.box.height) * height == pytest.approx(rows.max() + 1, abs=2)


def test_sizes_of_the_figure_are_in_inches(drawn):
    figure, _ = drawn(plt.figure(figsize=(6.4, 3)))
    assert (figure.width_inches, figure.height_inches) == (6.4, 3)
