"""``i2s-sdk show``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import click

from i2s_sdk.cli.options import json_option
from i2s_sdk.cli.terminal import say, say_json

if TYPE_CHECKING:
    from i2s_sdk.run.storage.folder import StoredRun
    from i2s_sdk.run.storage.record import ReadingNote, Record

_LOWEST = 10


@click.command("show", short_help="Show one sample of a run, or the lowest ones.")
@click.argument("run", metavar="RUN")
@click.argument("samples", nargs=-1, metavar="[ID]...")
@click.option(
    "--lowest",
    type=click.IntRange(min=1),
    default=_LOWEST,
    show_default=True,
    metavar="N",
    help="Without ID: how many samples, those with the lowest main metric first.",
)
@click.option(
    "--account",
    metavar="A",
    help="Without ID: all samples of an account, such as cut_off, refused or no_structure.",
)
@json_option
def show_command(run: str, samples: tuple[str, ...], lowest: int, account: str | None, as_json: bool) -> None:
    """Show what became of samples: outcome, first error, repairs, values and the answer of the model.

    Without an ID, one line is printed for each of the samples with the lowest values of the main metric of
    their task. Samples without a value, which failures of the infrastructure stopped, come first.

    \b
    Examples:
      i2s-sdk show runs/answers
      i2s-sdk show runs/answers --lowest 3
      i2s-sdk show runs/answers --account cut_off
      i2s-sdk show runs/answers equation-euler
      i2s-sdk show runs/answers equation-euler --json
    """  # noqa: D301 - \b is for click
    from i2s_sdk.run.storage.codec import record_line
    from i2s_sdk.run.storage.folder import read_run

    stored = read_run(run)
    if samples and account is not None:
        raise click.UsageError("--account chooses samples, and IDs do too; give one of them")
    values = {} if samples else _main_values(stored)
    if account is not None:
        values = {one: values[one] for one in _of_account(stored, account)}
        lowest = len(values)
    lowest_ids = sorted(values, key=lambda name: (values[name] is not None, values[name] or 0.0, name))[
        :lowest
    ]
    records = [stored.with_texts(_named(stored, lowest_id)) for lowest_id in lowest_ids]
    for name in samples:
        answers = (_named(stored, name), *stored.turns.get(name, ()))
        records += [stored.with_texts(answer) for answer in answers]
    if as_json:
        say_json([record_line(record) for record in records])
    elif account is not None and not records:
        say(f"No sample of {run} is in the account {account}.")
    elif samples:
        say("\n\n".join("\n".join(_lines(stored, record)) for record in records))
    else:
        _print_lowest(records, values)


def _of_account(stored: StoredRun, name: str) -> list[str]:
    """Return the samples of an account that have a record.

    Raises:
        UnknownNameError: There is no account of this name.
    """
    from i2s_sdk.errors import UnknownNameError
    from i2s_sdk.stats.accounts import SAME_ANSWER, Account, accounts_of, same_answers

    records = stored.ordered()
    if name == SAME_ANSWER:
        by_task = [
            [record for record in records if record.instance.task == task]
            for task in {record.instance.task for record in records}
        ]
        same = {same_answer.instance.id for own in by_task for same_answer in same_answers(own)}
        return [record.instance.id for record in records if record.instance.id in same]
    if name not in set(Account):
        raise UnknownNameError("account", name, [*map(str, Account), SAME_ANSWER])
    return [record.instance.id for record in records if name in accounts_of(record)]


def _named(stored: StoredRun, identity: str) -> Record:
    """Return the record of a sample.

    Raises:
        UsageError: The run has no sample of this id, or has not finished it yet.
    """
    from i2s_sdk.data.selection import require_ids
    from i2s_sdk.errors import UsageError

    require_ids((identity,), {planned_instance.id for planned_instance in stored.planned})
    if identity not in stored.records:
        raise UsageError(f"sample {identity!r} has not been finished; the same evaluate goes on with it")
    return stored.records[identity]


def _main_values(stored: StoredRun) -> dict[str, float | None]:
    """Return the value of the main metric of each sample alone; it may be the mean of others, or a ratio."""
    from i2s_sdk.stats.aggregate import task_columns
    from i2s_sdk.tasks.registry import task_spec

    records = stored.ordered()
    by_task = {
        task: task_columns(stored.manifest, task) for task in {record.instance.task for record in records}
    }
    return {
        record.instance.id: by_task[record.instance.task]
        .of_sample(record)
        .get(task_spec(record.instance.task).main_metric)
        for record in records
    }


def _print_lowest(records: Sequence[Record], values: Mapping[str, float | None]) -> None:
    from i2s_sdk.cli.terminal import print_rows
    from i2s_sdk.report import figures
    from i2s_sdk.tasks.registry import task_spec

    rows = [
        (
            record.instance.id,
            f"{record.instance.task}/{record.instance.subset}",
            _ending(record),
            f"{task_spec(record.instance.task).main_metric} {figures.value(values[record.instance.id])}",
        )
        for record in records
    ]
    print_rows("", ("id", "subset", "how it ended"), ("value",), rows)


def _ending(record: Record) -> str:
    """Return verdict or outcome, with the reason."""
    if record.failure is not None:
        return f"{record.outcome}: {record.failure.message}"
    name = str(record.outcome) if record.rendering.verdict is None else record.rendering.verdict.name
    return f"{name}: {record.message}" if record.message else name


def _lines(stored: StoredRun, record: Record) -> Iterator[str]:
    """Yield what is shown of a sample."""
    from i2s_sdk.report import figures
    from i2s_sdk.stats.aggregate import task_columns

    options, instance = stored.manifest.options, record.instance
    level = f", {instance.difficulty}" if instance.difficulty else ""
    subset = f"{instance.task}/{instance.subset}{level}"
    if record.turn.turn > 1:
        subset += f", answer {record.turn.turn}"
    name = f"{label}, " if (label := stored.manifest.label) else ""
    yield f"{instance.id} ({subset}), {name}{options.model}, profile {options.profile}"
    yield f"ended: {_ending(record)}"
    if record.turn.ended is not None:
        reason = f": {record.turn.reason}" if record.turn.reason else ""
        yield f"conversation ended: {record.turn.ended}{reason}"
    error = record.rendering.error
    if error is not None and (error.answer_line or error.message not in record.message):
        lines = {"answer": error.answer_line, "document": error.line}
        where = ", ".join(f"line {line} of the {name}" for name, line in lines.items() if line)
        yield f"first error: {where}{': ' if where else ''}{error.message}"
    if record.rendering.error_before_repair is not None:
        yield f"first error before repairs: {record.rendering.error_before_repair.message}"
    if record.rendering.reading is not None:
        yield from _reading_lines(record.rendering.reading, len(record.answer.completion or ""))
    for repair in record.rendering.repairs:
        yield f"repair: {repair.kind} {repair.detail}"
    if values := task_columns(stored.manifest, instance.task).of_sample(record):
        yield "values: " + ", ".join(f"{name} {figures.value(value)}" for name, value in values.items())
    for name, reason in record.score.undefined.items():
        yield f"{name} is not defined: {reason}"
    if record.rendering.sha256:
        from i2s_sdk.run.storage.folder import image_name

        yield f"rendering: {stored.path}/{image_name(record.rendering.sha256)}"
    if record.answer.completion is not None:
        yield f"answer{f' ({record.answer.finish})' if record.answer.finish else ''}:"
        yield record.answer.completion.rstrip("\n")


def _reading_lines(reading: ReadingNote, characters: int) -> Iterator[str]:
    """Yield what was read of a completion, and which of its blocks."""
    if (reading.start, reading.end) != (0, characters):
        yield f"read: characters {reading.start} to {reading.end} of {characters}; the rest is no answer"
    if reading.origin:
        yield f"origin: {reading.origin}"
    if reading.blocks:
        yield f"blocks: {reading.blocks}, taken: {', '.join(map(str, reading.taken)) or 'none'}"
