"""Scores of elements: what each one counts, its bounds, and that figures of any size end soon."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from i2s_sdk.tasks.chart.elements import SCORES, missing, scores
from i2s_sdk.tasks.chart.scorer import figure_from_text, figure_to_text
from i2s_wire.render.figure import (
    Axes,
    Axis,
    Figure,
    FigureBox,
    FigureText,
    Mark,
    MarkKind,
    TextRole,
)
from random_figures import figures

LINE = Mark(MarkKind.LINE, 0, "a", (0.0, 1.0, 2.0), (1.0, 3.0, 2.0), colors=("#1f77b4ff",), total=3)
BARS = Mark(
    MarkKind.BARS, 0, "b", (0.0, 1.0), (4.0, 5.0), (0.0, 0.0), (0.8, 0.8), colors=("#ff7f0eff",), total=2
)
TEXTS = (
    FigureText("Rain", TextRole.TITLE, 0, FigureBox(0.4, 0.05, 0.2, 0.05)),
    FigureText("month", TextRole.X_LABEL, 0, FigureBox(0.45, 0.95, 0.1, 0.05)),
)
AXES = Axes(x=Axis("linear", 0, 2), y=Axis("linear", 0, 5), rows=1, columns=1)
FIGURE = Figure(1, 6.4, 4.8, 100, (AXES,), TEXTS, (LINE, BARS))


def scored(candidate: Figure, reference: Figure = FIGURE) -> dict[str, float]:
    return scores(reference, candidate)


def test_equal_figures_score_1_in_everything() -> None:
    assert scored(FIGURE) == dict.fromkeys(SCORES, 1.0)
    assert not any(missing(FIGURE, FIGURE).values())


def test_an_empty_figure_scores_0_in_everything() -> None:
    assert scored(Figure()) == dict.fromkeys(SCORES, 0.0)


def test_figures_without_elements_are_equal() -> None:
    assert scored(Figure(), Figure()) == dict.fromkeys(SCORES, 1.0)


def test_a_text_that_is_missing_takes_its_share_of_the_texts_alone() -> None:
    candidate = replace(FIGURE, texts=TEXTS[:1])
    assert scored(candidate) == {**dict.fromkeys(SCORES, 1.0), "text": 2 / 3, "text_place": 2 / 3}
    assert missing(FIGURE, candidate)["texts missing"] == ["month"]


def test_a_text_elsewhere_counts_as_text_and_not_as_placed() -> None:
    moved = replace(TEXTS[0], box=FigureBox(0.4, 0.9, 0.2, 0.05))
    values = scored(replace(FIGURE, texts=(moved, TEXTS[1])))
    assert (values["text"], values["text_place"]) == (1.0, 0.5)


def test_dollars_and_minus_signs_are_no_difference_of_texts() -> None:
    one = replace(FIGURE, texts=(FigureText("\N{MINUS SIGN}1"),))
    other = replace(FIGURE, texts=(FigureText("$\\mathdefault{-1}$"),))
    assert scored(other, one)["text"] == 1.0


def test_a_mark_of_another_kind_counts_for_kinds_and_data() -> None:
    values = scored(replace(FIGURE, marks=(LINE, replace(BARS, kind=MarkKind.HORIZONTAL_BARS))))
    assert (values["kind"], values["data"], values["color"]) == (0.5, 0.5, 1.0)


def test_colours_are_alike_by_how_different_they_look() -> None:
    near = replace(LINE, colors=("#1f78b4ff",))
    far = replace(LINE, colors=("#d62728ff",))
    assert 0.95 < scored(replace(FIGURE, marks=(near, BARS)))["color"] < 1.0
    assert scored(replace(FIGURE, marks=(far, BARS)))["color"] < 0.8


def test_layout_is_projection_and_cell_and_leaves_colour_bars_out() -> None:
    assert scored(replace(FIGURE, axes=(AXES, Axes(colorbar=True))))["layout"] == 1.0
    assert scored(replace(FIGURE, axes=(replace(AXES, projection="polar"),)))["layout"] == 0.0
    assert scored(replace(FIGURE, axes=(AXES, AXES)))["layout"] == pytest.approx(2 / 3)


def test_data_may_differ_by_a_part_of_the_range_of_the_axis() -> None:
    within = replace(LINE, y=(1.09, 2.91, 2.0))
    outside = replace(LINE, y=(1.09, 2.5, 2.0))
    assert scored(replace(FIGURE, marks=(within, BARS)))["data"] == 1.0
    assert scored(replace(FIGURE, marks=(outside, BARS)))["data"] == pytest.approx((2 / 3 + 1) / 2)


def test_values_on_a_logarithmic_axis_differ_by_their_logarithms() -> None:
    axes = replace(AXES, y=Axis("log", 1, 10_000))
    line = replace(LINE, y=(1.0, 100.0, 10_000.0))
    reference = replace(FIGURE, axes=(axes,), marks=(line,))
    near = replace(reference, marks=(replace(line, y=(1.1, 110.0, 9_000.0)),))
    far = replace(reference, marks=(replace(line, y=(10.0, 1_000.0, 10_000.0)),))
    assert scored(near, reference)["data"] == 1.0
    assert scored(far, reference)["data"] == pytest.approx(1 / 3)


def test_marks_of_axes_that_are_not_there_are_compared_all_the_same() -> None:
    lost = replace(FIGURE, axes=(), marks=(replace(LINE, axes=7),))
    assert scored(lost, lost)["data"] == 1.0


def crowded(count: int, seed: int) -> Figure:
    """Return a figure of many texts of one wording, colours and lines."""
    chosen = random.Random(seed)
    texts = tuple(
        FigureText("7", box=FigureBox(chosen.random(), chosen.random(), 0.01, 0.01)) for _ in range(count)
    )
    marks = tuple(
        Mark(
            MarkKind.LINE,
            0,
            x=tuple(chosen.random() for _ in range(5)),
            y=tuple(chosen.random() for _ in range(5)),
            colors=(f"#{chosen.getrandbits(24):06x}ff",),
            total=5,
        )
        for _ in range(count)
    )
    return Figure(axes=(AXES,), texts=texts, marks=marks)


def test_equal_figures_of_any_size_score_1() -> None:
    figure = crowded(2_000, 1)
    assert scored(figure, figure) == dict.fromkeys(SCORES, 1.0)


@pytest.mark.slow
def test_different_figures_of_any_size_stay_within_bounds() -> None:
    values = scored(crowded(2_000, 2), crowded(2_000, 3))
    assert all(0.0 <= value <= 1.0 for value in values.values())


@given(figures)
def test_every_figure_equals_itself(figure: Figure) -> None:
    assert scored(figure, figure) == pytest.approx(dict.fromkeys(SCORES, 1.0))


@given(figures, figures)
def test_scores_lie_between_0_and_1(one: Figure, other: Figure) -> None:
    assert all(0.0 <= value <= 1.0 for value in scored(other, one).values())


@given(figures, figures)
def test_scores_other_than_data_are_symmetric(one: Figure, other: Figure) -> None:
    forth, back = scored(other, one), scored(one, other)
    assert {**forth, "data": 0.0} == pytest.approx({**back, "data": 0.0})


@given(figures, figures, st.randoms(use_true_random=False))
def test_the_order_of_texts_and_marks_does_not_matter(
    one: Figure, other: Figure, chosen: random.Random
) -> None:
    shuffled = replace(
        other,
        texts=tuple(chosen.sample(other.texts, len(other.texts))),
        marks=tuple(chosen.sample(other.marks, len(other.marks))),
    )
    assert scored(shuffled, one) == pytest.approx(scored(other, one))


@given(figures)
def test_a_figure_survives_as_text(figure: Figure) -> None:
    assert figure_from_text(figure_to_text(figure)) == figure


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"axes":[],"texts":[],"marks":[{}]}', "null", "1"])
def test_other_texts_are_no_figures(text: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - of the reader of JSON or of the fields
        figure_from_text(text)
