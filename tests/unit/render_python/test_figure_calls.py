"""Calls of plotting functions: what counts, and that drawing is the same."""

from __future__ import annotations

import importlib
from collections.abc import Callable

import matplotlib.pyplot as plt
import networkx
import pytest
from matplotlib.axes import Axes
from matplotlib.image import NonUniformImage
from matplotlib.patches import Circle, Ellipse
from mpl_toolkits.mplot3d import Axes3D

from i2s_render_python.inside.figure_objects import calls as calls_module
from i2s_render_python.inside.figure_objects.calls import CallCounts

Counted = dict[str, int]


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> Callable[[], Counted]:
    """Return what returns the calls since the start of the test."""
    for place, names in (
        (Axes, calls_module.OF_AXES),
        (Axes3D, calls_module.OF_AXES_3D),
        *((one, ("__init__",)) for one in (Circle, Ellipse, NonUniformImage)),
        *(
            (importlib.import_module(networkx_module), calls_module.OF_NETWORKX)
            for networkx_module in calls_module.NETWORKX_MODULES
        ),
        (importlib.import_module("squarify"), ("plot",)),
        (importlib.import_module("matplotlib_venn._common").VennDiagram, ("__init__",)),
    ):
        for name in names:
            monkeypatch.setattr(place, name, getattr(place, name))  # put back afterwards
    calls = CallCounts()
    calls.install(b"import networkx, squarify, matplotlib_venn")
    return lambda: {str(one["function"]): int(one["count"]) for one in calls.counted()}


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


def test_calls_are_counted_by_function(counted):
    _, axes = plt.subplots()
    axes.plot([1, 2])
    plt.plot([1, 2])
    axes.bar([1], [2])
    axes.set_title("a title is no plotting function")
    assert counted() == {"Axes.bar": 1, "Axes.plot": 2}


def test_what_a_plotting_function_calls_itself_does_not_count(counted):
    _, axes = plt.subplots()
    axes.hist([1, 2, 2])
    axes.barh([1], [2])
    axes.errorbar([1], [2], yerr=[1])
    axes.violinplot([[1, 2, 3]])
    assert counted() == {"Axes.barh": 1, "Axes.errorbar": 1, "Axes.hist": 1, "Axes.violinplot": 1}


def test_axes_of_other_projections_have_names_of_their_own(counted):
    plt.figure().add_subplot(projection="polar").plot([0, 1], [0, 1])
    solid = plt.figure().add_subplot(projection="3d")
    solid.plot([0, 1], [0, 1], [0, 1])
    solid.scatter([0], [0], [0])
    assert counted() == {"Axes3D.plot": 1, "Axes3D.scatter": 1, "PolarAxes.plot": 1}


def test_graphs_and_shapes_count(counted):
    networkx.draw(networkx.path_graph(3), with_labels=True)
    plt.gca().add_patch(Circle((0, 0), 1))
    found = counted()
    assert {name: found[name] for name in found if name.startswith("networkx")} == {
        "networkx.draw_networkx_edges": 1,
        "networkx.draw_networkx_labels": 1,
        "networkx.draw_networkx_nodes": 1,
    }
    assert found["Circle"] == 1
    assert "Axes.scatter" not in found


def test_a_call_that_raises_counts_and_the_next_one_too(counted):
    _, axes = plt.subplots()
    with pytest.raises(ValueError, match="first dimension"):
        axes.plot([1, 2], [1, 2, 3])
    axes.plot([1, 2])
    assert counted() == {"Axes.plot": 2}


def test_functions_keep_name_and_signature(counted):
    assert Axes.plot.__name__ == "plot"
    assert Axes.bar.__doc__


def test_treemaps_and_venn_diagrams_are_counted_once_and_not_by_what_they_draw(counted):
    importlib.import_module("squarify").plot([3, 2, 1], ax=plt.gca())
    importlib.import_module("matplotlib_venn").venn2((3, 2, 1), ax=plt.gca())
    found = counted()
    assert found["squarify.plot"] == found["VennDiagram"] == 1
    assert "Axes.bar" not in found
