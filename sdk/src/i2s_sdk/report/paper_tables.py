"""Runs in tables laid out as those of the paper: Table 2, and A2 to A4."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from i2s_sdk.report.judge_tables import judge_tables
from i2s_sdk.report.published import PublishedTable, published_table
from i2s_sdk.report.skill_tables import skill_tables
from i2s_sdk.report.subset_tables import subset_tables
from i2s_sdk.report.table_lines import Cell, Heading, Line, PaperTable
from i2s_sdk.report.view import views_of
from i2s_sdk.runlog.reader import read_run
from i2s_sdk.runlog.storage import PathOrUrl
from i2s_sdk.stats.aggregate import RENDERED, Group, Summary
from i2s_sdk.stats.leaderboard import ranked_by, ranking_columns, task_mean
from i2s_sdk.stats.means import Mean
from i2s_sdk.stats.skill import is_reference_point
from i2s_sdk.stats.winrate import Column, mean_win_rates
from i2s_sdk.tasks.benchmark import Benchmark
from i2s_sdk.tasks.registry import BENCHMARKS, SPECS

_METRIC_TITLES = {
    RENDERED: "Rendering success",
    "ems": "EMS",
    "pixel": "Pixel similarity",
    "cis": "CIS",
    "lpips": "LPIPS",
    "ssim": "SSIM",
    "edit": "Edit sim.",
}

_WIN_RATE, _PRINTED = "Mean win rate", "Win rate as printed"

#: Columns of published tables over all tasks.
_WIN_RATE_COLUMN, MEAN = "win_rate", "mean"


def table(
    runs: Sequence[PathOrUrl], *, published: bool = False, rendered_only: bool = False
) -> list[PaperTable]:
    """Return runs in the tables of the paper, then scores of judge models and people that lie beside them.

    >>> table(["runs/a", "runs/b"], published=True)  # doctest: +SKIP

    Args:
        runs: Their folders.
        published: Put the paper's rows among them.
        rendered_only: Give means over rendered samples only in the tables of tasks.

    Raises:
        UsageError: A folder is no run.
        DataError: A record is damaged.
    """
    views = views_of([read_run(run) for run in runs])
    summaries = {view.label: view.summary for view in views}
    unranked = {view.label for view in views if is_reference_point(view.manifest.options.model)}
    beside = judge_tables(views, published=published)
    return [
        *paper_tables(summaries, published=published, rendered_only=rendered_only, unranked=unranked),
        *skill_tables(views),
        *(one for of_task in beside.values() for one in of_task),
    ]


def paper_tables(
    runs: Mapping[str, Summary],
    *,
    published: bool = False,
    rendered_only: bool = False,
    unranked: Collection[str] = (),
) -> list[PaperTable]:
    """Return a table for each benchmark over all of its tasks, and one for each task or for its subsets.

    Args:
        runs: Numbers by label.
        published: Put the paper's rows among them.
        rendered_only: Give means over rendered samples only in the tables of tasks, which the paper has not.
        unranked: Labels of reference points, which have no win rate and count in that of no other run.
    """
    tasks = [task for task in SPECS if any(task in summary.tasks for summary in runs.values())]
    wild = [task for task in tasks if any(_apart(summary, task) for summary in runs.values())]
    together = [one for one in BENCHMARKS if any(task in one.main_metrics for task in tasks)]
    alone = [task for task in tasks if not any(task in one.main_metrics for one in together)]
    return [
        *(
            _overall(runs, one, [task for task in tasks if task in one.main_metrics], published, unranked)
            for one in together
        ),
        *([_overall(runs, None, alone, published, unranked)] if len(alone) > 1 else []),
        *(
            one
            for task in tasks
            for one in subset_tables(runs, task, published=published, rendered_only=rendered_only)
            or [_of_task(runs, task, published, rendered_only)]
        ),
        *(_wild(runs, task, rendered_only) for task in wild),
    ]


def _overall(
    runs: Mapping[str, Summary],
    benchmark: Benchmark | None,
    tasks: Sequence[str],
    published: bool,
    unranked: Collection[str],
) -> PaperTable:
    """Return the table over the tasks of a benchmark, or over tasks of none."""
    runs = {label: summary for label, summary in runs.items() if any(task in summary.tasks for task in tasks)}
    number = benchmark.published_table if benchmark is not None else ""
    theirs = published_table(number) if published and number else None
    shown: dict[str, dict[str, float]] = {}
    columns = [Column(one.name, dict(one.values)) for one in ranking_columns(runs, tasks)]
    models: dict[str, str] = dict.fromkeys(runs, "")
    if theirs is not None:
        shown = {_marked(model): theirs.values(model) for model in theirs.rows}
        models |= dict.fromkeys(shown, "published")
        columns = [
            Column(
                one.name,
                {**one.values, **{model: row[one.name] for model, row in shown.items() if one.name in row}},
            )
            for one in columns
        ]
    ranked = [
        Column(one.name, {label: value for label, value in one.values.items() if label not in unranked})
        for one in columns
    ]
    rates = mean_win_rates([model for model in models if model not in unranked], ranked)
    by_name = {one.name: one.values for one in columns}
    places = [(task, name) for task in tasks for name in ranked_by(task)]
    lines = []
    for model, origin in models.items():
        values: list[Cell] = [by_name[f"{task} {name}"].get(model) for task, name in places]
        if not origin:
            values = [_value(runs[model], task, name) for task, name in places]
        scored = None if origin else _scored(runs[model], tasks)
        cells = [rates.get(model), *values]
        if benchmark is not None and benchmark.has_mean:
            cells.append(shown[model].get(MEAN) if origin else runs[model].benchmarks.get(benchmark.name))
        cells.append(scored)
        if theirs is not None and _WIN_RATE_COLUMN in theirs.columns:
            cells.append(shown[model][_WIN_RATE_COLUMN] if origin else None)
        lines.append(Line.of(_unmarked(model), cells, published=bool(origin)))
    headings = [
        Heading("Model"),
        Heading(_WIN_RATE),
        *(Heading(_metric_title(task, name), SPECS[task].title) for task, name in places),
        *([Heading("Mean")] if benchmark is not None and benchmark.has_mean else []),
        Heading("Scored"),
        *([Heading(_PRINTED)] if theirs is not None and _WIN_RATE_COLUMN in theirs.columns else []),
    ]
    lines.sort(key=lambda line: -_number(line.values[0]))
    title = _title(benchmark.title if benchmark is not None else "Other tasks", number)
    return PaperTable(title, tuple(headings), tuple(lines), tuple(_overall_notes(runs, theirs)))


def _scored(summary: Summary, tasks: Sequence[str]) -> str:
    groups = [group for task in tasks if task in summary.tasks for group in summary.tasks[task].groups]
    return f"{sum(one.scored for one in groups)} of {sum(one.planned for one in groups)}"


def _of_column(rows: Mapping[str, Mapping[str, float]], name: str) -> dict[str, float]:
    """Return the values of a column, of those rows that have it."""
    return {model: row[name] for model, row in rows.items() if name in row}


def _overall_notes(runs: Mapping[str, Summary], theirs: PublishedTable | None) -> list[str]:
    notes = [_MEANS_OVER_ALL]
    if theirs is not None:
        own = "; the paper's own stand in the last column" if _WIN_RATE_COLUMN in theirs.columns else ""
        notes += [
            f"Published rows: {theirs.where}. Win rates are among the rows shown, of numbers "
            f"as printed, where rounding makes ties{own}.",
            *_profile_note(runs),
        ]
    return notes


_MEANS_OVER_ALL = "A failed rendering counts 0; wild subsets are left out."


def _profile_note(runs: Mapping[str, Summary]) -> list[str]:
    others = [label for label, summary in runs.items() if summary.profile != "helm"]
    if not others:
        return []
    return [f"The published values follow the rules of profile helm; not so: {', '.join(others)}."]


def _of_task(runs: Mapping[str, Summary], task: str, published: bool, rendered_only: bool) -> PaperTable:
    number = SPECS[task].published_table
    shown = published and number and not rendered_only
    theirs = published_table(number).of_task(task) if shown else None
    names = _metrics(runs, task, theirs)
    lines = []
    for label, summary in runs.items():
        if task in summary.tasks:
            total = summary.tasks[task].total
            values: Mapping[str, Cell] = _rendered(total) if rendered_only else _task_values(summary, task)
            scored = f"{total.scored} of {total.planned}"
            lines.append(Line.of(label, (*(values.get(name) for name in names), scored)))
    if theirs is not None:
        for model in theirs.rows:
            printed = theirs.values(model)
            cells = (*(printed.get(name) for name in names), None)
            lines.append(Line.of(model, cells, published=True))
    ranked = SPECS[task].main_metric
    main = names.index(ranked) if ranked in names else 0
    lines.sort(key=lambda line: -_number(line.values[main]))
    notes = [
        "Means over rendered samples only; wild subsets are left out." if rendered_only else _MEANS_OVER_ALL
    ]
    if theirs is not None:
        notes += [f"Published rows: {theirs.where}.", *_profile_note(runs)]
    headings = (
        Heading("Model"),
        *(Heading(_metric_title(task, name)) for name in names),
        Heading("Scored"),
    )
    return PaperTable(
        _title(SPECS[task].title, SPECS[task].published_table), headings, tuple(lines), tuple(notes)
    )


def _wild(runs: Mapping[str, Summary], task: str, rendered_only: bool) -> PaperTable:
    names = [name for name in _metrics(runs, task, None) if name != "edit"]  # there is no ground truth
    lines = []
    for label, summary in runs.items():
        for group in _apart(summary, task):
            values = _rendered(group) if rendered_only else _over_all(group)
            scored = f"{group.scored} of {group.planned}"
            cells = (*(values.get(name) for name in names), scored)
            lines.append(Line.of(f"{label}, {group.name}", cells))
    headings = (
        Heading("Model"),
        *(Heading(_metric_title(task, name)) for name in names),
        Heading("Scored"),
    )
    note = "Means over rendered samples only." if rendered_only else "A failed rendering counts 0."
    return PaperTable(f"{SPECS[task].title}, wild subsets", headings, tuple(lines), (note,))


def _apart(summary: Summary, task: str) -> tuple[Group, ...]:
    return summary.tasks[task].apart if task in summary.tasks else ()


def _metrics(runs: Mapping[str, Summary], task: str, theirs: PublishedTable | None) -> list[str]:
    """Return the columns of a task, in the paper's order, then those that only we have."""
    ours = [name for summary in runs.values() if task in summary.tasks for name in summary.tasks[task].values]
    present = {*ours, *(theirs.columns if theirs is not None else ())}
    return [name for name in _METRIC_TITLES if name in present] + [
        name for name in dict.fromkeys(ours) if name not in _METRIC_TITLES
    ]


def _metric_title(task: str, name: str) -> str:
    if name == RENDERED and not SPECS[task].renders:
        return "Usable"
    return _METRIC_TITLES.get(name, name)


def _rendered(group: Group) -> dict[str, Cell]:
    means = {name: metric.rendered for name, metric in group.metrics.items()}
    return {RENDERED: group.success, **means}


def _over_all(group: Group) -> dict[str, Cell]:
    means = {name: metric.all for name, metric in group.metrics.items()}
    return {RENDERED: group.success, **means}


def _task_values(summary: Summary, task: str) -> dict[str, Cell]:
    return {name: _value(summary, task, name) for name in summary.tasks[task].values}


def _value(summary: Summary, task: str, name: str) -> Mean | None:
    return task_mean(summary, task, name) if task in summary.tasks else None


def _title(what: str, number: str) -> str:
    label = published_table(number).label if number else ""
    return f"{what} (as {label} of the paper)" if label else what


def _number(value: float | str | None) -> float:
    return value if isinstance(value, float) else -1.0


_MARK = "\0published "  # so that a run of the same name is another row


def _marked(model: str) -> str:
    return _MARK + model


def _unmarked(model: str) -> str:
    return model.removeprefix(_MARK)
