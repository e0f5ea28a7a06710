"""Runs in tables of one subset each, for tasks whose numbers are shown by subset."""

from __future__ import annotations

from collections.abc import Mapping

from i2s_sdk.report import figures
from i2s_sdk.report.compared import ComparedRuns
from i2s_sdk.report.published import published_table
from i2s_sdk.report.skill_tables import GroupSkills
from i2s_sdk.report.table_lines import Cell, Heading, PaperTable, TableRow
from i2s_sdk.report.table_titles import mismatch_notes, profile_note
from i2s_sdk.stats.aggregate import Group
from i2s_sdk.tasks.published import PublishedTable
from i2s_sdk.tasks.registry import task_spec


def subset_tables(
    compared: ComparedRuns, task: str, *, published: bool = False, rendered_only: bool = False
) -> list[PaperTable]:
    """Return a table for each subset of a task, the best run first; none if the task has no such tables.

    Columns without a value in any run, such as formulas if a subset has none, are left out. The average
    of a run is the mean of its columns in the subset. Skill, floor and ceiling are of the main column on the
    samples of the subset; a note says so if no floor is known.

    Args:
        compared: The runs.
        task: Its name.
        published: Put published rows among the runs.
        rendered_only: Give means over usable samples only; there are no published ones then.
    """
    numbers = task_spec(task).subset_tables
    if not numbers:
        return []
    groups: dict[str, dict[str, Group]] = {}
    for label, summary in compared.summaries.items():
        for group in summary.tasks[task].subsets if task in summary.tasks else ():
            groups.setdefault(group.name, {})[label] = group
    return [
        _subset_table(
            compared,
            task,
            subset,
            groups[subset],
            published_table(numbers[subset])
            if published and not rendered_only and subset in numbers
            else None,
            rendered_only=rendered_only,
        )
        for subset in sorted(groups)
    ]


def _subset_table(
    compared: ComparedRuns,
    task: str,
    subset: str,
    groups: Mapping[str, Group],
    theirs: PublishedTable | None,
    *,
    rendered_only: bool,
) -> PaperTable:
    values: dict[str, dict[str, Cell]] = {
        label: {
            name: metric.rendered if rendered_only else metric.all for name, metric in group.metrics.items()
        }
        for label, group in groups.items()
    }
    names = [
        name
        for name in dict.fromkeys(name for group in groups.values() for name in group.metrics)
        if any(group.metrics[name].all.n for group in groups.values() if name in group.metrics)
    ]
    apart = {
        label: reason
        for label in groups
        if theirs is not None and (reason := compared.mismatches.get((label, task), ""))
    }
    rows = [] if rendered_only else [(label, subset) for label in groups]
    skills = GroupSkills(compared, task, "subset", rows)
    lines = [
        TableRow.of(
            label,
            (
                *skills.cells(label, subset),
                *(values[label].get(name) for name in names),
                figures.scored(_own_group(compared, label, task, subset)),
            ),
            mark=label in apart,
            unranked=label in compared.unranked,
        )
        for label in groups
    ]
    blank = [None] * len(skills.headings)
    for model in theirs.rows if theirs is not None else ():
        printed = theirs.values(model) if theirs is not None else {}
        lines.append(
            TableRow.of(model, (*blank, *(printed.get(name) for name in names), None), published=True)
        )
    spec = task_spec(task)
    if spec.main_metric in names and task not in compared.refused:
        main = names.index(spec.main_metric) + len(blank)
        lines.sort(key=lambda line: (line.mark, _rank(line.values[main])))
    headings = (
        Heading("Model"),
        *skills.headings,
        *map(_heading, names),
        Heading("Scored"),
    )
    over = "usable samples only" if rendered_only else "all scored samples"
    notes = [f"Means over {over} that have a value.", *compared.notes([task]), *skills.notes]
    if theirs is not None:
        judged = {label: compared.summaries[label] for label in groups if label not in compared.unranked}
        notes += [f"Published rows: {theirs.where}.", *mismatch_notes(apart)]
        notes += profile_note(judged, "reference")
    title, accounts = f"{spec.title}, {subset}", compared.account_notes([task])
    return PaperTable(title, headings, tuple(lines), tuple(notes), accounts)


def _own_group(compared: ComparedRuns, label: str, task: str, subset: str) -> Group:
    """Return the subset of a run with all of its samples, whichever the other runs have scored."""
    return next(one for one in compared.own_summary(label).tasks[task].subsets if one.name == subset)


def _heading(name: str) -> Heading:
    """Return the heading of a column; those with the same first word share it."""
    first, _, rest = name.partition("_")
    return Heading(rest.replace("_", " "), first) if rest else Heading(name)


def _rank(value: float | str | None) -> float:
    return -value if isinstance(value, float) else float("inf")
