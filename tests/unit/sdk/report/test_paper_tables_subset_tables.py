"""Tables of one subset each, for tasks whose numbers are shown so."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from i2s_sdk.instances.instance import Instance
from i2s_sdk.report import write_report
from i2s_sdk.report.compared import ComparedRuns, compare_views
from i2s_sdk.report.paper_tables import paper_tables, subset_tables
from i2s_sdk.report.published import published_table
from i2s_sdk.report.summary import print_summary
from i2s_sdk.report.tables import Heading, PaperTable
from i2s_sdk.report.view import views_of
from i2s_sdk.run.storage.folder import read_run
from i2s_sdk.run.storage.manifest import PlannedInstance
from i2s_sdk.run.storage.record import Outcome
from i2s_sdk.stats.aggregate import Summary, aggregate
from i2s_sdk.stats.columns import Columns
from i2s_sdk.tasks.metrics import metrics_of
from i2s_sdk.tasks.readoc.scorer import COLUMNS, COLUMNS_OF_SUBSET
from i2s_sdk.tasks.registry import open_task, task_spec
from i2s_wire.metrics.profile import Profile
from run_folders import options, write_run
from sample_records import flat_record


def _summary(
    value: float, profile: Profile = Profile.HELM, subsets: tuple[str, ...] = ("arxiv", "github")
) -> Summary:
    """Return the numbers of a run: six documents of each subset, every other one with half the values."""
    records = {
        f"{subset} {at}": flat_record(
            f"{subset} {at}", "readoc", subset, "", outcome=Outcome.SCORED, usable=True,
            metrics={
                name: value / (1 + at % 2) if name in COLUMNS_OF_SUBSET.get(subset, COLUMNS) else None
                for name in COLUMNS
            },
        )
        for subset in subsets
        for at in range(6)
    }  # fmt: skip
    instances = [
        Instance(record.instance.id, "readoc", record.instance.subset, None) for record in records.values()
    ]
    spec = task_spec("readoc")
    columns = {"readoc": Columns(metrics_of(open_task("readoc", profile)), spec.averages)}
    return aggregate(instances, records, columns, profile)


def _names(table: PaperTable) -> list[str]:
    return [f"{heading.group}_{heading.name}".strip("_") for heading in table.headings[1:]]


def test_each_subset_has_a_table_with_its_columns_and_the_best_run_first() -> None:
    arxiv, github = subset_tables(ComparedRuns({"worse": _summary(0.4), "better": _summary(0.8)}), "readoc")
    assert (arxiv.title, github.title) == ("READOC, arxiv", "READOC, github")
    assert _names(arxiv) == [*(name.replace("_", "_", 1) for name in COLUMNS), "average", "Scored"]
    assert _names(github) == [*COLUMNS_OF_SUBSET["github"], "average", "Scored"]
    assert [line.model for line in github.lines] == ["better", "worse"]
    assert github.lines[0].values[-2:] == (pytest.approx(0.6), "6 of 6")
    assert github.lines[0].means[0] is not None
    assert any(note.startswith("No skill: ") for note in github.notes)
    assert github.lines[0].means[0].interval is not None


def test_published_rows_stand_below_the_runs() -> None:
    for table in subset_tables(ComparedRuns({"mine": _summary(0.8)}), "readoc", published=True):
        theirs = published_table(f"readoc {table.title.partition(', ')[2]}")
        published = {line.model: line.values for line in table.lines if line.published}
        assert published == {model: (*values, None) for model, values in theirs.rows.items()}
        assert [title for title, _ in table.blocks] == ["", "As published"]
        averages = [line.values[-2] for line in table.lines if line.published]
        assert averages == sorted(averages, reverse=True)
        assert not any("not so" in note for note in table.notes)


def _run(path: Path, model: str, value: float, subsets: tuple[str, ...]) -> Path:
    """Write a run of six documents of each subset, every other one with half the values."""
    records = {
        f"{subset} {at}": flat_record(
            f"{subset} {at}", "readoc", subset, "", outcome=Outcome.SCORED, usable=True,
            metrics={
                name: value / (1 + at % 2) if name in COLUMNS_OF_SUBSET.get(subset, COLUMNS) else None
                for name in COLUMNS
            },
        )
        for subset in subsets
        for at in range(6)
    }  # fmt: skip
    planned = [
        PlannedInstance(record.instance.id, "readoc", record.instance.subset) for record in records.values()
    ]
    given = options(model=model, tasks=("readoc",), metrics=dict.fromkeys(COLUMNS, "1"), engines={})
    return write_run(path, planned, records, given)


def test_a_subset_has_the_skill_over_its_own_documents_or_says_that_there_is_no_floor(tmp_path: Path) -> None:
    mine = _run(tmp_path / "a", "mine", 0.8, ("arxiv", "github"))
    blank = _run(tmp_path / "b", "baseline/blank", 0.4, ("github",))
    arxiv, github = subset_tables(compare_views(views_of([read_run(mine), read_run(blank)])), "readoc")
    assert [heading.name for heading in github.headings[:4]] == ["Model", "Skill", "Floor", "Ceiling"]
    own, floor = github.lines
    assert own.values[:3] == (pytest.approx((0.6 - 0.3) / 0.7), pytest.approx(0.3), 1.0)
    assert own.means[0] is not None
    assert own.means[0].interval is not None
    assert (floor.model, floor.values[:3]) == ("baseline/blank", (None, None, None))
    assert "Skill" not in [heading.name for heading in arxiv.headings]
    assert any(note.startswith("No skill: ") for note in arxiv.notes)


def test_a_run_of_another_profile_is_named() -> None:
    (table,) = subset_tables(
        ComparedRuns({"mine": _summary(0.8, Profile.PAPER, ("arxiv",))}), "readoc", published=True
    )
    assert "not so: mine" in " ".join(table.notes)


def test_a_subset_without_published_rows_has_a_table() -> None:
    (table,) = subset_tables(
        ComparedRuns({"mine": _summary(0.8, subsets=("zenodo",))}), "readoc", published=True
    )
    assert [line.model for line in table.lines] == ["mine"]


def test_other_tasks_have_none() -> None:
    assert subset_tables(ComparedRuns({"mine": _summary(0.8)}), "latex") == []


def test_tables_of_the_paper_have_subsets_instead_of_the_task() -> None:
    titles = [paper_table.title for paper_table in paper_tables(ComparedRuns({"mine": _summary(0.8)}))]
    assert titles == ["READOC, arxiv", "READOC, github"]


@pytest.mark.parametrize("name", ["readoc arxiv", "readoc github"])
def test_published_averages_are_means_of_the_columns(name: str) -> None:
    table = published_table(name)
    for model in table.rows:
        *columns, average = table.rows[model]
        # That of MinerU is printed 0.04 points higher than its columns say.
        assert average == pytest.approx(
            sum(columns) / len(columns), abs=0.0006 if model == "MinerU" else 0.0001
        )


def test_many_metrics_are_printed_by_the_row() -> None:
    stream = io.StringIO()
    print_summary(_summary(0.8), {}, stream)
    lines = {line.split()[0]: line.split() for line in stream.getvalue().splitlines() if line.strip()}
    assert lines["metric"][:4] == ["metric", "arxiv", "github", "readoc"]
    assert lines["text_concat"][1:4] == ["0.600", "0.600", "0.600"]
    assert lines["table_tree"][1:4] == ["0.600", "–", "0.600,"]
    assert lines["average"][1:4] == ["0.600", "0.600", "0.600"]
    assert "parentheses" not in stream.getvalue()
    assert max(map(len, stream.getvalue().splitlines())) <= 160


def test_names_of_columns_share_their_first_word() -> None:
    (table, _) = subset_tables(ComparedRuns({"mine": _summary(0.8)}), "readoc")
    assert table.headings[1:3] == (Heading("concat", "text"), Heading("vocab", "text"))


def test_the_report_marks_every_run_that_cannot_stand_beside_published_rows(tmp_path: Path) -> None:
    mine = _run(tmp_path / "a", "mine", 0.8, ("arxiv", "github"))
    blank = _run(tmp_path / "b", "baseline/blank", 0.4, ("arxiv", "github"))
    page = Path(str(write_report([mine, blank], tmp_path / "report").path)).read_text("utf-8")
    for name in ("mine", "baseline/blank"):
        assert page.count(f'<th scope="row">{name} ‡</th>') == 2, "in the table of each subset"
    assert '<th scope="row">Nougat-small <small>published</small></th>' in page
