"""The records of a run as one flat table, for pandas, DuckDB, spreadsheets."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from i2s_sdk.errors import UnknownNameError, UsageError, require_package
from i2s_sdk.run.storage.codec import question_fields, record_line
from i2s_sdk.run.storage.folder import StoredRun, read_run
from i2s_sdk.run.storage.interface import PathOrUrl, open_file
from i2s_sdk.run.storage.manifest import PlannedInstance
from i2s_sdk.run.storage.record import Record, SampleRendering, StoredQuestion
from i2s_sdk.scoring.scorer import Aggregate
from i2s_sdk.stats.accounts import accounts_of
from i2s_sdk.stats.aggregate import task_columns
from i2s_sdk.tasks.turn import is_turn_name, turn_name

_BATCH = 1000  # rows that a Parquet file has at a time in memory

#: A column is of one of these, in the words of Parquet.
_TEXT, _WHOLE, _REAL, _TRUTH = "string", "int64", "double", "bool"

#: Characters by which a spreadsheet knows a formula, or which it skips before one.
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n")

Row = dict[str, Any]


def export(run: PathOrUrl, file: PathOrUrl, format: str | None = None) -> int:
    """Write the records of a run as a table and return its number of rows.

    >>> export("runs/answers", "answers.csv")  # doctest: +SKIP

    One row a sample, in the order of the data set; of a run with turns one row an answer, with its number as
    ``turn``. Every format has the same columns. Lists stand as JSON.

    Args:
        run: Its folder, or its URL.
        file: The file that is written whole or not at all; a path, or a URL.
        format: "parquet", "csv" or "jsonl"; None goes by the ending of the file's name.

    Raises:
        UsageError: The folder is not a run, the format is unknown, or a package is missing; says what to do.
    """
    storage, file_name = open_file(file)
    name = format or Path(file_name).suffix.removeprefix(".").lower()
    if name not in FORMATS:
        raise UnknownNameError("format", name, FORMATS)
    stored = read_run(run)
    try:
        with storage.draft(file_name) as draft:
            FORMATS[name](draft, columns(stored), rows(stored))
    except OSError as error:
        raise UsageError(f"{file} cannot be written: {error.strerror}") from None
    return sum(1 + len(stored.turns.get(record.instance.id, ())) for record in stored.ordered())


def columns(run: StoredRun) -> dict[str, str]:
    """Return the columns of a run's table and their types."""
    tasks = dict.fromkeys(planned_instance.task for planned_instance in run.whole)
    all_columns = [task_columns(run.manifest, task) for task in tasks]
    metrics = [metric for own in all_columns for metric in own.metrics]
    pooled = dict.fromkeys(metric.name for metric in metrics if metric.aggregate is Aggregate.POOLED)
    turns = {"turn": _WHOLE, "turn_end": _TEXT} if run.manifest.options.turns > 1 else {}
    return {
        **dict.fromkeys(("id", "task", "subset", "difficulty", "licence", "source"), _TEXT),
        **turns,
        **dict.fromkeys(("label", "model", "profile", "outcome", "accounts"), _TEXT),
        **dict.fromkeys(("verdict", "verdict_before_repair"), _TEXT),
        **dict.fromkeys(("rendered", "rendered_before_repair", "usable", "usable_before_repair"), _TRUTH),
        **dict.fromkeys((name for own in all_columns for name in own.names), _REAL),
        **dict.fromkeys((part for name in pooled for part in _part_names(name)), _REAL),
        **dict.fromkeys(("undefined", "detail", "repairs", "message"), _TEXT),
        **_error_columns("error"),
        **_error_columns("error_before_repair"),
        **dict.fromkeys(("failure_kind", "failure_message"), _TEXT),
        **dict.fromkeys(("question", "system_text", "asked", "completion", "reading", "reasoning"), _TEXT),
        **dict.fromkeys(("structure", "assets"), _TEXT),
        **dict.fromkeys(("target", "document", "log"), _TEXT),
        **dict.fromkeys(("reference_sha256", "target_sha256", "rendering_sha256", "document_sha256"), _TEXT),
        **dict.fromkeys(("width", "height", "pages"), _WHOLE),
        **dict.fromkeys(("engine_digest", "isolation"), _TEXT),
        **dict.fromkeys(("seconds_generate", "seconds_render", "seconds_score"), _REAL),
        "finish": _TEXT,
        **dict.fromkeys(("input_tokens", "output_tokens", "attempts"), _WHOLE),
        **dict.fromkeys(("cost", "cached_cost"), _REAL),
        "cached": _TRUTH,
        "cached_at": _TEXT,
    }


def _part_names(metric: str) -> tuple[str, str]:
    return f"{metric}_numerator", f"{metric}_denominator"


def _error_columns(name: str) -> dict[str, str]:
    return {
        f"{name}_kind": _TEXT,
        f"{name}_message": _TEXT,
        f"{name}_line": _WHOLE,
        f"{name}_answer_line": _WHOLE,
    }


