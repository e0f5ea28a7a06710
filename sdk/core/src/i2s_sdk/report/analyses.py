"""Analyses of runs beside their tables: comparison of two, correlation of metrics, values by difficulty."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from i2s_sdk.errors import UsageError
from i2s_sdk.models.options import REPEAT
from i2s_sdk.report.compared import ComparedRuns, compare_views
from i2s_sdk.report.skill_tables import GroupSkills
from i2s_sdk.report.tables import (
    FAILED_COUNT_ZERO,
    METRIC_TITLES,
    Cell,
    Heading,
    PaperTable,
    TableRow,
    metric_title,
)
from i2s_sdk.report.versus import Versus, versus_of
from i2s_sdk.report.view import RunView, difficulty_order, run_name, views_of
from i2s_sdk.run.storage.folder import StoredRun, read_run
from i2s_sdk.run.storage.interface import PathOrUrl
from i2s_sdk.stats.aggregate import RENDERED, excluded_from_totals, main_parts
from i2s_sdk.stats.correlations import Correlation, correlations
from i2s_sdk.stats.means import share
from i2s_sdk.stats.repeats import Repeats, repeats
from i2s_sdk.stats.turns import Turn, records_at
from i2s_sdk.tasks.registry import SPECS


@dataclass(frozen=True, slots=True)
class TwoRuns:
    """The comparison of two runs."""

    #: The runs, and how they differ metric by metric; differences are the second minus the first.
    versus: Versus
    #: What keeps the values from being compared, as sentences.
    notes: Sequence[str]

    def to_json(self) -> dict[str, Any]:
        """Return the numbers as JSON has them."""
        return {**self.versus.to_json(), "notes": list(self.notes)}


def compare_two(
    first: PathOrUrl,
    second: PathOrUrl,
    *,
    difference: float | None = None,
    across_rules: bool = False,
    turns: tuple[Turn, Turn] = (1, 1),
) -> TwoRuns:
    """Compare two runs, or two turns of a run, over the instances that both have scored.

    A task is left out if its values follow different rules: another profile, another version of its main
    metric, or another digest of its engine. A note says why.

    >>> compare_two("runs/before", "runs/after")  # doctest: +SKIP

    Args:
        first: Folder of a run, or its URL.
        second: The same of the other run.
        difference: Difference that ``Comparison.needed`` instances find; None takes the observed one.
        across_rules: Whether values that follow different rules are compared as well, for instance to see
            what a new engine changes.
        turns: The answer of each run that is compared: its number, "last", or "best", which is chosen with
            the reference.

    Raises:
        UsageError: A folder is not a run, has no such turn, or the difference is not above 0.
        DataError: A record is damaged.
    """
    if difference is not None and not difference > 0:
        raise UsageError(f"difference {difference} is not above 0")
    stored = [read_run(path) for path in (first, second)]
    views = views_of([run_at(run, turn) for run, turn in zip(stored, turns, strict=True)])
    if turns != (1, 1):
        names = [
            f"{run_name(run.manifest)}, {_answer_word(turn)}" for run, turn in zip(stored, turns, strict=True)
        ]
        views = [replace(view, label=name) for view, name in zip(views, names, strict=True)]
    versus = versus_of(views, 0, 1, difference, across_rules=across_rules)
    compared = compare_views(views)
    return TwoRuns(versus, [*versus.notes, *compared.notes(list(compared.by_task))])


def _answer_word(turn: Turn) -> str:
    return f"answer {turn}" if isinstance(turn, int) else f"{turn} answer"


def run_at(run: StoredRun, turn: Turn) -> StoredRun:
    """Return a run as if the answers after a turn were its only ones.

    Args:
        run: The run.
        turn: Number of the turn, "last", or "best".

    Raises:
        UsageError: The run has no such turn.
    """
    turns = run.manifest.options.turns
    if isinstance(turn, int) and turn > turns:
        have = "one answer" if turns == 1 else f"{turns} answers"
        raise UsageError(
            f"{run.path} has {have} to each question, and no answer {turn}; see --turns of evaluate"
        )
    chosen = records_at(run.records, run.turns, turn, turns, main_parts)
    options = replace(run.manifest.options, turns=1)
    return replace(run, records=chosen, turns={}, manifest=replace(run.manifest, options=options))


def metric_correlations(runs: Sequence[PathOrUrl]) -> dict[str, list[Correlation]]:
    """Return for each task how its metrics go together over the usable samples of some runs.

    Args:
        runs: Their folders, or URLs of such.

    Raises:
        UsageError: A folder is not a run.
        DataError: A record is damaged.
    """
    views = views_of([read_run(run) for run in runs])
    tasks = [task for task in SPECS if any(task in view.summary.tasks for view in views)]
    by_task: dict[str, list[Correlation]] = {}
    for task in tasks:
        names = dict.fromkeys(name for view in views for name in view.metrics.get(task, ()))
        ordered = [*(name for name in METRIC_TITLES if name in names)]
        ordered += [name for name in names if name not in METRIC_TITLES]
        records = [
            record
            for view in views
            for record in view.records
            if record.instance.task == task and not excluded_from_totals(record.instance.subset)
        ]
        by_task[task] = correlations(records, ordered)
    return by_task


def repeated_runs(runs: Sequence[PathOrUrl], *, threshold: float | None = None) -> list[Repeats]:
    """Return how the values of several runs of one model vary.

    >>> repeated_runs(["runs/four/1", "runs/four/2"], threshold=0.9)  # doctest: +SKIP

    Args:
        runs: Their folders, or URLs of such; two or more.
        threshold: Least value of the main metric of a task that passes; None computes pass@k of usable
            answers alone.

    Raises:
        UsageError: There is one run, a folder is not a run, or the runs are of different models or follow
            different rules.
        DataError: A record is damaged.
    """
    if len(runs) < 2:
        raise UsageError("repeats compares runs of one model; name two or more")
    views = views_of([read_run(run) for run in runs])
    models = {view.manifest.options.model.partition(REPEAT)[0] for view in views}
    if len(models) > 1:
        raise UsageError(f"repeats compares runs of one model, and these are of {', '.join(sorted(models))}")
    compared = compare_views(views)
    if compared.refused:
        raise UsageError(compared.by_task[min(compared.refused)].refusal)
    records = [{record.instance.id: record for record in view.records} for view in views]
    repeated = []
    for task in (task for task in SPECS if task in views[0].summary.tasks):
        for metric in (RENDERED, *views[0].metrics[task]):
            least = threshold if metric == SPECS[task].main_metric else None
            result = repeats(records, task, metric, least)
            if result is not None:
                repeated.append(result)
    return repeated


def difficulty_tables(runs: Sequence[PathOrUrl]) -> list[PaperTable]:
    """Return a table for each task with a row for each run and difficulty, then those of reference points.

    Values are over the instances that all runs have scored, as in the other tables. Skill, floor and ceiling
    are of the main column on the samples of the row; a note says so if no floor is known.

    Args:
        runs: Their folders, or URLs of such.

    Raises:
        UsageError: A folder is not a run.
        DataError: A record is damaged.
    """
    compared = compare_views(views_of([read_run(run) for run in runs]))
    tasks = [task for task in SPECS if any(task in view.summary.tasks for view in compared.views)]
    return [_difficulties(compared, task) for task in tasks]


def _difficulties(compared: ComparedRuns, task: str) -> PaperTable:
    own = [view for view in compared.views if task in view.summary.tasks]
    names = list(dict.fromkeys(name for view in own for name in view.columns[task].names))
    levels = {
        record.instance.difficulty for view in own for record in view.records if record.instance.task == task
    }
    ordered = sorted(levels, key=difficulty_order)
    rows = [(view.label, level) for level in ordered for view in own]
    skills = GroupSkills(compared, task, "difficulty", rows)
    lines = []
    for level in ordered:
        for view in own:
            records = [
                record
                for record in view.records
                if record.instance.task == task
                and record.instance.difficulty == level
                and record.outcome.counts
                and not excluded_from_totals(record.instance.subset)
            ]
            values = view.columns[task].values_of(records)
            cells: list[Cell] = [
                level or "not known",
                *skills.cells(view.label, level),
                share([record.usable for record in records]),
                *(values.get(name) for name in names),
                _scored(compared.own[view.label], task, level),
            ]
            lines.append(TableRow.of(view.label, cells, unranked=view.label in compared.unranked))
    headings = (
        Heading("Model"),
        Heading("Difficulty"),
        *skills.headings,
        Heading(metric_title(task, RENDERED)),
        *(Heading(metric_title(task, name)) for name in names),
        Heading("Scored"),
    )
    title = f"{SPECS[task].title}, by difficulty"
    notes = (FAILED_COUNT_ZERO, *compared.notes([task]), *skills.notes)
    return PaperTable(title, headings, tuple(lines), notes, compared.account_notes([task]))


def _scored(view: RunView, task: str, difficulty: str) -> str:
    """Return "N of M" of the samples of a difficulty."""
    scored = {record.instance.id for record in view.records if record.outcome.counts}
    planned = [
        instance.id
        for instance in view.instances
        if instance.task == task
        and instance.difficulty == difficulty
        and not excluded_from_totals(instance.subset)
    ]
    return f"{len(scored.intersection(planned))} of {len(planned)}"
