"""The table over all tasks of a benchmark, as Table 2 of the paper."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from i2s_sdk.report.compared import ComparedRuns
from i2s_sdk.report.published import published_table
from i2s_sdk.report.table_lines import Cell, Heading, PaperTable, TableRow
from i2s_sdk.report.table_titles import (
    FAILED_COUNT_ZERO,
    metric_title,
    mismatch_notes,
    profile_note,
    table_title,
)
from i2s_sdk.stats.aggregate import Summary
from i2s_sdk.stats.leaderboard import (
    ranked_by,
    ranking_columns,
    short_columns,
    task_mean,
    win_rate_columns,
)
from i2s_sdk.stats.winrate import Column, mean_win_rates
from i2s_sdk.tasks.benchmark import Benchmark
from i2s_sdk.tasks.published import PublishedTable
from i2s_sdk.tasks.registry import SPECS

_WIN_RATE, _SKILL, _PRINTED = "Mean win rate", "Mean skill", "Win rate as printed"

#: Columns of published tables over all tasks.
_WIN_RATE_COLUMN, MEAN = "win_rate", "mean"

_MARK = "\0published "  # so that a run of the same name is another row


def overall_table(
    compared: ComparedRuns, benchmark: Benchmark | None, tasks: Sequence[str], *, published: bool
) -> PaperTable:
    """Return the table over some tasks.

    Runs stand by mean skill if floors are known, else by mean win rate; below them stand published rows and
    reference points, each in a block of their own. If there are published rows, only runs that can be
    compared with these have a win rate, and the others stand behind them with a mark.

    Args:
        compared: The runs.
        benchmark: Benchmark that the tasks belong to; None if they belong to none.
        tasks: Names of the tasks.
        published: Put published rows among the runs.
    """
    runs = {
        label: summary
        for label, summary in compared.summaries.items()
        if any(task in summary.tasks for task in tasks)
    }
    number = benchmark.published_table if benchmark is not None else ""
    theirs = published_table(number) if published and number else None
    rows = {_MARK + model: theirs.values(model) for model in theirs.rows} if theirs is not None else {}
    apart = _apart(compared, runs, tasks) if theirs is not None else {}
    judged = [label for label in runs if label not in compared.unranked]
    rates = _win_rates(compared, {label: runs[label] for label in judged if label not in apart}, tasks, rows)
    skills = compared.mean_skills(tasks) if theirs is None else {}
    places = [(task, name) for task in tasks for name in short_columns(runs.values(), task)]
    has_mean = benchmark is not None and benchmark.has_mean
    has_printed = theirs is not None and _WIN_RATE_COLUMN in theirs.columns
    lines = []
    for label, summary in runs.items():
        cells: list[Cell] = [rates.get(label), *([skills.get(label)] if skills else [])]
        cells += [_value(summary, task, name) for task, name in places]
        cells += [summary.benchmarks.get(benchmark.name)] if benchmark is not None and has_mean else []
        cells += [_scored(compared.own_summary(label), tasks), *([None] if has_printed else [])]
        lines.append(TableRow.of(label, cells, mark=label in apart, unranked=label in compared.unranked))
    for model, printed in rows.items():
        cells = [rates.get(model), *(printed.get(f"{task} {name}") for task, name in places)]
        cells += [printed.get(MEAN)] if has_mean else []
        cells += [None, *([printed[_WIN_RATE_COLUMN]] if has_printed else [])]
        lines.append(TableRow.of(model.removeprefix(_MARK), cells, published=True))
    headings = [
        Heading("Model"),
        Heading(_WIN_RATE),
        *([Heading(_SKILL)] if skills else []),
        *(Heading(metric_title(task, name), SPECS[task].title) for task, name in places),
        *([Heading("Mean")] if has_mean else []),
        Heading("Scored"),
        *([Heading(_PRINTED)] if has_printed else []),
    ]
    at = 1 if skills and all(label in skills for label in judged) else 0
    lines.sort(key=lambda line: (line.mark, -_number(line.values[at])))
    title = table_title(benchmark.title if benchmark is not None else "Other tasks", number)
    notes = [FAILED_COUNT_ZERO, *compared.notes(tasks), *_published_notes(compared, runs, theirs, apart)]
    if skills:
        notes.append(
            "Mean skill: 0 is the best baseline that looks at nothing and 1 the ground truth, over the tasks "
            "that all runs have; its interval is over the samples of each task."
        )
    accounts = compared.account_notes(tasks)
    return PaperTable(title, tuple(headings), tuple(lines), tuple(notes), accounts)


def _apart(compared: ComparedRuns, runs: Mapping[str, Summary], tasks: Sequence[str]) -> dict[str, str]:
    """Return the runs that cannot stand among published rows, with the reasons."""
    found = {}
    for label, summary in runs.items():
        reasons = [compared.mismatches.get((label, task), "") for task in tasks if task in summary.tasks]
        if any(reasons):
            found[label] = "; ".join(dict.fromkeys(one for one in reasons if one))
    return found


def _win_rates(
    compared: ComparedRuns,
    runs: Mapping[str, Summary],
    tasks: Sequence[str],
    rows: Mapping[str, Mapping[str, float]],
) -> dict[str, float | None]:
    """Return the mean win rate of runs, among each other and the published rows."""
    ranked = [task for task in tasks if task not in compared.refused]
    if not rows:
        return mean_win_rates(list(runs), win_rate_columns(runs, ranked))
    columns = {one.name: one.values for one in ranking_columns(runs, ranked)} if ranked else {}
    names = [f"{task} {name}" for task in tasks for name in ranked_by(task)]
    both = [
        Column(
            name,
            {**columns.get(name, {}), **{model: row[name] for model, row in rows.items() if name in row}},
        )
        for name in names
    ]
    return mean_win_rates([*runs, *rows], both)


def _published_notes(
    compared: ComparedRuns,
    runs: Mapping[str, Summary],
    theirs: PublishedTable | None,
    apart: Mapping[str, str],
) -> list[str]:
    if theirs is None:
        return []
    own = "; the paper's own stand in the last column" if _WIN_RATE_COLUMN in theirs.columns else ""
    return [
        f"Published rows: {theirs.where}. Win rates are among the rows shown, of numbers "
        f"as printed, where rounding makes ties{own}.",
        *mismatch_notes(apart),
        *profile_note({label: one for label, one in runs.items() if label not in compared.unranked}),
    ]


def _scored(summary: Summary, tasks: Sequence[str]) -> str:
    groups = [group for task in tasks if task in summary.tasks for group in summary.tasks[task].groups]
    return f"{sum(one.scored for one in groups)} of {sum(one.planned for one in groups)}"


def _value(summary: Summary, task: str, name: str) -> Cell:
    return task_mean(summary, task, name) if task in summary.tasks else None


def _number(value: float | str | None) -> float:
    return value if isinstance(value, float) else -1e9
