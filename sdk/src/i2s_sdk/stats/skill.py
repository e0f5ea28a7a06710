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


def skill_of(run: ScoredRun, points: Sequence[ScoredRun], task: str, metric: str) -> Skill | None:
    """Return the skill of a run that is neither floor nor oracle; None without a floor.

    A reference point that has a value for every instance of the run goes before one that has not. If no floor
    has all of them, the instances are those that the run and all floors have.

    Args:
        run: Whose skill it is.
        points: Runs of the oracle and of baselines; others are left out.
        task: Name of the task.
        metric: A metric whose value is a mean over samples, and of which more is better.
    """
    if run.model in (*FLOORS, ORACLE):
        return None
    own = _values(run, task, metric)
    values = {one.label: _values(one, task, metric) for one in points}
    floors = [one for one in points if one.model in FLOORS and values[one.label]]
    whole = [one for one in floors if own.keys() <= values[one.label].keys()]
    floors = whole or floors
    common = set(own).intersection(*(values[one.label] for one in floors))
    if not floors or not common:
        return None
    oracle = next((one for one in points if one.model == ORACLE and common <= values[one.label].keys()), None)
    known = [*floors, *([oracle] if oracle else [])]
    ids = sorted(common)
    columns = {one.label: [values[one.label][name] for name in ids] for one in known}
    return _skill(run, floors, oracle, {**columns, run.label: [own[name] for name in ids]})


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
