"""The columns of OmniDocBench, in both profiles."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from i2s_client.service_table import DOCUMENTS
from i2s_sdk.instances.instance import Instance
from i2s_sdk.run.conversions import FORMULA_RENDERER
from i2s_sdk.run.steps import optional_services, run_metrics, score_steps, scoring_services
from i2s_sdk.scoring.scorer import FORMULA, FORMULAS_NOT_DRAWN, Conversion, MetricValues, NotUsable, Scorable
from i2s_sdk.scoring.workers import ScorerWorkers
from i2s_sdk.stack.services import Services
from i2s_sdk.tasks.omnidocbench.page import MAX_BLOCKS
from i2s_sdk.tasks.omnidocbench.scorer import MAX_CHARACTERS, OmniDocBenchScorer
from i2s_sdk.tasks.omnidocbench.spec import markdown_of
from i2s_sdk.tasks.registry import open_task
from i2s_wire.metrics.profile import Profile
from i2s_wire.render.page_objects import PageObjectKind
from omnidocbench_page import HTML, annotation, element

PAPER, REFERENCE = OmniDocBenchScorer(Profile.PAPER), OmniDocBenchScorer(Profile.HELM)
BOTH = pytest.mark.parametrize("scorer", [PAPER, REFERENCE], ids=["paper", "reference"])


def _drawn(latex: str) -> str:
    """Return letters and digits as an engine would draw them, one behind the other."""
    rows = [
        [int(PageObjectKind.GLYPH), one, 0, 10_000, 6000 * at, 0, 6000 * at + 5000, 7000]
        for at, one in enumerate(latex)
        if one.isalnum()
    ]
    return json.dumps({"fonts": ["CMR10"], "objects": rows, "limit": ""})


def _sample(scorer: OmniDocBenchScorer, structure: str | None, page: dict[str, Any]) -> Scorable:
    """Return a sample with everything that a scorer asks for: LaTeX tables are a table of one cell."""
    sample = Scorable("a", structure, target=page)
    while wanted := scorer.conversions(sample):
        done = {
            one.key: _drawn(one.text) if one.format == "formula" else "<table><tr><td>x</td></tr></table>"
            for one in wanted
        }
        sample = replace(sample, conversions={**sample.conversions, **done})
    return sample


def _values(scorer: OmniDocBenchScorer, structure: str | None, page: dict[str, Any]) -> MetricValues:
    found = scorer.score(_sample(scorer, structure, page))
    assert isinstance(found, MetricValues)
    return found


@BOTH
def test_the_annotation_as_markdown_has_1_everywhere(scorer: OmniDocBenchScorer) -> None:
    found = _values(scorer, markdown_of(annotation()), annotation())
    assert set(found.metrics.values()) == {1.0}
    assert found.undefined == {}


@BOTH
def test_a_header_changes_nothing(scorer: OmniDocBenchScorer) -> None:
    found = _values(scorer, f"Annals of the Sea\n\n{markdown_of(annotation())}", annotation())
    assert set(found.metrics.values()) == {1.0}


@BOTH
def test_an_empty_page_and_a_missing_one_have_0(scorer: OmniDocBenchScorer) -> None:
    for found in (
        _values(scorer, None, annotation()),
        scorer.unusable(Scorable("a", "x", target=annotation())),
    ):
        assert {name: value for name, value in found.metrics.items() if value != 0} in (
            {},
            {"precision": None},
        )


@BOTH
def test_columns_have_no_value_where_the_page_has_none_of_their_kind(scorer: OmniDocBenchScorer) -> None:
    page = annotation(layout_dets=[element("title", 1, text="On the tides")])
    found = _values(scorer, "On the tides", page)
    assert found.metrics["text_edit"] == found.metrics["reading_order"] == 1
    missing = {name for name, value in found.metrics.items() if value is None}
    assert missing == set(found.undefined) == set(found.metrics) - {"text_edit", "reading_order", "precision"}
    assert found.undefined["table_teds"] == "the page has no table"


@BOTH
def test_texts_count_by_their_lengths_and_the_order_by_their_places(scorer: OmniDocBenchScorer) -> None:
    page = annotation(
        layout_dets=[element("text_block", 1, text="a" * 30), element("text_block", 2, text="b" * 10)]
    )
    found = _values(scorer, "b" * 10 + "\n\n" + "a" * 27 + "cde", page)
    assert found.metrics["text_edit"] == pytest.approx(1 - 3 / 40)
    assert found.metrics["reading_order"] == 0


@BOTH
def test_several_tables_and_formulas_have_the_mean(scorer: OmniDocBenchScorer) -> None:
    other = HTML.replace("1", "7").replace("2", "8")
    page = annotation(
        layout_dets=[
            element("table", 1, html=HTML), element("table", 2, html=other),
            element("equation_isolated", 3, latex="a = bcd"), element("equation_isolated", 4, latex="xyzw"),
        ]
    )  # fmt: skip
    found = _values(scorer, f"{HTML}\n\n$$a = bce$$", page)
    assert found.metrics["table_teds"] == found.metrics["table_teds_s"] == 0.5
    assert found.metrics["formula_cdm"] == 0.375


def test_a_table_that_is_far_from_the_true_one_is_below_0_in_reference_alone() -> None:
    page = annotation(layout_dets=[element("table", 1, html=f"<table>{'<tr><td>a</td></tr>' * 6}</table>")])
    wrong = f"<table><tr>{'<td>b</td>' * 6}</tr></table>"
    values = [_values(one, wrong, page).metrics["table_teds"] for one in (PAPER, REFERENCE)]
    assert values[0] == 0
    assert values[1] is not None
    assert values[1] < 0


@BOTH
def test_a_latex_table_is_what_pandoc_makes_of_it(scorer: OmniDocBenchScorer) -> None:
    page = annotation(layout_dets=[element("table", 1, html="<table><tr><td>x</td></tr></table>")])
    found = _values(scorer, "\\begin{tabular}{l}x\\end{tabular}", page)
    assert found.metrics["table_teds"] == 1


@BOTH
def test_a_formula_that_the_truth_cannot_draw_has_no_value(scorer: OmniDocBenchScorer) -> None:
    page = annotation(layout_dets=[element("equation_isolated", 1, latex="+")])
    found = _values(scorer, "$$+$$", page)
    assert found.metrics["formula_cdm"] is None
    assert found.undefined["formula_cdm"] == "no formula of the annotation can be drawn"


def test_a_formula_as_text_is_0_and_a_text_besides_in_reference() -> None:
    page = annotation(
        layout_dets=[element("equation_isolated", 1, latex="E=mc"), element("title", 2, text="On the tides")]
    )
    assert _values(PAPER, "E=mc\n\nOn the tides", page).metrics["formula_cdm"] == 0
    found = _values(REFERENCE, "E=mc\n\nOn the tides", page)
    assert found.metrics["formula_cdm"] == 0
    assert found.metrics["formula_edit"] is None
    assert found.metrics["text_edit"] == 1


def test_a_formula_as_text_leaves_the_mean_of_others_in_reference() -> None:
    formulas = [element("equation_isolated", at, latex=one) for at, one in enumerate(("E=mc", "xyz"), 1)]
    page = annotation(layout_dets=formulas)
    assert _values(REFERENCE, "E=mc\n\n$$xyz$$", page).metrics["formula_cdm"] == 1
    assert _values(PAPER, "E=mc\n\n$$xyz$$", page).metrics["formula_cdm"] == 0.5


def test_precision_is_the_share_of_what_belongs_to_the_page() -> None:
    page = annotation(layout_dets=[element("title", 1, text="Onthetides")])
    found = _values(PAPER, "Onthetides\n\n0123456789", page)
    assert found.metrics["text_edit"] == 1
    assert found.metrics["precision"] == 0.5


def test_cells_of_a_table_that_the_page_does_not_have_are_texts() -> None:
    page = annotation(layout_dets=[element("title", 1, text="On the tides"), element("title", 2, text="Sea")])
    pipes = "| On the tides | Sea |\n|---|---|"
    assert _values(PAPER, pipes, page).metrics["text_edit"] == 1
    assert _values(REFERENCE, pipes, page).metrics["text_edit"] == 0


@BOTH
@pytest.mark.parametrize(
    ("structure", "said"),
    [
        ("x" * (MAX_CHARACTERS + 1), "more than 200,000 characters"),
        ("x\n\n" * (MAX_BLOCKS + 1), "more than 1000 blocks"),
    ],
)
def test_limits_are_named(scorer: OmniDocBenchScorer, structure: str, said: str) -> None:
    sample = Scorable("a", structure, target=annotation())
    assert scorer.conversions(sample) == ()
    found = scorer.score(sample)
    assert isinstance(found, NotUsable)
    assert said in found.reason


def test_rows_of_an_array_of_one_column_are_formulas_of_their_own() -> None:
    latex = "\\begin{array}{l} ab \\\\ cd \\end{array}"
    page = annotation(layout_dets=[element("equation_isolated", 1, latex=latex)])
    sample = Scorable("a", "$$ab$$\n\n$$cd$$", target=page)
    assert [conversion.text for conversion in PAPER.conversions(sample)] == ["ab", "cd"]
    assert Conversion("formula", "ab") in PAPER.conversions(replace(sample, structure=f"$${latex}$$"))


@BOTH
def test_formulas_of_the_annotation_are_drawn_before_those_of_the_prediction(
    scorer: OmniDocBenchScorer,
) -> None:
    page = annotation(layout_dets=[element("equation_isolated", 1, latex="a = bcd")])
    sample = Scorable("a", "$$a = bce$$", target=page)
    (first,) = scorer.conversions(sample)
    assert first.text == "a = bcd"
    (then,) = scorer.conversions(replace(sample, conversions={first.key: _drawn("a = bcd")}))
    assert then.text == "a = bce"


@BOTH
def test_without_drawn_formulas_only_their_columns_are_missing_with_the_reason(
    scorer: OmniDocBenchScorer,
) -> None:
    without = scorer.without_formulas()
    structure = markdown_of(annotation())
    assert not [
        conversion
        for conversion in without.conversions(Scorable("a", structure, target=annotation()))
        if conversion.format == FORMULA
    ]
    whole, found = (_values(one, structure, annotation()) for one in (scorer, without))
    lost = set(scorer.formula_metrics)
    assert lost == {"formula_cdm", "formula_glyph_f1"} & set(whole.metrics)
    assert found.undefined == dict.fromkeys(lost, FORMULAS_NOT_DRAWN)
    assert found.metrics == {**whole.metrics, **dict.fromkeys(lost)}
    unusable = without.unusable(Scorable("a", "x", target=annotation()))
    assert {name for name, one in unusable.undefined.items() if one == FORMULAS_NOT_DRAWN} == lost


@BOTH
def test_a_run_without_the_renderer_of_formulas_goes_on(scorer: OmniDocBenchScorer) -> None:
    task = open_task("omnidocbench", scorer.profile)
    assert scoring_services([task]) == {DOCUMENTS}
    assert FORMULA_RENDERER in scoring_services([task], {"formula_cdm"})
    assert FORMULA_RENDERER not in scoring_services([task], {"text_edit"})
    versions, unavailable = run_metrics([task], None, missing={FORMULA_RENDERER: "no TeX"})
    assert unavailable == {f"{name} of omnidocbench": "no TeX" for name in scorer.formula_metrics}
    assert set(versions) == {metric.name for metric in scorer.metrics} - set(scorer.formula_metrics)
    (step,) = score_steps({"omnidocbench": task}, Services({}, None, {}), versions, ScorerWorkers()).values()
    assert step.scorers == (scorer.without_formulas(),)


def test_only_pages_with_formulas_ask_for_the_renderer() -> None:
    task = open_task("omnidocbench")
    plain = annotation(layout_dets=[element("title", 1, text="On the tides")])
    with_formula, without = (
        Instance("a", "omnidocbench", "book", None, target=one) for one in (annotation(), plain)
    )
    assert optional_services([task], [with_formula, without]) == {FORMULA_RENDERER}
    assert optional_services([task], [without]) == set()
