"""The scores of other benchmarks: values computed by hand, and what holds of all figures."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import given

from i2s_sdk.scoring.scorer import MetricValues, Scorable
from i2s_sdk.tasks.chart.colors import difference, lab, on_white
from i2s_sdk.tasks.chart.published import CHARTMIMIC, NO_CALLS, PUBLISHED
from i2s_sdk.tasks.chart.scorer import ElementScorer, PublishedScorer, figure_to_text
from i2s_sdk.tasks.chart.task import ChartTask
from i2s_wire.metrics.profile import Profile
from i2s_wire.render.figure import Axes, Call, Figure, FigureBox, FigureText, Mark, MarkKind
from random_figures import figures

RED, BLUE, GREEN = "#ff0000ff", "#0000ffff", "#00ff00ff"
LINE = Mark(MarkKind.LINE, 0, colors=(RED,), total=2)
BARS = Mark(MarkKind.BARS, 0, colors=(RED, BLUE, RED), total=3)
FIGURE = Figure(
    1,
    6.0,
    4.0,
    100,
    (Axes(rows=1, columns=2), Axes(rows=1, columns=2, first_column=1, last_column=1)),
    (FigureText("Rain\nand snow", box=FigureBox(0.5, 0.1)), FigureText("month", box=FigureBox(0.5, 0.9))),
    (LINE, BARS),
    calls=(Call("Axes.bar", 1), Call("Axes.plot", 3)),
)


def score(name: str, candidate: Figure, reference: Figure = FIGURE) -> float | None:
    return PUBLISHED[name](reference, candidate)


def similar(one: str, other: str) -> float:
    return 1 - difference(lab(*on_white(one)), lab(*on_white(other))) / 100


def test_equal_figures_score_1() -> None:
    assert {score(name, FIGURE) for name in PUBLISHED} == {1.0}


def test_an_empty_figure_scores_0() -> None:
    assert {score(name, Figure(calls=())) for name in PUBLISHED} == {0.0}


def test_each_line_of_a_text_counts_by_itself() -> None:
    candidate = replace(FIGURE, texts=(FigureText("and snow"), FigureText("Month")))
    assert score("chartmimic_text", candidate) == pytest.approx(2 * 1 / (3 + 2))


def test_a_dollar_sign_without_mathematics_is_drawn_without_what_escapes_it() -> None:
    escaped, plain = (replace(FIGURE, texts=(FigureText(text),)) for text in (r"\$5", "$5"))
    assert score("chartmimic_text", escaped, plain) == 1.0
    mathematics = replace(FIGURE, texts=(FigureText("$5$"),))
    assert score("chartmimic_text", mathematics, replace(FIGURE, texts=(FigureText("5"),))) == 0.0


def test_axes_match_by_their_cells_and_those_in_no_grid_do_not_count() -> None:
    single = replace(FIGURE, axes=(FIGURE.axes[0], Axes()))
    assert score("chartmimic_layout", single) == pytest.approx(2 * 1 / (2 + 1))
    assert score("chartmimic_layout", replace(FIGURE, axes=(Axes(rows=1, columns=1),))) == 0.0


def test_calls_match_by_function_and_number() -> None:
    candidate = replace(FIGURE, calls=(Call("Axes.plot", 2), Call("Axes.scatter", 1)))
    assert score("chartmimic_type", candidate) == pytest.approx(2 * 2 / (4 + 3))


def test_calls_that_were_not_recorded_leave_their_score_undefined() -> None:
    unknown = replace(FIGURE, calls=None)
    assert score("chartmimic_type", FIGURE, unknown) is None
    assert score("chartmimic_type", unknown) == 0.0
    values = PublishedScorer().score(
        Scorable("a", text=figure_to_text(FIGURE), truth=figure_to_text(unknown))
    )
    assert isinstance(values, MetricValues)
    assert values.metrics["chartmimic_type"] is None
    assert values.undefined == {"chartmimic_type": NO_CALLS}


def test_colours_match_within_a_kind_of_mark() -> None:
    # The reference has one colour of lines and two of bars; a colour of another kind has no match.
    candidate = replace(FIGURE, marks=(replace(LINE, colors=(GREEN,)), replace(BARS, kind=MarkKind.AREA)))
    assert score("chartmimic_color", candidate) == pytest.approx(2 * similar(RED, GREEN) / (3 + 3))


def test_colours_are_assigned_for_the_greatest_sum() -> None:
    reference = replace(FIGURE, marks=(replace(BARS, colors=("#ff0000ff", "#00ff00ff")),))
    candidate = replace(FIGURE, marks=(replace(BARS, colors=("#00ee00ff", "#ee0000ff", "#0000ffff")),))
    found = similar("#ff0000ff", "#ee0000ff") + similar("#00ff00ff", "#00ee00ff")
    assert score("chartmimic_color", candidate, reference) == pytest.approx(2 * found / (2 + 3))


def test_transparency_is_no_difference_and_colour_maps_match_by_name() -> None:
    clear = replace(FIGURE, marks=(replace(LINE, colors=("#ff000080",)), BARS))
    assert score("chartmimic_color", clear) == 1.0
    cells = replace(FIGURE, marks=(Mark(MarkKind.CELLS, color_map="viridis"),))
    other = replace(FIGURE, marks=(Mark(MarkKind.CELLS, color_map="magma"),))
    assert (score("chartmimic_color", cells, cells), score("chartmimic_color", other, cells)) == (1.0, 0.0)


def test_texts_match_without_case_if_they_are_near() -> None:
    # 22.3 pixels at most: a step of 0.03 is 18 pixels of 600 across, one of 0.06 is 24 pixels of 400 down.
    near = FigureText(" rain\nAND snow ", box=FigureBox(0.53, 0.1))
    far = FigureText("month", box=FigureBox(0.5, 0.96))
    assert score("plot2code_text", replace(FIGURE, texts=(near, far))) == pytest.approx(1 / (1 + 1 + 1))
    assert math.exp(-18 / 100) > 0.8 > math.exp(-24 / 100)


def test_texts_are_matched_once_each() -> None:
    twice = replace(FIGURE, texts=(FIGURE.texts[1], FIGURE.texts[1]))
    assert score("plot2code_text", twice) == pytest.approx(1 / (1 + 1 + 1))


def test_equal_texts_of_any_number_match() -> None:
    crowd = replace(FIGURE, texts=tuple(FigureText("7", box=FigureBox(n / 2_000)) for n in range(2_000)))
    assert score("plot2code_text", crowd, crowd) == 1.0


def test_figures_without_elements_are_equal() -> None:
    assert {score(name, Figure(calls=()), Figure(calls=())) for name in PUBLISHED} == {1.0}


@given(figures)
def test_every_figure_equals_itself(figure: Figure) -> None:
    found = {name: score(name, figure, figure) for name in PUBLISHED}
    expected = dict.fromkeys(PUBLISHED, 1.0) | ({"chartmimic_type": None} if figure.calls is None else {})
    assert found == pytest.approx(expected)


@given(figures, figures)
def test_scores_lie_between_0_and_1(one: Figure, other: Figure) -> None:
    assert all(0.0 <= value <= 1.0 for name in PUBLISHED if (value := score(name, other, one)) is not None)


@given(figures, figures)
def test_scores_of_chartmimic_are_symmetric(one: Figure, other: Figure) -> None:
    for name in CHARTMIMIC:
        if one.calls is not None and other.calls is not None:
            assert score(name, one, other) == pytest.approx(score(name, other, one))


def test_the_reference_profile_has_the_scores_of_elements_too() -> None:
    assert [type(scorer) for scorer in ChartTask(Profile.HELM).scorers] == [ElementScorer, PublishedScorer]
    assert [type(scorer) for scorer in ChartTask(Profile.PAPER).scorers] == [ElementScorer]
    assert PublishedScorer().unusable(Scorable("a")).metrics == dict.fromkeys(PUBLISHED, 0.0)
