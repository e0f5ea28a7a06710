"""How much of the way from knowing nothing to the ground truth a model goes.

A metric does not begin at 0: two images of formulas are alike whatever they show. The skill of a run is
(value - floor) / (ceiling - floor), where the floor is the best baseline that looks at nothing and the
ceiling the oracle, each on the same instances.

Which baseline is the best is not known but chosen by its values, and the highest of several values is above
the value of each of them in the mean. So the instances are parted into FOLDS, and the floor of those of a
fold is the baseline that is the best on the others (cross-fitting).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from i2s_sdk.run.storage.record import Record
from i2s_sdk.scoring.scorer import Metric
from i2s_sdk.stats.aggregate import excluded_from_totals
from i2s_sdk.stats.bootstrap import FEWEST
from i2s_sdk.stats.columns import mean_range, part_of
from i2s_sdk.stats.estimates import (
    Row,
    SampleEstimate,
    estimated_columns,
    estimated_mean_of,
    estimated_skill,
)
from i2s_sdk.stats.means import IntervalKind, Mean, column_value, mean_of_estimate

#: The model that answers with the ground truth.
ORACLE = "oracle"
#: Baselines that look at nothing.
FLOORS = ("baseline/blank", "baseline/constant", "baseline/shuffled", "baseline/chance")
#: The ceiling if no run of the oracle is there: the largest value of a metric.
LARGEST = 1.0
#: Parts of the instances, of each of which the floor is chosen by the others.
FOLDS = 5

#: What a sample adds to the value of a run, to the floor and to the ceiling.
SkillRow = tuple[Row, Row, Row]


def is_reference_point(model: str) -> bool:
    """Return whether a model is the oracle or a baseline, by which models are measured and never ranked."""
    return model == ORACLE or model.startswith("baseline/")


@dataclass(frozen=True, slots=True)
class ScoredRun:
    """A run, as far as its skill depends on it."""

    #: Name of the run among the others.
    label: str
    #: Name of its model.
    model: str
    #: Its samples by instance.
    records: Mapping[str, Record]


@dataclass(frozen=True, slots=True)
class SkillColumn:
    """The values that a skill is computed of: a column of a task, over all samples or those of a group."""

    #: Name of the task.
    task: str
    #: Metrics whose values, the mean of them if they are several, are the column. More is better.
    metrics: tuple[Metric, ...]
    #: Name of the column.
    name: str = ""
    #: What a group has in common; empty for all samples but those of wild subsets.
    by: Literal["", "subset", "difficulty"] = ""
    #: The subset or difficulty.
    group: str = ""

    def row_of(self, record: Record) -> Row | None:
        """Return what a sample adds to the column; None if it adds nothing."""
        if not self.has(record):
            return None
        row = tuple(part_of(record, metric) for metric in self.metrics)
        return row if any(one is not None for one in row) else None

    def has(self, record: Record) -> bool:
        """Return whether a sample is scored and belongs to the group."""
        if record.instance.task != self.task or not record.outcome.counts:
            return False
        match self.by:
            case "subset":
                return record.instance.subset == self.group
            case "difficulty":
                return record.instance.difficulty == self.group and not excluded_from_totals(
                    record.instance.subset
                )
            case _:
                return not excluded_from_totals(record.instance.subset)


@dataclass(frozen=True, slots=True)
class SkillData:
    """The samples that the skill of a run is computed from."""

    #: Name of the run.
    label: str
    #: Which baseline the floor is; "a or b" if it differs between folds.
    floor_model: str
    #: The oracle; empty if the ceiling is the largest value.
    ceiling_model: str
    #: What each common instance adds to the value of the run, to the floor and to the ceiling.
    rows: tuple[SkillRow, ...]
    #: Name of the column.
    metric: str
    #: The least value of the column.
    low: float = 0.0
    #: The greatest.
    high: float = LARGEST


@dataclass(frozen=True, slots=True)
class Skill:
    """The skill of a run in a column of a task."""

    #: Name of the run.
    label: str
    #: Column of the task that it is computed of.
    metric: str
    #: Value of the run over the common instances.
    value: float
    #: Value of the floor over them.
    floor: float
    #: Which baseline that is; "a or b" if it differs between folds.
    floor_model: str
    #: Value of the ceiling over them.
    ceiling: float
    #: The oracle; empty if the ceiling is the largest value.
    ceiling_model: str
    #: The skill, with its interval over instances; its value is None if the ceiling is no higher than the
    #: floor.
    skill: Mean


def skill_data(run: ScoredRun, points: Sequence[ScoredRun], column: SkillColumn) -> SkillData | None:
    """Return what the skill of a run that is neither floor nor oracle is computed from; None without a floor.

    A reference point that has a value for every instance of the run goes before one that has not. If no floor
    has all of them, the instances are those that the run and all floors have.

    Args:
        run: Whose skill it is.
        points: Runs of the oracle and of baselines; others are left out.
        column: What the skill is computed of.
    """
    if run.model in (*FLOORS, ORACLE):
        return None
    own = _rows(run, column)
    theirs = {point.label: _rows_of_same_data(point, run, own, column) for point in points}
    floors = [point for point in points if point.model in FLOORS and theirs[point.label]]
    whole = [scored_run for scored_run in floors if own.keys() <= theirs[scored_run.label].keys()]
    floors = whole or floors
    common = sorted(set(own).intersection(*(theirs[scored_run.label] for scored_run in floors)))
    if not floors or not common:
        return None

    def of(run: ScoredRun) -> list[Row]:
        return [theirs[run.label][name] for name in common]

    names, floor = _cross_fitted([(scored_run.model, of(scored_run)) for scored_run in floors])
    oracles = (
        point for point in points if point.model == ORACLE and set(common) <= theirs[point.label].keys()
    )
    oracle = next(oracles, None)
    mine = [own[name] for name in common]
    ceiling = of(oracle) if oracle else [_largest(row) for row in mine]
    rows = tuple(zip(mine, floor, ceiling, strict=True))
    ends = mean_range(column.metrics)
    return SkillData(run.label, " or ".join(names), oracle.model if oracle else "", rows, column.name, *ends)


def _cross_fitted(floors: Sequence[tuple[str, list[Row]]]) -> tuple[list[str], list[Row]]:
    """Return the names of the baselines that are the floor of a fold, and the rows of the floor.

    Fewer than FEWEST instances are one fold: the choice by the others would be chance.

    Args:
        floors: Name and rows of each baseline, at least one; the rows are of the same instances.
    """

    def best(places: Sequence[int]) -> int:
        return max(
            range(len(floors)), key=lambda at: column_value([floors[at][1][place] for place in places]) or 0.0
        )

    places = range(len(floors[0][1]))
    if len(places) < FEWEST:
        chosen = [best(places)] * FOLDS
    else:
        chosen = [best([place for place in places if place % FOLDS != fold]) for fold in range(FOLDS)]
    rows = [floors[chosen[place % FOLDS]][1][place] for place in places]
    return [floors[at][0] for at in sorted(set(chosen))], rows


def skill_of(data: SkillData) -> Skill:
    """Return the skill of a run, with its interval over instances."""
    sides = _sides(data)
    skill = estimated_skill(*sides)
    value, floor, ceiling = (side.value for side in sides)
    return Skill(
        data.label,
        data.metric,
        value,
        floor,
        data.floor_model,
        ceiling,
        data.ceiling_model,
        mean_of_estimate(skill, len(data.rows)),
    )


def mean_skill(tasks: Sequence[SkillData]) -> Mean:
    """Return the unweighted mean of the skills of a run in some tasks; its n counts them.

    There is no value if a task has no skill.
    """
    skills = [estimated_skill(*_sides(task)) for task in tasks]
    known = [skill for skill in skills if skill is not None]
    if not known or len(known) < len(skills):
        return Mean(None, 0, None, IntervalKind.TOO_FEW)
    return mean_of_estimate(estimated_mean_of(known), len(known), IntervalKind.EQUAL_IN_GROUPS)


def _sides(data: SkillData) -> tuple[SampleEstimate, SampleEstimate, SampleEstimate]:
    """Return value, floor and ceiling; 0 if no instance has a value."""
    value, floor, ceiling = (
        estimated_columns(side, data.low, data.high) or _nothing(len(data.rows))
        for side in zip(*data.rows, strict=True)
    )
    return value, floor, ceiling


def _nothing(n: int) -> SampleEstimate:
    import numpy as np

    return SampleEstimate(0.0, np.zeros(n), np.ones(n), 0.0, 0.0)


def _largest(row: Row) -> Row:
    """Return what a sample with the largest value adds where another sample adds something."""
    return tuple(None if one is None else (LARGEST * one[1], one[1]) for one in row)


def _rows(run: ScoredRun, column: SkillColumn) -> dict[str, Row]:
    """Return what samples of a run add to a column, by instance."""
    rows = ((name, column.row_of(record)) for name, record in run.records.items())
    return {name: row for name, row in rows if row is not None}


def _rows_of_same_data(
    point: ScoredRun, run: ScoredRun, names: Iterable[str], column: SkillColumn
) -> dict[str, Row]:
    """Return what samples of a reference point add to a column if their data are those of a run."""
    rows: dict[str, Row] = {}
    for name in names:
        record = point.records.get(name)
        if record is not None and record.instance.has_data_of(run.records[name].instance):
            row = column.row_of(record)
            if row is not None:
                rows[name] = row
    return rows
