"""Several runs of one model on the same instances: pass@k, and the variance within and between instances."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from statistics import fmean, variance
from typing import Any

from i2s_sdk.run.storage.record import Record, same_targets
from i2s_sdk.stats.aggregate import RENDERED, excluded_from_totals, value_of
from i2s_sdk.stats.means import Mean, mean_with_interval


@dataclass(frozen=True, slots=True)
class Repeats:
    """One metric of one task over several runs of a model."""

    #: Name of the task.
    task: str
    #: Name of the metric, or RENDERED for whether a sample is usable.
    metric: str
    #: Number of runs.
    runs: int
    #: Mean over instances of their mean over the runs, with its interval over instances.
    mean: Mean
    #: Mean over instances of the variance of their values between runs: what repeating changes.
    within: float
    #: Variance between instances of their mean over the runs, less what ``within`` adds to it; not below 0.
    #: None for fewer than two instances.
    between: float | None
    #: The share of instances of which at least one of k answers passes, by k; see ``pass_at_k``. Empty if no
    #: threshold was given for the metric.
    pass_at: Mapping[int, Mean]

    def to_json(self) -> dict[str, Any]:
        """Return the numbers as JSON has them."""
        return asdict(self)


def pass_at_k(passed: int, answers: int, k: int) -> float:
    """Return the chance that at least one of ``k`` answers passes, drawn from some without replacement.

    The unbiased estimator 1 - C(n - c, k) / C(n, k) of Chen et al., Evaluating Large Language Models Trained
    on Code, 2021, arXiv:2107.03374, equation 1.

    Args:
        passed: Number of answers that pass, c.
        answers: Number of answers, n.
        k: Number of answers drawn, from 1 to n.
    """
    return 1.0 - math.comb(answers - passed, k) / math.comb(answers, k)


def repeats(
    runs: Sequence[Mapping[str, Record]], task: str, metric: str, threshold: float | None = None
) -> Repeats | None:
    """Return how a metric varies over runs of one model; None if no instance has a value in all of them.

    Args:
        runs: Samples of each run by instance; at least two runs.
        task: Name of the task.
        metric: Name of the metric, or RENDERED, which passes if it is 1.
        threshold: Least value of the metric that passes; None computes no pass@k of it.
    """
    if metric == RENDERED:
        threshold = 1.0
    rows = []
    for name, first in sorted(runs[0].items()):
        if first.instance.task != task or excluded_from_totals(first.instance.subset):
            continue
        records = [run[name] for run in runs if name in run]
        same = all(
            record.outcome.counts and record.instance.has_data_of(first.instance) for record in records
        ) and same_targets(records)
        values = [value_of(record, metric) for record in records]
        if len(records) == len(runs) and same and None not in values:
            rows.append([value for value in values if value is not None])
    if not rows:
        return None
    count = len(runs)
    means = [fmean(row) for row in rows]
    within = fmean(variance(row) for row in rows)
    between = max(0.0, variance(means) - within / count) if len(rows) > 1 else None
    passed = [] if threshold is None else [sum(value >= threshold for value in row) for row in rows]
    at = {k: mean_with_interval(pass_at_k(c, count, k) for c in passed) for k in range(1, count + 1)}
    return Repeats(task, metric, count, mean_with_interval(means), within, between, at if passed else {})