def rows(run: StoredRun) -> Iterator[Row]:
    """Return a row for each record, and each later answer; a column that does not apply is None."""
    names = columns(run)
    options = run.manifest.options
    fixed = {"label": run.manifest.label or None, "model": options.model, "profile": options.profile}
    planned = {planned_instance.id: planned_instance for planned_instance in run.planned}
    by_task = {
        task: task_columns(run.manifest, task)
        for task in {planned_instance.task for planned_instance in run.whole}
    }
    answers = (one for first in run.ordered() for one in (first, *run.turns.get(first.instance.id, ())))
    for record in map(run.with_texts, answers):
        identity, turn = record.instance.id, record.turn.turn
        values = {
            **_values(record),
            **_of_instance(planned[identity]),
            **_of_rendering(run.rendering(identity, turn)),
            **_of_questions(_asked_in(run, identity, turn)),
            **by_task[record.instance.task].of_sample(record),
            **fixed,
        }
        yield {name: values.get(name) for name in names}


def _asked_in(run: StoredRun, identity: str, turn: int) -> Sequence[tuple[str, StoredQuestion]]:
    """Return the questions of a turn; of the first, those that are of no later one."""
    asked = run.asked.get(identity, ())
    if turn > 1:
        return [one for one in asked if one[0] == turn_name(turn)]
    return [one for one in asked if not is_turn_name(one[0])]


def _of_instance(planned: PlannedInstance) -> Row:
    return {"licence": planned.licence or None, "source": planned.source or None}


def _of_rendering(rendered: SampleRendering | None) -> Row:
    if rendered is None:
        return {}
    return {"target": rendered.target, "document": rendered.document, "log": rendered.log}


def _of_questions(asked: Sequence[tuple[str, StoredQuestion]]) -> Row:
    """Return the texts of all questions of a sample, and the questions as JSON."""
    if not asked:
        return {}
    texts = [part.text for _, stored_question in asked for part in stored_question.parts if part.text]
    systems = dict.fromkeys(stored_question.system for _, stored_question in asked if stored_question.system)
    return {
        "question": "\n\n".join(texts),
        "system_text": "\n\n".join(systems) or None,
        "asked": json.dumps(
            [{"name": name, **question_fields(stored_question)} for name, stored_question in asked]
        ),
    }


def _values(record: Record) -> Row:
    plain: Row = record_line(record)
    before = record.rendering.verdict_before_repair
    return {
        **plain,
        "accounts": json.dumps(accounts_of(record)),
        "rendered": record.rendering.has_image,
        "rendered_before_repair": before is not None and before.has_picture,
        "usable_before_repair": record.usable_before_repair,
        **_prefixed("error", plain["error"]),
        **_prefixed("error_before_repair", plain.get("error_before_repair")),
        **_prefixed("failure", plain["failure"]),
        **_prefixed("seconds", plain["seconds"]),
        **plain["usage"],
        **{
            name: value
            for metric, parts in record.score.parts.items()
            for name, value in zip(_part_names(metric), parts, strict=True)
        },
        **{name: json.dumps(plain.get(name, {})) for name in ("undefined", "detail", "repairs", "assets")},
        "cached_cost": record.answer.cached_cost,
        "cached_at": record.answer.cached_at or None,
        "reading": json.dumps(plain["reading"]) if record.rendering.reading is not None else None,
        "reasoning": record.answer.reasoning or None,
        "target_sha256": record.instance.target_sha256 or None,
        "turn": record.turn.turn,
        "turn_end": record.turn.ended and str(record.turn.ended),
    }


def _prefixed(prefix: str, plain: Mapping[str, Any] | None) -> Row:
    return {f"{prefix}_{name}": value for name, value in (plain or {}).items()}


def _write_jsonl(path: Path, names: Mapping[str, str], table: Iterator[Row]) -> None:
    with path.open("w", encoding="ascii") as out:
        for row in table:
            out.write(json.dumps(row, allow_nan=False) + "\n")


def _write_csv(path: Path, names: Mapping[str, str], table: Iterator[Row]) -> None:
    # A lone surrogate of a completion has no bytes in UTF-8.
    with path.open("w", encoding="utf-8", errors="backslashreplace", newline="") as out:
        # With these ends of lines the module quotes a cell that holds either of their characters.
        writer = csv.DictWriter(out, list(names), lineterminator="\r\n")
        writer.writeheader()
        writer.writerows({name: _plain_cell(value) for name, value in row.items()} for row in table)


def _plain_cell(value: object) -> object:
    """Return a cell that no spreadsheet takes for a formula; numbers stay numbers."""
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA_STARTS) else value


def _write_parquet(path: Path, names: Mapping[str, str], table: Iterator[Row]) -> None:
    require_package("pyarrow", "parquet", "Parquet")
    import pyarrow as arrow  # type: ignore[import-untyped]
    from pyarrow import parquet

    schema = arrow.schema([(name, arrow.type_for_alias(kind)) for name, kind in names.items()])
    texts = [name for name, kind in names.items() if kind == _TEXT]
    with parquet.ParquetWriter(path, schema, compression="zstd") as out:
        batch: list[Row] = []
        for row in table:
            batch.append(row | {name: _whole_text(row[name]) for name in texts})
            if len(batch) == _BATCH:
                out.write_table(arrow.Table.from_pylist(batch, schema))
                batch = []
        out.write_table(arrow.Table.from_pylist(batch, schema))


def _whole_text(text: str | None) -> str | None:
    return None if text is None else text.encode("utf-8", "backslashreplace").decode()


FORMATS: Mapping[str, Callable[[Path, Mapping[str, str], Iterator[Row]], None]] = {
    "parquet": _write_parquet,
    "csv": _write_csv,
    "jsonl": _write_jsonl,
}
