"""Which runs of a report are compared with each other, and how they differ."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from i2s_sdk.report.account_lines import AccountDifference, account_differences
from i2s_sdk.report.view import RunView
from i2s_sdk.stats.comparability import same_rules, same_version
from i2s_sdk.stats.compare import ALPHA, Comparison, compare
from i2s_sdk.tasks.registry import task_spec

#: Runs of which every two are compared; of more, the first is compared with each other one.
_ALL_PAIRS = 4


@dataclass(frozen=True, slots=True)
class Versus:
    """Two runs of a report, their places in it, and how they differ.

    Accounts are of all samples of each run; the comparisons are of those that both have scored.
    """

    first: str
    second: str
    first_at: int
    second_at: int
    comparisons: Sequence[Comparison]
    accounts: Sequence[AccountDifference] = ()

    @property
    def notes(self) -> list[str]:
        """What a reader must know who compares the runs in the main metrics."""
        by_column = {
            (comparison.task, comparison.metric): comparison.difference.value or 0.0
            for comparison in self.comparisons
            if comparison.p_value is not None and comparison.p_value <= ALPHA
        }
        notes = []
        for task in dict.fromkeys(comparison.task for comparison in self.comparisons):
            values = [by_column.get((task, name), 0.0) for name in task_spec(task).headline_metrics]
            if len(values) > 1 and values[0] * values[1] < 0:
                notes.append(disagreement(task))
        return notes

    def to_json(self) -> dict[str, Any]:
        """Return the numbers as JSON has them."""
        return {
            "first": self.first,
            "second": self.second,
            "comparisons": [comparison.to_json() for comparison in self.comparisons],
            "accounts": [account.to_json() for account in self.accounts],
        }


def recommendation(task: str) -> str:
    """Return why a task has a recommended metric beside its main one."""
    main, recommended = task_spec(task).headline_metrics
    return (
        f"{task}: {main} is the published metric; {recommended} tells right answers from wrong ones better, "
        "also in another size (docs/reading-scores.md)"
    )


def disagreement(task: str) -> str:
    """Return that the main and the recommended metric disagree about which run is better."""
    main, recommended = task_spec(task).headline_metrics
    return (
        f"{task}: {main} and {recommended} disagree about who is ahead; go by {recommended} "
        "(docs/reading-scores.md)"
    )


def compare_runs(views: Sequence[RunView]) -> list[Versus]:
    """Return the comparisons of a report of these runs."""
    places = range(len(views))
    pairs = combinations(places, 2) if len(views) <= _ALL_PAIRS else ((0, other) for other in places[1:])
    return [versus_of(views, first, second) for first, second in pairs]


def versus_of(
    views: Sequence[RunView],
    first_at: int,
    second_at: int,
    difference: float | None = None,
    *,
    across_rules: bool = False,
) -> Versus:
    """Return the comparison of two runs, in the tasks and metrics whose values follow the same rules.

    Args:
        views: The runs of the report.
        first_at: Place of the first run among them.
        second_at: Place of the second run.
        difference: See ``i2s_sdk.stats.compare.compare``.
        across_rules: Whether values that follow different rules are compared as well.
    """
    first, second = views[first_at], views[second_at]
    rules = first.manifest.options, second.manifest.options
    shared = {
        task: columns.both(second.columns[task])
        for task, columns in first.columns.items()
        if task in second.columns and (across_rules or same_rules(*rules, task))
    }
    mine, theirs = ({record.instance.id: record for record in view.records} for view in (first, second))
    comparisons = compare(mine, theirs, shared, difference)
    comparisons = [
        comparison for comparison in comparisons if across_rules or same_version(*rules, comparison.metric)
    ]
    accounts = account_differences(first.summary, second.summary)
    return Versus(first.label, second.label, first_at, second_at, comparisons, accounts)
