"""Runs as tables."""

from __future__ import annotations

import csv
import importlib.util
import json
import math
import re
from dataclasses import fields
from pathlib import Path

import pandas
import pytest

from i2s_sdk.errors import UnknownNameError, UsageError
from i2s_sdk.report.experiment_logs import SampleTable
from i2s_sdk.run.export import FORMATS, columns, export
from i2s_sdk.run.generate import QuestionPart, SampleAnswer, StoredQuestion
from i2s_sdk.run.storage.codec import answer_line, record_line, rendering_line
from i2s_sdk.run.storage.folder import ANSWERS, RENDERINGS, read_run
from i2s_sdk.run.storage.manifest import PlannedInstance
from i2s_sdk.run.storage.record import FirstError, Outcome, RepairNote, TokenUsage
from i2s_sdk.stats.aggregate import summarize_run
from i2s_sdk.tasks.registry import task_spec
from i2s_wire.installation import install_command
from recorded import recorded_run
from run_folders import instances, make_run, options, record_of, rendered_of, write_run
from sample_records import changed, flat_record

READERS = {
    "parquet": pandas.read_parquet,
    "csv": pandas.read_csv,
    "jsonl": lambda path: pandas.read_json(path, lines=True),
}


@pytest.mark.parametrize("name", FORMATS)
def test_a_table_has_a_row_for_each_sample_and_the_numbers_of_the_run(tmp_path: Path, name: str) -> None:
    run = make_run(tmp_path / "run", 30, pictures=False)
    assert export(run, tmp_path / f"out.{name}") == 30
    table = READERS[name](tmp_path / f"out.{name}")
    stored = read_run(run)
    assert list(table.columns) == list(columns(stored))
    assert list(table["id"]) == [one.id for one in stored.planned]
    latex = table[(table.task == "latex") & (table.subset != "wild")]
    total = summarize_run(stored).tasks["latex"].total
    assert math.isclose(latex.ems.mean(), total.metrics["ems"].all.value or 0)
    assert latex.ems.count() == total.scored
    assert latex.rendered.sum() == total.rendered
    assert set(table.model) == {"model-a"}


def test_a_main_metric_that_is_an_average_has_a_column(tmp_path: Path) -> None:
    spec = task_spec("chart")
    metrics = dict.fromkeys(spec.averages[0].of, 0.25)
    planned = PlannedInstance("a", "chart", "bar")
    record = changed(record_of(planned), outcome=Outcome.SCORED, metrics=metrics)
    given = options(tasks=("chart",), metrics=dict.fromkeys(metrics, "1"))
    run = write_run(tmp_path / "run", [planned], {"a": record}, given)
    export(run, tmp_path / "out.jsonl")
    assert json.loads((tmp_path / "out.jsonl").read_text())[spec.main_metric] == 0.25
    table = SampleTable.of(read_run(run), tmp_path)
    assert table.rows[0][table.columns.index(spec.main_metric)] == 0.25


@pytest.mark.parametrize("name", FORMATS)
def test_texts_of_a_model_come_through_whole(tmp_path: Path, name: str) -> None:
    text = 'a,"b"\r\nc\n=1+1\té\u2028\x00 end'
    one = instances(1)[0]
    record = changed(record_of(one), completion=text, usage=TokenUsage(12, 34), cost=0.5, cached=True)
    run = write_run(tmp_path / "run", [one], {one.id: record}, options())
    export(run, tmp_path / "out", name)
    rows = READERS[name](tmp_path / "out").to_dict("records")
    assert rows[0]["completion"] == text
    assert (rows[0]["input_tokens"], rows[0]["output_tokens"], rows[0]["cost"]) == (12, 34, 0.5)
    assert json.loads(rows[0]["repairs"]) == [] or rows[0]["rendered"]


@pytest.mark.parametrize("name", FORMATS)
def test_half_of_a_character_does_not_stop_a_table(tmp_path: Path, name: str) -> None:
    one = instances(1)[0]
    record = changed(record_of(one), completion="\ud83d")
    run = write_run(tmp_path / "run", [one], {one.id: record}, options())
    assert export(run, tmp_path / "out", name) == 1


