"""Runs in tables laid out as those of the paper: Table 2, A2 to A4, and tables of single subsets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from i2s_sdk.report import figures
from i2s_sdk.report.attribute_tables import attribute_tables
from i2s_sdk.report.compared import ComparedRuns, compare_views
from i2s_sdk.report.judge_tables import judge_tables
from i2s_sdk.report.published import published_table
from i2s_sdk.report.skill_tables import GroupSkills, skill_tables
from i2s_sdk.report.tables import (
    FAILED_COUNT_ZERO,
    METRIC_TITLES,
    Cell,
    Heading,
    PaperTable,
    TableRow,
    metric_title,
    mismatch_notes,
    profile_note,
    table_title,
)
from i2s_sdk.report.view import views_of
from i2s_sdk.run.storage.folder import read_run
from i2s_sdk.run.storage.interface import PathOrUrl
from i2s_sdk.stats.aggregate import RENDERED, Group, Summary
from i2s_sdk.stats.leaderboard import (
    Column,
    mean_win_rates,
    ranked_by,
    ranking_columns,
    short_columns,
    task_mean,
    win_rate_columns,
)
from i2s_sdk.tasks.benchmark import Benchmark, PublishedTable
from i2s_sdk.tasks.registry import BENCHMARKS, SPECS, task_spec

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
    apart = {}
    for label, summary in runs.items():
        reasons = [compared.mismatches.get((label, task), "") for task in tasks if task in summary.tasks]
        if any(reasons):
            apart[label] = "; ".join(dict.fromkeys(reason for reason in reasons if reason))
    return apart


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
    columns = (
        {ranking_column.name: ranking_column.values for ranking_column in ranking_columns(runs, ranked)}
        if ranked
        else {}
    )
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
        *profile_note({label: run for label, run in runs.items() if label not in compared.unranked}),
    ]


def _scored(summary: Summary, tasks: Sequence[str]) -> str:
    groups = [group for task in tasks if task in summary.tasks for group in summary.tasks[task].groups]
    return f"{sum(group.scored for group in groups)} of {sum(group.planned for group in groups)}"


def _value(summary: Summary, task: str, name: str) -> Cell:
    return task_mean(summary, task, name) if task in summary.tasks else None


def _number(value: float | str | None) -> float:
    return value if isinstance(value, float) else -1e9


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
    behind = theirs is not None and main in theirs.departs
    if task not in compared.refused:
        first = 0 if by_skill else at
        lines.sort(key=lambda line: (behind and line.published, line.mark, _order(line, first, at)))
    notes = [
        "Means over rendered samples only; wild subsets are left out." if rendered_only else FAILED_COUNT_ZERO
    ]
    notes += compared.notes([task])
    if has_skill:
        metric = metric_title(task, compared.skill_metric(task))
        notes.append(f"Skill in {metric}: 0 is the best baseline that looks at nothing.")
    if theirs is not None:
        judged = {label: run for label, run in runs.items() if label not in compared.unranked}
        notes += [f"Published rows: {theirs.where}.", *theirs.departure_notes]
        notes += [*mismatch_notes(apart), *profile_note(judged)]
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
        notes += [f"Published rows: {theirs.where}.", *theirs.departure_notes, *mismatch_notes(apart)]
        notes += profile_note(judged, "reference")
    title, accounts = f"{spec.title}, {subset}", compared.account_notes([task])
    return PaperTable(title, headings, tuple(lines), tuple(notes), accounts)


def _own_group(compared: ComparedRuns, label: str, task: str, subset: str) -> Group:
    """Return the subset of a run with all of its samples, whichever the other runs have scored."""
    return next(group for group in compared.own_summary(label).tasks[task].subsets if group.name == subset)


def _heading(name: str) -> Heading:
    """Return the heading of a column; those with the same first word share it."""
    first, _, rest = name.partition("_")
    return Heading(rest.replace("_", " "), first) if rest else Heading(name)


def _rank(value: float | str | None) -> float:
    return -value if isinstance(value, float) else float("inf")


__all__ = ["MEAN", "paper_tables", "table"]


def table(
    runs: Sequence[PathOrUrl], *, published: bool = False, rendered_only: bool = False
) -> list[PaperTable]:
    """Return runs in the tables of the paper, by attribute, and scores of judge models and people beside.

    Values of a task are over the instances that all runs have scored; the notes of a table say what keeps
    runs from being compared, and they are not ranked then.

    >>> table(["runs/a", "runs/b"], published=True)  # doctest: +SKIP

    Args:
        runs: Their folders.
        published: Put the paper's rows among them.
        rendered_only: Give means over rendered samples only in the tables of tasks.

    Raises:
        UsageError: A folder is not a run.
        DataError: A record is damaged.
    """
    views = views_of([read_run(run) for run in runs])
    compared = compare_views(views)
    by_attribute, beside = attribute_tables(views), judge_tables(views, published=published)
    return [
        *paper_tables(compared, published=published, rendered_only=rendered_only),
        *skill_tables(compared),
        *(
            paper_table
            for some in (by_attribute, beside)
            for of_task in some.values()
            for paper_table in of_task
        ),
    ]


def paper_tables(
    compared: ComparedRuns, *, published: bool = False, rendered_only: bool = False
) -> list[PaperTable]:
    """Return a table for each benchmark over all of its tasks, and one for each task or for its subsets.

    Args:
        compared: The runs.
        published: Put the paper's rows among them.
        rendered_only: Give means over rendered samples only in the tables of tasks, which the paper has not.
    """
    runs = compared.summaries
    tasks = [task for task in SPECS if any(task in summary.tasks for summary in runs.values())]
    wild = [
        task for task in tasks if any(run.tasks[task].apart for run in runs.values() if task in run.tasks)
    ]
    together = [
        benchmark for benchmark in BENCHMARKS if any(task in benchmark.main_metrics for task in tasks)
    ]
    alone = [task for task in tasks if not any(task in benchmark.main_metrics for benchmark in together)]
    overall = [
        (benchmark, [task for task in tasks if task in benchmark.main_metrics]) for benchmark in together
    ]
    return [
        *(overall_table(compared, benchmark, own, published=published) for benchmark, own in overall),
        *([overall_table(compared, None, alone, published=published)] if len(alone) > 1 else []),
        *(
            subset_table
            for task in tasks
            for subset_table in subset_tables(
                compared, task, published=published, rendered_only=rendered_only
            )
            or [task_table(compared, task, published=published, rendered_only=rendered_only)]
        ),
        *(wild_table(compared, task, rendered_only=rendered_only) for task in wild),
    ]
