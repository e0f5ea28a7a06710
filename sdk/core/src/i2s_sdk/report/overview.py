"""The overview of several runs: the main value of each in each task, losses, and who is ahead of whom."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from i2s_sdk.report import figures
from i2s_sdk.report.account_lines import loss_words
from i2s_sdk.report.charts import reference_values
from i2s_sdk.report.compared import ComparedRuns
from i2s_sdk.report.versus import disagreement, recommendation, versus_of
from i2s_sdk.report.view import metric_word
from i2s_sdk.stats.compare import ALPHA, Comparison
from i2s_sdk.stats.leaderboard import Standing
from i2s_sdk.stats.means import Mean
from i2s_sdk.tasks.registry import task_spec
from i2s_sdk.tasks.task import EXACT

#: The most tasks that have a column each in an overview; of more, it has a row for each.
TASKS_ACROSS = 5


@dataclass(frozen=True, slots=True)
class OverviewColumn:
    """The main or the recommended column of a task."""

    #: Name of the task.
    task: str
    #: Name of the metric.
    metric: str

    @property
    def is_main(self) -> bool:
        """Whether it is the main column."""
        return self.metric == task_spec(self.task).main_metric

    @property
    def word(self) -> str:
        """The metric for people."""
        return metric_word(self.task, self.metric)

    @property
    def title(self) -> str:
        """Both for people, such as "latex ems"."""
        return f"{self.task} {self.word}"


@dataclass(frozen=True, slots=True)
class OverviewRow:
    """A run."""

    #: Its name.
    label: str
    #: The main value by task; tasks without one are left out.
    values: Mapping[str, Mean]
    #: The value in the recommended column by task, of tasks that recommend another one than the main one.
    recommended: Mapping[str, Mean]
    #: Exact answers of those that have that metric, over all tasks; None if no task has it.
    exact: tuple[int, int] | None
    #: Scored and planned samples over all tasks.
    scored: tuple[int, int]
    #: What was lost of the answers in words, such as "2 not rendered"; empty if nothing was.
    lost: tuple[str, ...]
    #: Whether it is a reference point, which is not ranked.
    is_reference_point: bool = False

    def value(self, column: OverviewColumn) -> Mean | None:
        """Return the value in a column; None if there is none."""
        return (self.values if column.is_main else self.recommended).get(column.task)


@dataclass(frozen=True, slots=True)
class Lead:
    """The difference of the two best runs in a column of a task."""

    task: str
    metric: str
    #: The run with the higher value.
    ahead: str
    #: The next one.
    behind: str
    #: By how much, with its interval, over the samples that both have scored.
    difference: Mean
    #: The p-value that the runs are alike; None if no sample differs, or samples have no value in the column,
    #: which is a mean of columns.
    p_value: float | None

    @property
    def is_certain(self) -> bool:
        """Whether chance alone would seldom give such a difference."""
        return self.p_value is not None and self.p_value <= ALPHA

    def sentence(self) -> str:
        """Return who is ahead, by how much, and whether that may be chance."""
        if self.p_value is None and not self.difference.value:
            return f"{self.task}: {self.ahead} and {self.behind} are equal on all {self.difference.n} samples"
        amount = figures.value(self.difference.value)
        lead = f"{self.task}: {self.ahead} is ahead of {self.behind} by {amount} in "
        lead += metric_word(self.task, self.metric)
        if self.p_value is None:
            return f"{lead} (n={self.difference.n})"
        chance, p = "" if self.is_certain else ", which may be chance", _p_value(self.p_value)
        return f"{lead}{chance} (p {p}, n={self.difference.n})"


@dataclass(frozen=True, slots=True)
class Overview:
    """Several runs at a glance."""

    #: The main column of each task, and behind it the recommended one if that is another one.
    columns: tuple[OverviewColumn, ...] = ()
    #: Runs in the order of the leaderboard, best first, then those of reference points.
    rows: tuple[OverviewRow, ...] = ()
    #: For each column of tasks in which runs are ranked.
    leads: tuple[Lead, ...] = ()
    #: Floor and ceiling of each column, None where they are not known.
    ends: Mapping[OverviewColumn, tuple[float | None, float | None]] = field(default_factory=dict)
    #: What a reader of the values must know, as sentences.
    notes: tuple[str, ...] = ()

    @property
    def shown(self) -> tuple[OverviewRow, ...]:
        """The rows of runs that are ranked; if there are none, those of reference points."""
        return tuple(row for row in self.rows if not row.is_reference_point) or self.rows

    def to_json(self) -> dict[str, Any]:
        """Return the numbers as JSON has them."""
        leads = [{**asdict(lead), "certain": lead.is_certain} for lead in self.leads]
        rows = [asdict(row) for row in self.rows]
        return {"rows": rows, "leads": leads, "notes": list(self.notes)}


def overview(compared: ComparedRuns, standings: Sequence[Standing]) -> Overview:
    """Return the overview of runs.

    Args:
        compared: The runs.
        standings: Those that are rows, ranked.
    """
    tasks = list(dict.fromkeys(task for standing in standings for task in standing.values))
    known = [OverviewColumn(task, name) for task in tasks for name in task_spec(task).headline_metrics]
    present = {
        (task, name)
        for standing in standings
        for task, of_task in standing.values.items()
        for name, mean in of_task.items()
        if mean.value is not None
    }
    columns = tuple(
        overview_column
        for overview_column in known
        if overview_column.is_main or (overview_column.task, overview_column.metric) in present
    )
    rows = tuple(_row(compared, standing, columns) for standing in standings)
    ranked = [row for row in rows if not row.is_reference_point]
    leads = (_lead(compared, column, ranked) for column in columns if column.task not in compared.refused)
    made = tuple(lead for lead in leads if lead is not None)
    ends = {column: floor_and_ceiling(compared, column) for column in columns}
    return Overview(columns, rows, made, ends, _notes(columns, made))


def floor_and_ceiling(compared: ComparedRuns, column: OverviewColumn) -> tuple[float | None, float | None]:
    """Return floor and ceiling of a column, None if they are not known; the floor is that of skill."""
    floor, ceiling = reference_values(compared, column.task, column.metric)
    skill = next(iter(compared.skills.get(column.task, {}).values()), None)
    return (skill.floor if skill is not None and skill.metric == column.metric else floor), ceiling


def _notes(columns: Sequence[OverviewColumn], leads: Sequence[Lead]) -> tuple[str, ...]:
    """Return why there are two columns of a task, and which to go by if they disagree."""
    notes = [
        recommendation(overview_column.task) for overview_column in columns if not overview_column.is_main
    ]
    by_column = {(lead.task, lead.metric): lead for lead in leads}
    for column in columns:
        main = by_column.get((column.task, task_spec(column.task).main_metric))
        own = by_column.get((column.task, column.metric))
        if main is None or own is None or main.ahead == own.ahead:
            continue
        if main.is_certain and own.is_certain:
            notes.append(disagreement(column.task))
    return tuple(dict.fromkeys(notes))


def _row(compared: ComparedRuns, standing: Standing, columns: Sequence[OverviewColumn]) -> OverviewRow:
    of_tasks = standing.values
    values, recommended = (
        {
            column.task: of_tasks[column.task][column.metric]
            for column in columns
            if column.is_main is is_main and column.metric in of_tasks.get(column.task, {})
        }
        for is_main in (True, False)
    )
    shares = [metrics[EXACT] for metrics in of_tasks.values() if EXACT in metrics]
    exact = sum(round((share.value or 0.0) * share.n) for share in shares)
    coverage = standing.coverage.values()
    return OverviewRow(
        standing.label,
        values,
        recommended,
        (exact, sum(share.n for share in shares)) if shares else None,
        (sum(scored for scored, _ in coverage), sum(planned for _, planned in coverage)),
        loss_words(compared.own_summary(standing.label)),
        standing.is_reference_point,
    )


def _lead(compared: ComparedRuns, column: OverviewColumn, rows: Sequence[OverviewRow]) -> Lead | None:
    """Return how far the best run is ahead of the next; None of fewer than two."""
    by_value = {row.label: mean.value for row in rows if (mean := row.value(column)) is not None}
    known = [label for label, value in by_value.items() if value is not None]
    known.sort(key=lambda label: -(by_value[label] or 0.0))
    if len(known) < 2:
        return None
    places = {view.label: at for at, view in enumerate(compared.views)}
    if not places.keys() >= set(known[:2]):
        return None
    versus = versus_of(compared.views, places[known[1]], places[known[0]])
    comparison = next((each for each in versus.comparisons if _is_of(each, column)), None)
    if comparison is None:
        return None
    return Lead(column.task, column.metric, known[0], known[1], comparison.difference, comparison.p_value)


def _is_of(comparison: Comparison, column: OverviewColumn) -> bool:
    return (comparison.task, comparison.metric) == (column.task, column.metric)


def _p_value(p: float) -> str:
    return "below 0.001" if p < 0.001 else f"{p:.3f}"
