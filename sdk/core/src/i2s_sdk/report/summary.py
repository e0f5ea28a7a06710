"""The numbers of a run on the terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from typing import TextIO

from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

from i2s_sdk.consoles import print_in_parts, table_console
from i2s_sdk.report import figures
from i2s_sdk.report.account_lines import account_lines
from i2s_sdk.report.tables import BLOCK_TITLES, PaperTable, TableBlock, print_table
from i2s_sdk.report.view import metric_word, profile_word, usable_word
from i2s_sdk.run.storage.record import Outcome
from i2s_sdk.stats.aggregate import Group, Summary, TaskResult
from i2s_sdk.stats.leaderboard import Standing
from i2s_sdk.stats.skill import Skill
from i2s_sdk.tasks.registry import task_spec
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


def print_skills(
    skills: Mapping[str, Skill],
    stream: TextIO,
    by_subset: Mapping[str, Mapping[str, Skill | None]] | None = None,
) -> None:
    """Print how far a run is between a baseline that looks at nothing and the ground truth.

    Args:
        skills: Skill in the main metric of each task.
        stream: Stream that the table is printed to.
        by_subset: The same in each subset; None of a subset without a floor. Those of a task are printed if
            it has several.
    """
    for task, skill in skills.items():
        between = figures.interval(skill.skill)
        metric, floor = task_spec(task).main_metric, f"{figures.value(skill.floor)} ({skill.floor_model})"
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


def print_leaderboard(
    standings: Sequence[Standing],
    stream: TextIO,
    tables: Sequence[PaperTable] = (),
    skills: Mapping[str, Mapping[str, Skill]] | None = None,
) -> None:
    """Print several runs beside each other, the best first, then reference points: the values of each task.

    Args:
        standings: Standings in the order shown.
        stream: Stream that the table is printed to.
        tables: Tables of subsets, which are printed in place of the tasks whose numbers are shown so; their
            published rows are left out.
        skills: Skill in the main metric by task and label; None if floors are not known.
    """
    for of_subset in tables:
        lines = tuple(line for line in of_subset.lines if not line.published)
        print_table(replace(of_subset, lines=lines, notes=of_subset.notes[:1]), stream)
    console = table_console(stream)
    for task in dict.fromkeys(task for one in standings for task in one.values):
        if task_spec(task).subset_tables:
            continue
        title = Text(visible_line(f"{task}, all runs"))
        table = Table(title=title, title_justify="left", title_style="bold", box=SIMPLE_HEAD)
        table.add_column("run")
        own = (skills or {}).get(task, {})
        for name in ("skill", "floor", "ceiling") if own else ():
            table.add_column(name, justify="right")
        metrics = dict.fromkeys(metric for one in standings for metric in one.values.get(task, {}))
        for metric in metrics:
            table.add_column(metric_word(task, metric), justify="right")
        table.add_column("scored", justify="right")
        for points, of_block in groupby(standings, key=lambda one: one.is_reference_point):
            if points:
                table.add_section()
                table.add_row(Text(BLOCK_TITLES[TableBlock.REFERENCE_POINTS]), style="italic dim")
            for standing in of_block:
                means = (standing.values.get(task, {}).get(metric) for metric in metrics)
                cells = [standing.label, *(_skill_cells(own.get(standing.label)) if own else [])]
                cells += [*(figures.value(mean.value if mean else None) for mean in means)]
                cells.append(figures.coverage(standing.coverage.get(task)))
                table.add_row(*(Text(visible_line(cell)) for cell in cells), style="dim" if points else "")
        print_in_parts(console, table)


def _skill_cells(skill: Skill | None) -> list[str]:
    """Return skill with its interval, floor and ceiling of a run."""
    if skill is None:
        return [figures.NOTHING] * 3
    ends = figures.interval(skill.skill)
    shown = f"{figures.value(skill.skill.value)}{f' ({ends})' if ends else ''}"
    return [shown, figures.value(skill.floor), figures.value(skill.ceiling)]


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
