"""Sizes of texts: those that were drawn are used, and what is measured anew is bounded."""

from __future__ import annotations

import io

import matplotlib.pyplot as plt
import pytest
from matplotlib.backends.backend_agg import RendererAgg
from matplotlib.figure import Figure as Drawing

from i2s_render_python.inside.figure_objects import values
from i2s_render_python.inside.figure_objects.describe import describe
from i2s_render_python.inside.figure_objects.values import Measured, Size, kept_sizes


@pytest.fixture(autouse=True)
def closed():
    with plt.rc_context({"backend": "agg"}), plt.style.context("default"):
        yield
    plt.close("all")


def figure_of(count: int) -> Drawing:
    """Return a figure with texts with and without mathematics, on one line and on several."""
    drawing, axes = plt.subplots()
    for number in range(count):
        axes.text(0, number / count, f"$x_{{{number}}}$", size=6 + number % 3)
        axes.text(1, number / count, f"plain {number}\n$y^{number}$", rotation=number)
    axes.set_xscale("log")
    return drawing


def drawn(drawing: Drawing, **options: object) -> tuple[bytes, dict[Measured, Size]]:
    """Return the image of a figure and the sizes of its texts."""
    output, sizes = io.BytesIO(), {}
    with kept_sizes(sizes):
        drawing.savefig(output, format="png", **options)
    return output.getvalue(), sizes


def test_kept_sizes_are_those_that_are_measured():
    drawing = figure_of(20)
    _, sizes = drawn(drawing)
    assert len(sizes) >= 60
    assert describe(drawing, 1, sizes) == describe(drawing, 1)


def test_texts_that_were_drawn_are_not_measured_again(monkeypatch):
    monkeypatch.setattr(values, "MAX_MATHEMATICS", 0)
    drawing = figure_of(20)
    _, sizes = drawn(drawing)
    described = describe(drawing, 1, sizes)
    assert len(described["texts"]) >= 40
    assert not described["truncated"]


def test_keeping_sizes_changes_no_pixel_and_ends_with_its_block():
    drawing, measure = figure_of(5), RendererAgg.get_text_width_height_descent
    plain = io.BytesIO()
    drawing.savefig(plain, format="png")
    assert drawn(drawing)[0] == plain.getvalue()
    assert RendererAgg.get_text_width_height_descent is measure


def test_of_mathematics_that_was_drawn_otherwise_the_first_lines_are_returned(monkeypatch):
    monkeypatch.setattr(values, "MAX_MATHEMATICS", 7)
    drawing, axes = plt.subplots()
    axes.axis("off")
    for number in range(20):
        axes.text(0, number / 20, f"$x_{{{number}}}$")
    axes.text(1, 0, "plain")
    _, sizes = drawn(drawing, dpi=50)
    described = describe(drawing, 1, sizes)
    assert [text["text"] for text in described["texts"]] == [*(f"$x_{{{n}}}$" for n in range(7)), "plain"]
    assert described["truncated"]


def test_a_bounded_number_of_sizes_is_kept(monkeypatch):
    monkeypatch.setattr(values, "MAX_KEPT", 5)
    assert len(drawn(figure_of(20))[1]) == 5
