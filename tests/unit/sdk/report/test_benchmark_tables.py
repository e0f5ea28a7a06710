"""Tables over the tasks of a benchmark, and what a report and the terminal say of its mean."""

from __future__ import annotations

import io
from dataclasses import replace

import pytest

from i2s_sdk.instances.instance import Instance
from i2s_sdk.report.compared import ComparedRuns
from i2s_sdk.report.paper_tables import paper_tables
from i2s_sdk.report.summary import print_summary
from i2s_sdk.report.tables import PaperTable
from i2s_sdk.run.storage.record import Outcome
from i2s_sdk.stats.aggregate import Summary, aggregate
from i2s_sdk.stats.columns import Columns
from i2s_sdk.stats.means import Mean
from i2s_sdk.tasks.metrics import metrics_of
from i2s_sdk.tasks.registry import BENCHMARKS, open_task, task_spec
from i2s_wire.metrics.profile import Profile
from sample_records import flat_record

WEB = next(benchmark for benchmark in BENCHMARKS if benchmark.name == "visualwebbench")


def _summary(*tasks: str) -> Summary:
    """Return the numbers of a run of one sample of each task, whose main metric is 0.1, 0.2 and so on."""
    instances = [Instance(task, task, "s", None) for task in tasks]
    records = {
        task: flat_record(
            task,
            task,
            "s",
            "",
            outcome=Outcome.SCORED,
            usable=True,
            metrics={task_spec(task).main_metric: at / 10},
        )
        for at, task in enumerate(tasks, start=1)
    }
    columns = {task: Columns(metrics_of(open_task(task))) for task in tasks}
    return aggregate(instances, records, columns, Profile.PAPER, BENCHMARKS)


def _row(table: PaperTable, model: str) -> dict[str, object]:
    names = [f"{heading.group} {heading.name}".strip() for heading in table.headings[1:]]
    return dict(zip(names, next(line.values for line in table.lines if line.model == model), strict=True))


def test_a_benchmark_with_a_mean_has_it_as_a_column() -> None:
    overall, *of_tasks = paper_tables(ComparedRuns({"mine": _summary(*WEB.main_metrics)}))
    assert overall.title == "VisualWebBench"
    assert _row(overall, "mine")["Mean"] == pytest.approx(0.4)
    assert _row(overall, "mine")["Scored"] == "7 of 7"
    assert [task.title for task in of_tasks] == [task_spec(task).title for task in WEB.main_metrics]


def test_published_rows_stand_beside_with_their_mean() -> None:
    overall = paper_tables(ComparedRuns({"mine": _summary(*WEB.main_metrics)}), published=True)[0]
    assert _row(overall, "GPT-4V")["Mean"] == 0.646
    assert "arXiv:2404.05955" in " ".join(overall.notes)
    assert "Image2Struct" not in " ".join(overall.notes)


def test_a_part_of_a_benchmark_has_no_mean() -> None:
    overall = paper_tables(ComparedRuns({"mine": _summary("webqa", "web_caption")}))[0]
    assert _row(overall, "mine")["Mean"] is None


def test_tasks_of_two_benchmarks_have_a_table_each() -> None:
    titles = [
        paper_table.title
        for paper_table in paper_tables(
            ComparedRuns({"mine": _summary("latex", "webqa"), "other": _summary("webqa")})
        )
    ]
    assert titles[:2] == ["Results (as Table 2 of the paper)", "VisualWebBench"]


def test_the_table_of_a_benchmark_leaves_out_runs_without_its_tasks() -> None:
    overall, of_web, *_ = paper_tables(ComparedRuns({"mine": _summary("latex"), "other": _summary("webqa")}))
    assert [[line.model for line in one.lines] for one in (overall, of_web)] == [["mine"], ["other"]]


def test_the_terminal_says_the_mean() -> None:
    stream = io.StringIO()
    print_summary(_summary(*WEB.main_metrics), {}, stream)
    assert "visualwebbench: 0.400" in stream.getvalue()
    assert "the mean of the main metrics of 7 tasks" in stream.getvalue()


def test_the_terminal_says_that_there_is_no_mean() -> None:
    summary = _summary(*WEB.main_metrics)
    stream = io.StringIO()
    print_summary(replace(summary, benchmarks={"visualwebbench": Mean(None, 3)}), {}, stream)
    assert (
        "visualwebbench: no mean, since a task has no value; there are values of 3 tasks" in stream.getvalue()
    )
