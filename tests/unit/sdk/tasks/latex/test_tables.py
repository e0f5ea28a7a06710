"""The column teds of the LaTeX task: which tables are compared, and when there is no value."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from i2s_client import AsyncDocumentsClient
from i2s_client.service_table import DOCUMENTS
from i2s_sdk.instances.instance import Instance
from i2s_sdk.run.steps import optional_services, run_metrics, score_steps, scoring_services
from i2s_sdk.scoring.scorer import MetricValues, Scorable
from i2s_sdk.scoring.workers import ScorerWorkers
from i2s_sdk.stack.services import Services
from i2s_sdk.tasks.latex.tables import TEDS, TableTedsScorer, latex_tables
from i2s_sdk.tasks.latex.task import LatexTask
from i2s_sdk.text import teds
from i2s_wire.metrics.profile import Profile
from linear_time import assert_linear

_TABLE = r"\begin{tabular}{lr} q & 1 \\ b & 2 \end{tabular}"
_HTML = "<table><thead>\n<tr><th>{}</th>\n<th>1</th></tr></thead><tr><td>b</td><td>2</td></tr></table>"
_SCORER = TableTedsScorer()


def _score(
    structure: str | None, truth: str = _TABLE, html: dict[str, str | None] | None = None
) -> MetricValues:
    """The values; HTML by the first letter of a table, else of a table with that letter."""
    sample = Scorable("i", structure, truth=_TABLE)
    assert _SCORER.applies(sample)
    answers = {}
    for conversion in _SCORER.conversions(sample):
        letter = conversion.text.partition("} ")[2][:1]
        answers[conversion.key] = (html or {}).get(letter, _HTML.format(letter))
    sample = Scorable("i", structure, truth=_TABLE, conversions=answers)
    assert _SCORER.conversions(sample) == ()
    values = _SCORER.score(sample)
    assert isinstance(values, MetricValues)
    return values


def test_outermost_tables_are_found_without_comments_and_partial_rules() -> None:
    inner = r"\begin{tabular}{l} x \end{tabular}"
    code = rf"""\begin{{table}}
    \begin{{tabularx}}{{9cm}}{{l}} {inner} \cmidrule(lr){{1-2}} y % \begin{{tabular}}
    \end{{tabularx}} \begin{{longtable}}{{l}} z \end{{longtable}} \begin{{tabular*}}{{l}} not closed"""
    first, second = latex_tables(code)
    assert inner in first
    assert "cmidrule" not in first
    assert "%" not in first
    assert second == r"\begin{longtable}{l} z \end{longtable}"
    assert latex_tables(r"\begin{array}{l} a \end{array} \end{tabular}") == []


def test_only_ground_truth_with_a_table_has_the_column() -> None:
    assert not _SCORER.applies(Scorable("i", _TABLE, truth="x^2"))
    assert not _SCORER.applies(Scorable("i", _TABLE))


def test_tables_are_compared_as_pandoc_reads_them() -> None:
    assert _score(_TABLE).metrics == {TEDS: 1.0}
    assert _score(_TABLE.replace("q", "c")).metrics[TEDS] == pytest.approx(1 - 1 / 6)
    plain = "<table><tr><td>q</td><td>1</td></tr><tr><td>b</td><td>2</td></tr></table>"
    assert _score(_TABLE.replace("q", "d"), html={"d": plain}).metrics == {TEDS: 1.0}  # no head


@pytest.mark.parametrize(
    "rule",
    [
        r"\cmidrule{1-2}",
        r"\cmidrule(lr){1-2}",
        "\\cmidrule [\\heavyrulewidth]\n(l{2pt}) {1-2}",
        r"\cmidrule[1pt]{1-2}",
    ],
)
def test_partial_rules_are_left_out_in_every_form(rule: str) -> None:
    (table,) = latex_tables(rf"\begin{{tabular}}{{l}} x {rule} y \end{{tabular}}")
    assert table == r"\begin{tabular}{l} x  y \end{tabular}"


@pytest.mark.parametrize("part", [r"\cmidrule", r"\cmidrule[", r"\cmidrule(", r"\cmidrule{", " ", "\n"])
def test_partial_rules_are_looked_for_in_linear_time(part: str) -> None:
    def read(length: int) -> None:
        latex_tables(rf"\begin{{tabular}}{{l}} \cmidrule{part * (length // len(part))} \end{{tabular}}")

    assert_linear(read, 60_000, 2.0)


@pytest.mark.parametrize("structure", [None, "", "no table"])
def test_an_answer_without_a_table_counts_zero(structure: str | None) -> None:
    assert _score(structure).metrics == {TEDS: 0.0}


@pytest.mark.parametrize("html", [None, "", "<p>text</p>"])
def test_a_ground_truth_that_pandoc_does_not_read_has_no_value_and_such_an_answer_0(html: str | None) -> None:
    values = _score(_TABLE, html={"q": html})
    assert values.metrics == {TEDS: None}
    assert "of the ground truth" in values.undefined[TEDS]
    values = _score(_TABLE.replace("q", "c"), html={"c": html})
    assert values.metrics == {TEDS: 0.0}
    assert _score(None, html={"q": html}).metrics == {TEDS: None}


def test_a_limit_of_the_answer_counts_zero_and_one_of_the_ground_truth_has_no_value() -> None:
    long = "<table><tr><td>" + "x" * (teds.MAX_TOKENS + 1)
    values = _score(_TABLE.replace("q", "c"), html={"c": long})
    assert values.metrics == {TEDS: 0.0}
    assert "characters" in str(values.detail["limit"])
    assert "characters" in _score(_TABLE, html={"q": long}).undefined[TEDS]


def test_a_run_without_the_documents_service_lacks_this_metric_alone() -> None:
    task = LatexTask(Profile.PAPER)
    assert DOCUMENTS not in scoring_services([task])
    assert optional_services([task]) == {DOCUMENTS}
    versions, unavailable = run_metrics([task], None, missing={DOCUMENTS: "pandoc is not installed"})
    assert TEDS not in versions
    assert unavailable["teds of latex"] == "pandoc is not installed"
    assert "glyph_f1" in versions
    assert TEDS in run_metrics([task], None)[0]
    assert TEDS not in run_metrics([task], None, idle={DOCUMENTS})[0]
    assert optional_services([LatexTask(Profile.HELM)]) == set()


def test_who_asks_for_the_metric_by_name_needs_the_documents_service() -> None:
    task = LatexTask(Profile.PAPER)
    assert DOCUMENTS in scoring_services([task], {TEDS})
    assert DOCUMENTS not in scoring_services([task], {"ems", "edit"})
    assert DOCUMENTS not in scoring_services([LatexTask(Profile.HELM)], {TEDS})


@pytest.mark.parametrize("here", [True, False])
async def test_the_scorer_is_left_out_of_the_steps_without_the_service(here: bool) -> None:
    documents = AsyncDocumentsClient("127.0.0.1:9") if here else None
    services = Services({}, None, {}, documents=documents)
    (step,) = score_steps(
        {"latex": LatexTask(Profile.PAPER)}, services, {TEDS: "1", "edit": "1"}, ScorerWorkers()
    ).values()
    assert [scorer.name for scorer in step.scorers] == (["edit", TEDS] if here else ["edit"])


def test_only_runs_with_a_table_ask_for_the_documents_service(tmp_path: Path) -> None:
    task = LatexTask(Profile.PAPER)
    (tmp_path / "table.tex").write_text(_TABLE)
    (tmp_path / "formula.tex").write_text("x^2")
    table, formula, lost = (
        Instance(name, "latex", "any", None, structure=tmp_path / f"{name}.tex")
        for name in ("table", "formula", "lost")
    )
    assert optional_services([task], [formula, lost, Instance("wild", "latex", "wild", None)]) == set()
    assert optional_services([task], [formula, replace(table, task="music")]) == set()
    assert optional_services([task], [formula, table]) == {DOCUMENTS}
