"""Descriptions of figures are bounded, whatever the program has done to its figure."""

from __future__ import annotations

import json

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.figure import Figure as Drawing
from matplotlib.lines import Line2D

from i2s_render_python.inside.figure_objects.describe import MAX_MARKS, MAX_TEXTS, describe
from i2s_render_python.inside.figure_objects.texts import ROLES
from i2s_render_python.inside.figure_objects.values import KINDS
from i2s_render_python.result import read_figure
from i2s_render_python.settings import PythonSettings
from i2s_wire.render.figure import MarkKind, TextRole


def test_numbers_of_enumerations_are_those_of_the_wire():
    assert {kind.name: kind.value for kind in MarkKind} == KINDS
    assert {role.name: role.value for role in TextRole} == ROLES


def test_odd_artists_are_left_out_and_others_stay(drawn):
    class Odd(Line2D):
        def get_linestyle(self):
            raise RuntimeError

        def draw(self, renderer):
            pass

    def fail(*_):
        raise RuntimeError

    drawing, axes = plt.subplots()
    axes.add_line(Odd([0, 1], [0, 1]))
    odd = axes.text(0, 0, "odd")
    odd.draw, odd.get_rotation = print, fail
    axes.text(0, 0, "even")
    axes.plot([1, 2], [3, 4])
    figure, _ = drawn(drawing)
    assert [mark.y for mark in figure.marks] == [(3, 4)]
    assert [text.text for text in figure.texts if text.role is TextRole.TEXT] == ["even"]


def test_a_broken_figure_has_no_objects():
    broken = Drawing()
    broken.get_size_inches = None
    assert describe(broken, 3) == {"page": 3, "truncated": True}


def test_a_figure_without_a_canvas_that_draws_is_described():
    drawing = Drawing()
    drawing.subplots().set_title("t")
    figure = read_figure(json.dumps(describe(drawing, 1)).encode())
    assert "t" in [text.text for text in figure.texts]


@pytest.mark.slow
def test_the_greatest_description_is_within_the_limit_of_the_service():
    drawing = plt.figure()
    for index in range(MAX_TEXTS + 1):
        drawing.text(1 / 3 + index * 1e-7, 2 / 3, "\U0001f600" * 20)
    for index in range(MAX_MARKS + 1):
        line = Line2D(np.random.default_rng(index).random(40) * -1e-200, np.zeros(40) + 1 / 3, label="é" * 50)
        drawing.add_artist(line)
    content = json.dumps(describe(drawing, 1), allow_nan=False).encode()
    figure = read_figure(content)
    plt.close(drawing)
    assert len(content) <= PythonSettings.model_fields["objects_bytes"].default
    assert figure.truncated
    assert len(figure.texts) <= MAX_TEXTS
    assert len(figure.marks) == MAX_MARKS


def test_numbers_that_are_not_finite_are_left_out(drawn):
    drawing, axes = plt.subplots()
    axes.plot([1, np.inf, 3, np.nan], [1, 2, np.nan, 4])
    axes.imshow([[1, np.nan], [np.inf, 2]])
    figure, _ = drawn(drawing)
    assert {mark.kind: (mark.x, mark.z) for mark in figure.marks} == {
        MarkKind.LINE: ((1,), ()),
        MarkKind.CELLS: ((-0.5, 1.5), (1, 2)),
    }


def test_a_lone_surrogate_is_replaced():
    drawing = Drawing()
    drawing.add_artist(Line2D([0, 1], [0, 1], label="\ud800b"))
    [line] = read_figure(json.dumps(describe(drawing, 1)).encode()).marks
    assert line.label == "\ufffdb"
