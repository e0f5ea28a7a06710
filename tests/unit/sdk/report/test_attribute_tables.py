"""Tables of runs by attributes of the instances."""

from __future__ import annotations

from pathlib import Path

from i2s_sdk.report import table
from i2s_sdk.run.storage.manifest import PlannedInstance
from i2s_sdk.run.storage.record import Outcome
from run_folders import options, write_run
from sample_records import flat_record


def run(path: Path, task: str, pages: list[tuple[dict[str, str], float | None]]) -> Path:
    """Write a run of pages with these attributes and values of text_edit and table_teds."""
    planned = [PlannedInstance(f"page-{at}", task, "book") for at in range(len(pages))]
    records = {
        one.id: flat_record(
            one.id,
            task,
            "book",
            "",
            outcome=Outcome.SCORED,
            usable=True,
            metrics={"text_edit": 0.5, "table_teds": value},
            detail={"omnidocbench": {"page": attributes}},
        )
        for one, (attributes, value) in zip(planned, pages, strict=True)
    }
    metrics = {"text_edit": "1", "table_teds": "1"}
    return write_run(path, planned, records, options(tasks=(task,), metrics=metrics, engines={}))


def test_each_attribute_with_several_values_has_a_table(tmp_path: Path) -> None:
    pages = [
        ({"language": "english", "layout": "single"}, 1.0),
        ({"language": "chinese", "layout": "single"}, 0.0),
        ({"language": "english", "layout": "single"}, None),
    ]
    tables = {one.title: one for one in table([run(tmp_path / "a", "omnidocbench", pages)])}
    made = tables["OmniDocBench, by language"]
    assert [heading.name for heading in made.headings] == [
        "Model", "language", "text_edit", "table_teds", "overall", "Samples",
    ]  # fmt: skip
    assert [line.values for line in made.lines] == [
        ("chinese", 0.5, 0.0, 0.25, "1"),
        ("english", 0.5, 1.0, 0.75, "2"),
    ]
    assert "OmniDocBench, by layout" not in tables


def test_an_attribute_of_very_many_values_and_a_task_without_attributes_have_none(tmp_path: Path) -> None:
    many = [({"page": str(at)}, 1.0) for at in range(30)]
    for task in ("omnidocbench", "sobench"):
        (only,) = table([run(tmp_path / task, task, many)])
        assert "by" not in only.title


def test_runs_are_not_ranked_against_published_rows_that_are_measured_otherwise(tmp_path: Path) -> None:
    runs = [run(tmp_path / name, "omnidocbench", [({}, value)]) for name, value in (("a", 0.1), ("b", 1.0))]
    made = table(runs, published=True)[0]
    assert [line.published for line in made.lines[:3]] == [False, False, True]
    assert any("Not comparable" in note and "formula_cdm" in note for note in made.notes)
    assert not any("Not comparable" in note for note in table(runs)[0].notes)
