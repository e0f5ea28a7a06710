"""The part of a figure that its image shows, where saving crops or widens it."""

from __future__ import annotations

import io

import matplotlib.pyplot as plt
import numpy as np
import pytest
from PIL import Image

from i2s_render_python.inside.capture import Capture
from i2s_render_python.inside.figure_objects.describe import describe


@pytest.fixture
def capture():
    with plt.rc_context({"backend": "agg"}), plt.style.context("default"):
        yield Capture(10**8, None, describe)
    plt.close("all")


def captured(capture, figure, options):
    """Return the objects of a saved figure, and its pixels."""
    png = capture.keep_figure(figure, options)
    (finished,) = capture.finish(with_open=True, first=None, count=1)[1]
    with Image.open(io.BytesIO(png)) as image:
        return finished.objects, np.asarray(image.convert("RGB"))


def red_square(width=4.0, height=2.0):
    """Return a figure with a red square from 25 to 50 % of its width and 40 to 80 % of its height."""
    figure = plt.figure(figsize=(width, height), dpi=100)
    axes = figure.add_axes((0.25, 0.2, 0.25, 0.4))
    axes.set_axis_off()
    axes.set_xlim(0, 1)
    axes.set_ylim(0, 1)
    axes.add_patch(plt.Rectangle((0, 0), 1, 1, color="red", linewidth=0))
    return figure


def test_a_figure_that_is_saved_whole_says_nothing(capture):
    objects, _ = captured(capture, red_square(), {})
    assert "shown" not in objects


@pytest.mark.parametrize("options", [{}, {"dpi": 63}, {"dpi": 200, "pad_inches": 0.5}])
def test_places_are_found_in_a_tight_image_by_the_part_that_it_shows(capture, options):
    objects, pixels = captured(capture, red_square(), {"bbox_inches": "tight", **options})
    shown = objects["shown"]
    red = np.argwhere((pixels == (255, 0, 0)).all(axis=2))
    height, width = pixels.shape[:2]
    # rows and columns of the square in the image, by its place in the figure
    expected = [
        (0.4 - shown["y"]) / shown["height"] * height,
        (0.8 - shown["y"]) / shown["height"] * height,
        (0.25 - shown["x"]) / shown["width"] * width,
        (0.5 - shown["x"]) / shown["width"] * width,
    ]
    found = [red[:, 0].min(), red[:, 0].max() + 1, red[:, 1].min(), red[:, 1].max() + 1]
    assert np.abs(np.subtract(found, expected)).max() <= 1.5


def labelled():
    """Return a figure with texts whose places matplotlib keeps in pixels."""
    figure, axes = plt.subplots(figsize=(4, 3), dpi=100)
    bars = axes.bar(["a", "b"], [1, 2], label="Bars")
    axes.bar_label(bars)
    axes.legend(loc="upper left")
    axes.set_xlabel("Across")
    axes.set_ylabel("Up")
    axes.annotate("Note", (0, 1), (20, 20), textcoords="offset points")
    return figure


@pytest.mark.parametrize(
    "options", [{"dpi": 50}, {"dpi": 170}, {"bbox_inches": "tight"}, {"bbox_inches": "tight", "dpi": 77}]
)
def test_places_of_texts_do_not_depend_on_how_a_figure_is_saved(capture, options):
    plain, _ = captured(capture, labelled(), {})
    plt.close("all")
    saved, _ = captured(Capture(10**8, None, describe), labelled(), options)
    assert len(saved["texts"]) == len(plain["texts"])
    for one, other in zip(saved["texts"], plain["texts"], strict=True):
        assert one["text"] == other["text"]
        assert [one["box"][name] for name in ("x", "y")] == pytest.approx(
            [other["box"][name] for name in ("x", "y")], abs=0.01
        ), one
