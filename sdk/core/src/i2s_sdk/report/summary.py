"""The numbers of a run on the terminal."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TextIO

from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

from i2s_sdk.consoles import print_in_parts, table_console
from i2s_sdk.report import figures
from i2s_sdk.report.account_lines import account_lines
from i2s_sdk.report.overview import TASKS_ACROSS, Overview, OverviewRow
from i2s_sdk.report.tables import print_table
from i2s_sdk.report.turn_tables import ABOUT_TURNS, turn_table
from i2s_sdk.report.view import profile_word, usable_word
from i2s_sdk.run.storage.record import Outcome
from i2s_sdk.stats.aggregate import Group, Summary, TaskResult
from i2s_sdk.stats.skill import Skill
from i2s_sdk.visible import visible, visible_line

#: The most metrics that have a column each; of more, a table has a row for each and a column for each subset.
_METRICS_ACROSS = 6


def print_summary(summary: Summary, unavailable: Mapping[str, str], stream: TextIO) -> None:
    """Print what became of the samples, then the table of each task, and what is missing from it.

    Args:
        summary: The numbers.
        unavailable: Metrics that could not be computed, and why.
        stream: Stream that the table is printed to.
    """
    console = table_console(stream)
    for line in account_lines(summary):
        console.print(Text(visible_line(line)))
    for task, result in summary.tasks.items():
        title = visible_line(f"{task}, profile {profile_word(task, summary.profile)}")
        across = len(result.total.metrics) <= _METRICS_ACROSS
        print_in_parts(console, (_table if across else _long_table)(title, usable_word(task), result))
        if (turns := turn_table(task, [(task, summary)], main_only=True)) is not None:
            print_table(turns, stream, intervals=True)
    for note in ABOUT_TURNS if summary.turns else ():
        console.print(Text(note))
    for name, mean in summary.benchmarks.items():
        between = figures.interval(mean)
        shown = (
            f"{figures.value(mean.value)}{f' ({between})' if between else ''}, the mean of the main metrics"
        )
        if mean.value is None:
            shown = "no mean, since a task has no value; there are values"
        console.print(Text(visible_line(f"{name}: {shown} of {mean.n} tasks")))
    console.print(_about_means(summary))
    if unavailable:
        console.print(Text(visible(f"Not computed: {', '.join(unavailable)} (`i2s-sdk metrics` says why)")))
    if summary.failures:
        console.print(
            Text(visible(f"{summary.failures} of {summary.planned} have no score: {_reasons(summary)}"))
        )


def print_turns(summaries: Mapping[str, Summary], stream: TextIO) -> None:
    """Print the answers of conversations of several runs, by task; nothing if no run has turns.

    Args:
        summaries: Numbers by the name of the run.
        stream: Stream that the tables are printed to.
    """
    tasks = dict.fromkeys(task for summary in summaries.values() for task in summary.turns)
    for task in tasks:
        if (table := turn_table(task, list(summaries.items()), main_only=True)) is not None:
            print_table(table, stream, intervals=True)
    for note in ABOUT_TURNS if tasks else ():
        table_console(stream).print(Text(note))


def print_skills(
    skills: Mapping[str, Skill],
    stream: TextIO,
    by_subset: Mapping[str, Mapping[str, Skill | None]] | None = None,
) -> None:
    """Print how far a run is between a baseline that looks at nothing and the ground truth.

    Args:
        skills: Skill in each task.
        stream: Stream that the table is printed to.
        by_subset: The same in each subset; None of a subset without a floor. Those of a task are printed if
            it has several.
    """
    for task, skill in skills.items():
        between = figures.interval(skill.skill)
        metric, floor = skill.metric, f"{figures.value(skill.floor)} ({skill.floor_model})"
        line = (
            f"{task}: skill {figures.value(skill.skill.value)}{f' ({between})' if between else ''}, "
            f"{metric} {figures.value(skill.value)}; floor, of a baseline that looks at nothing: {floor}; "
            f"ceiling: {figures.value(skill.ceiling)}; n={skill.skill.n}"
        )
        stream.write(visible_line(line) + "\n")
        of_task = (by_subset or {}).get(task, {})
        for subset, of_subset in of_task.items() if len(of_task) > 1 else ():
            stream.write(visible_line(f"  {subset}: {_skill_of_subset(metric, of_subset)}") + "\n")


def _skill_of_subset(metric: str, skill: Skill | None) -> str:
    if skill is None:
        return "no floor, since no baseline that looks at nothing was evaluated on it"
    between = figures.interval(skill.skill)
    shown = f"skill {figures.value(skill.skill.value)}{f' ({between})' if between else ''}"
    if skill.skill.value is None:
        shown = "no skill, since the ceiling is no higher than the floor"
    ends = f"floor {figures.value(skill.floor)} ({skill.floor_model}), ceiling {figures.value(skill.ceiling)}"
    return f"{shown}, {metric} {figures.value(skill.value)}, {ends}; n={skill.skill.n}"


def _about_means(summary: Summary) -> str:
    both = any(len(result.total.metrics) <= _METRICS_ACROSS for result in summary.tasks.values())
    parentheses = " and, in parentheses, over the usable ones" if both else ""
    return (
        f"Means over all scored samples (one that is not usable counts 0 if its metric says nothing else)"
        f"{parentheses}. Intervals are of {'the former' if both else 'these'}, by the Bayesian "
        "bootstrap, where fewer than five values are too few for one; those of shares are Wilson's."
    )


def print_overview(overview: Overview, stream: TextIO) -> None:
    """Print several runs at a glance: one table, what was lost, and who is ahead of whom.

    Args:
        overview: The runs.
        stream: Stream that it is printed to.
    """
    console = table_console(stream)
    ranked = [row for row in overview.rows if not row.is_reference_point]
    points = [row for row in overview.rows if row.is_reference_point]
    lines = [(row.label, _overview_cells(overview, row)) for row in ranked]
    ends = [(row.label, _overview_cells(overview, row)) for row in points] + _ends(overview)
    titles = [column.title for column in overview.columns] + ["exact", "scored"]
    table = Table(title=Text("All runs"), title_justify="left", title_style="bold", box=SIMPLE_HEAD)
    if len(overview.columns) <= TASKS_ACROSS:
        for at, title in enumerate(("run", *titles)):
            table.add_column(title, justify="right" if at else "left")
        for label, cells in lines:
            table.add_row(*(Text(visible_line(cell)) for cell in (label, *cells)))
        table.add_section()
        for label, cells in ends:
            table.add_row(label, *cells, style="dim")
    else:
        for at, (label, _) in enumerate((("task", ()), *lines, *ends)):
            table.add_column(Text(visible_line(label)), justify="right" if at else "left")
        for at, title in enumerate(titles):
            table.add_row(title, *(Text(cells[at]) for _, cells in (*lines, *ends)))
    print_in_parts(console, table)
    for row in (*ranked, *points):
        if row.lost:
            console.print(Text(visible_line(f"{row.label}, cut off or lost: {', '.join(row.lost)}")))
    for lead in overview.leads:
        console.print(Text(visible_line(lead.sentence()), style="" if lead.is_certain else "dim"))
    for note in overview.notes:
        console.print(Text(visible_line(note)))


def _overview_cells(overview: Overview, row: OverviewRow) -> list[str]:
    values = (row.value(column) for column in overview.columns)
    means = [figures.value(mean.value if mean is not None else None) for mean in values]
    return [*means, figures.coverage(row.exact), figures.coverage(row.scored)]


def _ends(overview: Overview) -> list[tuple[str, list[str]]]:
    """Return the rows of ceiling and floor; none if neither is known."""
    ends = [overview.ends[column] for column in overview.columns]
    if all(floor is None for floor, _ in ends):
        return []
    floors, ceilings = ([figures.value(one) for one in side] for side in zip(*ends, strict=True))
    return [
        ("ceiling (the ground truth)", [*ceilings, "", ""]),
        ("floor (the best baseline that looks at nothing)", [*floors, "", ""]),
    ]


def _table(title: str, usable: str, result: TaskResult) -> Table:
    table = Table(title=Text(title), title_justify="left", title_style="bold", box=SIMPLE_HEAD)
    table.add_column("subset")
    for name in ("scored", f"{usable} (before repair)", *result.total.metrics):
        table.add_column(name, justify="right")
    for group in result.subsets:
        table.add_row(*_row(group))
    if result.total.planned:
        table.add_section()
        table.add_row(*_row(result.total), style="bold")
        table.add_row(*_intervals(result.total), style="dim")
    if result.apart:
        table.add_section()
        for group in result.apart:
            table.add_row(*_row(group))
    return table


def _long_table(title: str, usable: str, result: TaskResult) -> Table:
    """Return a table with a row for each metric; intervals are of the means over all subsets."""
    groups = [*result.subsets, *result.apart]
    if len(result.subsets) > 1:
        groups.append(result.total)
    table = Table(title=Text(title), title_justify="left", title_style="bold", box=SIMPLE_HEAD)
    table.add_column("metric")
    for group in groups:
        table.add_column(Text(visible_line(group.name)), justify="right")
    if result.total.planned:
        table.add_column("95 % interval", justify="right")
    ends = [figures.share_interval(result.total.success)] if result.total.planned else []
    table.add_row("scored", *map(figures.scored, groups))
    table.add_row(usable, *(figures.share(one.share_rendered) for one in groups), *ends)
    table.add_section()
    for name, total in result.total.metrics.items():
        cells = [figures.mean(one.metrics[name].all, one.scored) for one in groups]
        ends = [figures.interval(total.all)] if result.total.planned else []
        table.add_row(name, *cells, *ends)
    return table


def _row(group: Group) -> list[Text]:
    cells = [
        group.name,
        figures.scored(group),
        f"{figures.share(group.share_rendered)} ({figures.share(group.share_rendered_before_repair)})",
        *(figures.means(metric, group) for metric in group.metrics.values()),
    ]
    return [Text(visible_line(cell)) for cell in cells]


def _intervals(group: Group) -> list[Text]:
    """Return the intervals of the means over all, below them."""
    ends = [figures.interval(metric.all) for metric in group.metrics.values()]
    return [Text(cell) for cell in ("95 % interval", "", figures.share_interval(group.success), *ends)]


def _reasons(summary: Summary) -> str:
    counts: dict[str, int] = {}
    for group in (group for result in summary.tasks.values() for group in result.groups):
        for outcome, count in group.outcomes.items():
            if not Outcome(outcome).counts:
                counts[outcome] = counts.get(outcome, 0) + count
    return ", ".join(f"{count} {outcome}" for outcome, count in sorted(counts.items()))
