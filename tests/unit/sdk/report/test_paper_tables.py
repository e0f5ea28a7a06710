"""Runs in the tables of the paper."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from i2s_sdk.report.compared import compare_views
from i2s_sdk.report.paper_tables import table
from i2s_sdk.report.published import published_table
from i2s_sdk.report.tables import PaperTable, latex, markdown, print_table
from i2s_sdk.report.view import views_of
from i2s_sdk.run.storage.folder import read_run
from i2s_sdk.stats.aggregate import Summary, summarize_run
from run_folders import make_run

EVIL = r"a_b|c & 50% \input{x} $y$ #1 ~^ <b>*z*"


@pytest.fixture
def runs(tmp_path: Path) -> list[Path]:
    return [make_run(tmp_path / salt, 60, salt=salt, model=f"model-{salt}", pictures=False) for salt in "ab"]


def _summary(runs: list[Path]) -> Summary:
    """Return the numbers of the first run over the instances that all have scored."""
    return compare_views(views_of([read_run(run) for run in runs])).summaries["model-a"]


def _line(found: PaperTable, model: str) -> dict[str, object]:
    names = [f"{heading.group} {heading.name}".strip() for heading in found.headings[1:]]
    values = next(line.values for line in found.lines if line.model == model)
    return dict(zip(names, values, strict=True))


def test_the_overall_table_is_that_of_the_paper(runs: list[Path]) -> None:
    overall = table(runs)[0]
    assert [f"{heading.group} {heading.name}".strip() for heading in overall.headings] == [
        "Model",
        "Mean win rate",
        "Image2LaTeX Rendering success",
        "Image2LaTeX EMS",
        "Image2Webpage Rendering success",
        "Image2Webpage EMS",
        "Image2Music Rendering success",
        "Image2Music EMS",
        "Scored",
    ]
    summary = _summary(runs)
    line = _line(overall, "model-a")
    assert line["Image2LaTeX EMS"] == summary.tasks["latex"].values["ems"]
    assert line["Image2Music Rendering success"] == summary.tasks["music"].values["rendered"]
    own = summarize_run(read_run(runs[0]))
    assert line["Scored"] == f"{own.scored} of {own.planned}"
    assert summary.scored < own.scored < own.planned
    rates = [line.values[0] for line in overall.lines]
    assert rates == sorted(rates, reverse=True)
    assert sum(rates) == pytest.approx(1.0)


def test_a_task_has_the_columns_of_the_paper_and_its_wild_subsets_a_table_of_their_own(
    runs: list[Path],
) -> None:
    found = table(runs)
    assert [one.title for one in found] == [
        "Results (as Table 2 of the paper)",
        "Image2LaTeX (as Table A2 of the paper)",
        "Image2Webpage (as Table A3 of the paper)",
        "Image2Music (as Table A4 of the paper)",
        "Image2LaTeX, wild subsets",
    ]
    names = [heading.name for heading in found[1].headings]
    assert names == ["Model", "Rendering success", "EMS", "Pixel similarity", "SSIM", "Edit sim.", "Scored"]
    assert "Edit sim." not in [heading.name for heading in found[3].headings]
    assert [line.model for line in found[4].lines] == ["model-a, wild", "model-b, wild"]


def test_means_may_be_over_rendered_samples(runs: list[Path]) -> None:
    total = _summary(runs).tasks["latex"].total
    line = _line(table(runs, rendered_only=True)[1], "model-a")
    assert line["SSIM"] == total.metrics["ssim"].rendered.value
    assert line["Rendering success"] == total.share_rendered


def test_intervals_stand_beside_values_where_they_are_wanted(runs: list[Path]) -> None:
    found = table(runs)[1]
    total = _summary(runs).tasks["latex"].total
    line = next(line for line in found.to_json()["lines"] if line["model"] == "model-a")
    assert line["intervals"]["Rendering success"] == total.success.interval
    assert line["interval_kinds"]["Rendering success"] == "wilson"
    assert line["interval_kinds"]["EMS"] == "bayesian_bootstrap"
    assert line["values"]["EMS"] == total.metrics["ems"].all.value
    low, high = total.success.interval or (0, 0)
    shown = f"{total.share_rendered:.3f} ({low:.3f} to {high:.3f})"
    assert shown in markdown(found, intervals=True)
    assert shown not in markdown(found)
    assert shown in latex(found, intervals=True)


def test_published_rows_stand_among_ours_with_the_win_rate_as_printed(runs: list[Path]) -> None:
    overall, of_latex, *_ = table(runs, published=True)
    assert sum(line.published for line in overall.lines) == 14
    line = _line(overall, "GPT-4 Omni")
    assert (line["Image2Webpage EMS"], line["Win rate as printed"], line["Scored"]) == (0.71, 0.923, None)
    assert _line(of_latex, "Palmyra Vision 003")["CIS"] == 0.617
    assert _line(of_latex, "model-a")["CIS"] is None
    assert any("profile helm" in note for note in overall.notes)
    assert [line.mark for line in overall.lines] == [True, True, *[False] * 14]
    assert [line.values[0] for line in overall.lines[:2]] == [None, None]
    assert sum(line.values[0] for line in overall.lines[2:]) == pytest.approx(7.0)
    assert any("model-a, model-b (36 instances of other data" in note for note in of_latex.notes)
    assert "model-a ‡" in markdown(of_latex)
    assert r"model-a \ddag{}" in latex(of_latex)


def test_a_run_named_as_a_published_model_is_a_row_of_its_own(tmp_path: Path) -> None:
    name = next(iter(published_table("2").rows))
    overall = table([make_run(tmp_path / "a", 20, model=name, pictures=False)], published=True)[0]
    assert [line.published for line in overall.lines if line.model == name].count(False) == 1
    assert len(overall.lines) == 15


def test_json_names_each_value(runs: list[Path]) -> None:
    plain = json.loads(json.dumps([one.to_json() for one in table(runs, published=True)]))
    row = next(line for line in plain[0]["lines"] if line["model"] == "GPT-4 Omni")
    assert row["published"] is True
    assert row["values"]["Image2Music EMS"] == 0.34


def test_names_are_escaped_in_every_format(tmp_path: Path) -> None:
    overall = table([make_run(tmp_path / "a", 5, model=EVIL, pictures=False)])[0]
    assert (
        r"a\_b\textbar{}c \& 50\% \textbackslash{}input\{x\} \$y\$ \#1 \textasciitilde{}\textasciicircum{} "
        r"\textless{}b\textgreater{}*z*"
    ) in latex(overall)
    assert r"| a\_b\|c & 50% \\input{x} $y$ #1 \~^ \<b\>\*z\* |" in markdown(overall)
    stream = io.StringIO()
    print_table(overall, stream)
    assert EVIL in stream.getvalue()


def test_rows_of_latex_have_as_many_cells_as_columns(runs: list[Path]) -> None:
    for one in table(runs, published=True):
        lines = latex(one).splitlines()
        columns = len(one.headings)
        rows = [
            line for line in lines if line.endswith(r"\\") and not line.startswith((r"\multicolumn", "&"))
        ]
        assert {line.count("&") + 1 for line in rows} == {columns}
        assert len(rows) == len(one.lines) + 1