@pytest.mark.slow
def test_a_run_of_many_batches_is_whole(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", 2100, pictures=False)
    export(run, tmp_path / "out.parquet")
    assert len(pandas.read_parquet(tmp_path / "out.parquet")) == 2100


def test_an_unknown_format_is_told(tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'parquet'"):
        export(tmp_path, tmp_path / "out.parket")


def test_a_missing_package_is_one_line_with_the_command_that_mends_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = make_run(tmp_path / "run", 1, pictures=False)
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(UsageError, match=re.escape(install_command("i2s-sdk[parquet]"))):
        export(run, tmp_path / "out.parquet")
    assert [path.name for path in tmp_path.iterdir()] == ["run"]


def test_a_place_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", 1, pictures=False)
    (tmp_path / "file").touch()
    with pytest.raises(UsageError, match="cannot be written"):
        export(run, tmp_path / "file" / "out.csv")


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r", "\n"])
def test_a_text_that_a_spreadsheet_takes_for_a_formula_is_escaped_in_csv(tmp_path: Path, start: str) -> None:
    planned = [PlannedInstance("a", "latex", f"{start}HYPERLINK(1)")]
    record = changed(record_of(planned[0]), completion=f"{start}1", metrics={"ems": -0.5, "pixel": 1.0})
    write_run(tmp_path / "run", planned, {"a": record})
    export(tmp_path / "run", tmp_path / "run.csv")
    with (tmp_path / "run.csv").open(newline="", encoding="utf-8") as file:
        (row,) = csv.DictReader(file)
    assert (row["subset"], row["completion"]) == (f"'{start}HYPERLINK(1)", f"'{start}1")
    assert float(row["ems"]) == -0.5
    export(tmp_path / "run", tmp_path / "run.jsonl")
    assert json.loads((tmp_path / "run.jsonl").read_text())["completion"] == f"{start}1"


#: Columns of fields of a record that have other names there, or several.
OTHER_NAMES = {
    "error": "error_message",
    "error_before_repair": "error_before_repair_message",
    "failure": "failure_message",
    "metrics": "ems",
    "parts": "fma_numerator",
    "seconds": "seconds_render",
    "usage": "output_tokens",
}


@pytest.fixture
def whole(tmp_path: Path) -> Path:
    """A run whose one sample has something in every field."""
    planned = [PlannedInstance("a", "sobench", "sobench", "easy", "CC0-1.0", "a book")]
    record = flat_record(
        "a",
        "sobench",
        "sobench",
        "easy",
        outcome=Outcome.SCORED,
        usable=True,
        metrics={"fma": 0.25},
        parts={"fma": (1.0, 4.0)},
        detail={"fields": {"left": ["x"]}},
        repairs=(RepairNote("wrap_math", "", "Missing $ inserted."),),
        error_before_repair=FirstError("Missing $ inserted.", "MISSING_DOLLAR", 7),
        completion="{}",
        structure="{}",
        target_sha256="t" * 64,
        usage=TokenUsage(12, 34),
        cost=0.5,
        cached_cost=0.125,
        cached_at="2026-10-01T09:00:00+00:00",
    )
    given = options(tasks=("sobench",), metrics={"fma": "1"}, engines={})
    run = write_run(tmp_path / "run", planned, {"a": record}, given)
    parts = (QuestionPart("What is shown?"), QuestionPart(file="a.png", sha256="p" * 64))
    asked = StoredQuestion(parts, "Answer in JSON.", '{"type": "object"}')
    (run / ANSWERS).write_text(json.dumps(answer_line("a", SampleAnswer("{}", asked=asked))) + "\n")
    rendered = rendered_of(record, document="the document", log="the log", target="the target")
    (run / RENDERINGS).write_text(json.dumps(rendering_line(record.instance, rendered)) + "\n")
    return run


def test_every_field_of_a_record_and_of_an_instance_has_a_column(whole: Path) -> None:
    there = columns(read_run(whole))
    line = record_line(next(iter(read_run(whole).records.values())))
    of_record = {OTHER_NAMES.get(name, name) for name in line} - {"ems"}
    assert of_record | {field.name for field in fields(PlannedInstance)} <= there.keys()


@pytest.mark.parametrize("name", FORMATS)
def test_fields_of_all_stages_come_through(whole: Path, tmp_path: Path, name: str) -> None:
    export(whole, tmp_path / "out", name)
    (row,) = READERS[name](tmp_path / "out").to_dict("records")
    plain = {
        "licence": "CC0-1.0",
        "source": "a book",
        "difficulty": "easy",
        "fma": 0.25,
        "fma_numerator": 1.0,
        "fma_denominator": 4.0,
        "error_before_repair_message": "Missing $ inserted.",
        "error_before_repair_kind": "MISSING_DOLLAR",
        "error_before_repair_line": 7,
        "question": "What is shown?",
        "system_text": "Answer in JSON.",
        "target": "the target",
        "document": "the document",
        "log": "the log",
        "target_sha256": "t" * 64,
        "cost": 0.5,
        "cached_cost": 0.125,
    }
    assert {name: row[name] for name in plain} == plain
    assert pandas.Timestamp(row["cached_at"]) == pandas.Timestamp("2026-10-01T09:00:00+00:00")
    assert json.loads(row["detail"]) == {"fields": {"left": ["x"]}}
    assert json.loads(row["repairs"])[0]["kind"] == "wrap_math"
    (asked,) = json.loads(row["asked"])
    assert asked["parts"] == [{"text": "What is shown?"}, {"sha256": "p" * 64, "file": "a.png"}]
    assert asked["schema"] == '{"type": "object"}'


def test_a_run_of_an_earlier_version_has_the_same_columns_without_a_value(tmp_path: Path) -> None:
    run = recorded_run("finished", tmp_path)
    export(run, tmp_path / "out.jsonl")
    rows = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    assert {row["question"] for row in rows} == {None}
    assert {row["target_sha256"] for row in rows} == {None}
    assert {row["detail"] for row in rows} == {"{}"}
