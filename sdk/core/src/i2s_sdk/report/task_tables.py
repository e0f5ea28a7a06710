"""Tables of one task, as Tables A2 to A4 of the paper, and of its wild subsets."""

from __future__ import annotations

from collections.abc import Mapping

from i2s_sdk.report import figures
from i2s_sdk.report.compared import ComparedRuns
from i2s_sdk.report.published import published_table
from i2s_sdk.report.table_lines import Cell, Heading, PaperTable, TableRow
from i2s_sdk.report.table_titles import (
    FAILED_COUNT_ZERO,
    METRIC_TITLES,
    metric_title,
    mismatch_notes,
    profile_note,
    table_title,
)
from i2s_sdk.stats.aggregate import RENDERED, Group, Summary
from i2s_sdk.stats.leaderboard import task_mean
from i2s_sdk.tasks.published import PublishedTable
from i2s_sdk.tasks.registry import SPECS


def task_table(compared: ComparedRuns, task: str, *, published: bool, rendered_only: bool) -> PaperTable:
    """Return the table of a task: the best run first, by skill if it is known.

    Args:
        compared: The runs.
        task: Name of the task.
        published: Put published rows among the runs.
        rendered_only: Give means over rendered samples only; there are no published ones and no skill then.
    """
    number = SPECS[task].published_table
    shown = published and number and not rendered_only
    theirs = published_table(number).of_task(task) if shown else None
    runs = {label: one for label, one in compared.summaries.items() if task in one.tasks}
    names = columns_of(runs, task, theirs)
    has_skill = not rendered_only and any(compared.skill(label, task) for label in runs)
    apart = {
        label: reason
        for label in runs
        if theirs is not None and (reason := compared.mismatches.get((label, task), ""))
    }
    lines = []
    for label, summary in runs.items():
        total, own = summary.tasks[task].total, compared.own_summary(label).tasks[task].total
        values = _over_rendered(total) if rendered_only else _values(summary, task)
        cells: list[Cell] = [compared.skill(label, task)] if has_skill else []
        cells += [*(values.get(name) for name in names), figures.scored(own)]
        lines.append(TableRow.of(label, cells, mark=label in apart, unranked=label in compared.unranked))
    for model in theirs.rows if theirs is not None else ():
        printed = theirs.values(model) if theirs is not None else {}
        cells = [*([None] if has_skill else []), *(printed.get(name) for name in names), None]
        lines.append(TableRow.of(model, cells, published=True))
    main = SPECS[task].main_metric
    at = names.index(main) + has_skill if main in names else 0
    by_skill = has_skill and theirs is None
    if task not in compared.refused:
        lines.sort(key=lambda line: (line.mark, _order(line, 0 if by_skill else at, at)))
    notes = [
        "Means over rendered samples only; wild subsets are left out." if rendered_only else FAILED_COUNT_ZERO
    ]
    notes += compared.notes([task])
    if has_skill:
        notes.append(f"Skill in {metric_title(task, main)}: 0 is the best baseline that looks at nothing.")
    if theirs is not None:
        judged = {label: one for label, one in runs.items() if label not in compared.unranked}
        notes += [f"Published rows: {theirs.where}.", *mismatch_notes(apart), *profile_note(judged)]
    headings = (
        Heading("Model"),
        *([Heading("Skill")] if has_skill else []),
        *(Heading(metric_title(task, name)) for name in names),
        Heading("Scored"),
    )
    title = table_title(SPECS[task].title, SPECS[task].published_table)
    return PaperTable(title, headings, tuple(lines), tuple(notes), compared.account_notes([task]))


def wild_table(compared: ComparedRuns, task: str, *, rendered_only: bool) -> PaperTable:
    """Return the table of the wild subsets of a task.

    Args:
        compared: The runs.
        task: Name of the task.
        rendered_only: Give means over rendered samples only.
    """
    runs = {label: one for label, one in compared.summaries.items() if task in one.tasks}
    names = [name for name in columns_of(runs, task, None) if name != "edit"]  # there is no ground truth
    lines = []
    for label, summary in runs.items():
        own = {one.name: one for one in compared.own_summary(label).tasks[task].apart}
        for group in summary.tasks[task].apart:
            values = _over_rendered(group) if rendered_only else _over_all(group)
            cells = (*(values.get(name) for name in names), figures.scored(own[group.name]))
            lines.append(TableRow.of(f"{label}, {group.name}", cells, unranked=label in compared.unranked))
    headings = (
        Heading("Model"),
        *(Heading(metric_title(task, name)) for name in names),
        Heading("Scored"),
    )
    note = "Means over rendered samples only." if rendered_only else "A failed rendering counts 0."
    return PaperTable(f"{SPECS[task].title}, wild subsets", headings, tuple(lines), (note,))


def columns_of(runs: Mapping[str, Summary], task: str, theirs: PublishedTable | None) -> list[str]:
    """Return the columns of a task, in the paper's order, then those that only runs have."""
    ours = [name for summary in runs.values() if task in summary.tasks for name in summary.tasks[task].values]
    present = {*ours, *(theirs.columns if theirs is not None else ())}
    return [name for name in METRIC_TITLES if name in present] + [
        name for name in dict.fromkeys(ours) if name not in METRIC_TITLES
    ]


def _order(line: TableRow, first: int, then: int) -> tuple[float, float]:
    """Return what a line is sorted by: its skill if there is one, then the main metric."""
    both = [line.values[first], line.values[then]]
    low, high = (-one if isinstance(one, float) else float("inf") for one in both)
    return low, high


def _over_rendered(group: Group) -> dict[str, Cell]:
    means = {name: metric.rendered for name, metric in group.metrics.items()}
    return {RENDERED: group.success, **means}


def _over_all(group: Group) -> dict[str, Cell]:
    means = {name: metric.all for name, metric in group.metrics.items()}
    return {RENDERED: group.success, **means}


def _values(summary: Summary, task: str) -> dict[str, Cell]:
    return {name: task_mean(summary, task, name) for name in summary.tasks[task].values}
