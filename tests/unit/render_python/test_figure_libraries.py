"""Objects of figures that libraries above matplotlib have drawn."""

from __future__ import annotations

import matplotlib.pyplot as plt
import networkx as nx
import pandas as pd
import pytest

from i2s_wire.render.figure import MarkKind, TextRole

TABLE = pd.DataFrame({"group": ["a", "a", "a", "b", "b", "b"], "value": [1.0, 2.0, 6.0, 3.0, 4.0, 5.0]})
pytestmark = pytest.mark.slow


def test_pandas_draws_lines_and_bars_with_labels(drawn):
    drawing, (left, right) = plt.subplots(1, 2)
    frame = pd.DataFrame({"p": [1, 2], "q": [3, 4]}, index=["m", "n"])
    frame.plot(ax=left)
    frame.plot.bar(ax=right)
    figure, _ = drawn(drawing)
    assert [(mark.kind, mark.axes, mark.label, mark.y) for mark in figure.marks] == [
        (MarkKind.LINE, 0, "p", (1, 2)),
        (MarkKind.LINE, 0, "q", (3, 4)),
        (MarkKind.BARS, 1, "p", (1, 2)),
        (MarkKind.BARS, 1, "q", (3, 4)),
    ]
    assert [text.text for text in figure.texts if text.role is TextRole.LEGEND_ENTRY] == ["p", "q"] * 2


def test_box_plots_and_heat_maps_of_seaborn_are_boxes_and_cells(drawn):
    import seaborn as sns

    drawing, (left, right) = plt.subplots(1, 2)
    sns.boxplot(TABLE, x="group", y="value", ax=left)
    sns.heatmap([[1, 2, 3], [4, 5, 6]], annot=True, cbar=False, ax=right)
    boxes, cells = drawn(drawing)[0].marks
    assert (boxes.kind, boxes.x, boxes.y) == (MarkKind.BOXES, (0, 1), (2, 4))
    assert (cells.kind, cells.z, cells.sizes) == (MarkKind.CELLS, (1, 2, 3, 4, 5, 6), (2, 3))


def test_bars_and_areas_of_seaborn_are_bars_and_areas(drawn):
    import seaborn as sns

    drawing, (left, right) = plt.subplots(1, 2)
    sns.barplot(TABLE, x="group", y="value", ax=left, errorbar=None)
    sns.kdeplot(TABLE, x="value", fill=True, ax=right)
    bars, area = drawn(drawing)[0].marks
    assert (bars.kind, bars.y) == (MarkKind.BARS, (3, 4))
    assert area.kind is MarkKind.AREA


@pytest.mark.parametrize(("graph", "edges"), [(nx.Graph, "SEGMENTS"), (nx.DiGraph, "SHAPE")])
def test_graphs_are_points_edges_and_texts(drawn, graph, edges):
    drawing, axes = plt.subplots()
    places = {"n0": (0, 0), "n1": (1, 1), "n2": (2, 0)}
    nx.draw(graph([("n0", "n1"), ("n1", "n2")]), places, ax=axes, with_labels=True, node_color="red")
    figure, _ = drawn(drawing)
    [nodes] = [mark for mark in figure.marks if mark.kind is MarkKind.POINTS]
    others = [mark for mark in figure.marks if mark.kind is not MarkKind.POINTS]
    assert (nodes.x, nodes.y, nodes.colors) == ((0, 1, 2), (0, 1, 0), ("#ff0000ff",))
    assert {mark.kind.name for mark in others} == {edges}
    assert sum(mark.total for mark in others) == 2
    assert [text.text for text in figure.texts] == ["n0", "n1", "n2"]
