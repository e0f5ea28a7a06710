"""How much of the way from knowing nothing to the ground truth a model goes.

A metric does not begin at 0: two pictures of formulas are alike whatever they show. The skill of a run is
(value - floor) / (ceiling - floor), where the floor is the best baseline that looks at nothing and the
ceiling the oracle, each on the same instances.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from i2s_sdk.runlog.record import Record
from i2s_sdk.stats.aggregate import excluded_from_totals, value_of
from i2s_sdk.stats.bootstrap import ratio_interval
from i2s_sdk.stats.means import IntervalKind, Mean, mean

#: The model that answers with the ground truth.
ORACLE = "oracle"
#: Baselines that look at nothing.
FLOORS = ("baseline/blank", "baseline/constant", "baseline/shuffled", "baseline/chance")
#: The ceiling if no run of the oracle is there: the largest value of a metric.
LARGEST = 1.0


def is_reference_point(model: str) -> bool:
    """Return whether a model is the oracle or a baseline, by which models are measured and never ranked."""
    return model == ORACLE or model.startswith("baseline/")


@dataclass(frozen=True, slots=True)
class ScoredRun:
    """A run, as far as its skill depends on it.

    Attributes:
        label: Name of the run among the others.
        model: Name of its model.
        records: Its samples by instance.
    """

    label: str
    model: str
    records: Mapping[str, Record]


@dataclass(frozen=True, slots=True)
class Skill:
    """The skill of a run in a task.

    Attributes:
        label: Name of the run.
        value: Mean of the metric over the common instances.
        floor: Mean of the floor over them.
        floor_model: Which baseline that is.
        ceiling: Mean of the ceiling over them.
        skill: The skill, with its interval over instances; its value is None if the ceiling is no higher than
            the floor.
    """

    label: str
    value: float
    floor: float
    floor_model: str
    ceiling: float
    skill: Mean


def skills(runs: Sequence[ScoredRun], task: str, metric: str) -> list[Skill]:
    """Return the skill of each run that is neither floor nor oracle, the highest first; none without a floor.

    Args:
        runs: All runs that are compared, reference points among them.
        task: Name of the task.
        metric: A metric whose value is a mean over samples, and of which more is better.
    """
    values = {run.label: _values(run, task, metric) for run in runs}
    floors = [run for run in runs if run.model in FLOORS and values[run.label]]
    oracle = next((run for run in runs if run.model == ORACLE and values[run.label]), None)
    found = []
    for run in runs:
        if run.model in (*FLOORS, ORACLE) or not floors:
            continue
        points = [*floors, *([oracle] if oracle else [])]
        common = set(values[run.label]).intersection(*(values[one.label] for one in points))
        if common:
            ids = sorted(common)
            columns = {one.label: [values[one.label][name] for name in ids] for one in (run, *points)}
            found.append(_skill(run, floors, oracle, columns))
    return sorted(found, key=lambda one: -1e9 if one.skill.value is None else -one.skill.value)


def _skill(
    run: ScoredRun,
    floors: Sequence[ScoredRun],
    oracle: ScoredRun | None,
    columns: Mapping[str, Sequence[float]],
) -> Skill:
    means = {label: mean(column).value or 0.0 for label, column in columns.items()}
    floor = max(floors, key=lambda one: means[one.label])
    own, low = columns[run.label], columns[floor.label]
    high = columns[oracle.label] if oracle else [LARGEST] * len(own)
    ceiling = means[oracle.label] if oracle else LARGEST
    span = ceiling - means[floor.label]
    value = (means[run.label] - means[floor.label]) / span if span > 0 else None
    rows = [[(a - b, c - b)] for a, b, c in zip(own, low, high, strict=True)]
    interval = ratio_interval(rows) if value is not None else None
    kind = IntervalKind.BOOTSTRAP if interval else IntervalKind.TOO_FEW
    return Skill(
        run.label,
        means[run.label],
        means[floor.label],
        floor.model,
        ceiling,
        Mean(value, len(own), interval, kind),
    )


def _values(run: ScoredRun, task: str, metric: str) -> dict[tuple[str, str], float]:
    """Return the values of a run by instance and SHA-256 of its reference, those that count."""
    found: dict[tuple[str, str], float] = {}
    for name, record in run.records.items():
        if record.task != task or not record.outcome.counts or excluded_from_totals(record.subset):
            continue
        value = value_of(record, metric)
        if value is not None:
            found[name, record.reference_sha256] = value
    return found
