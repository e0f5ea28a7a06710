"""The published table of ShapeCodeBench, with its intervals, from the values of single answers.

The intervals are those of the release: one generator with the seed 2026 for the whole table; for each run all
answers, then those of each difficulty; for each of these the four metrics in their order, each with 1,000
means of as many values drawn with replacement, and the quantiles 0.025 and 0.975 of these means. So a value
depends on all that stands before it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from i2s_sdk.tasks.shapecode.scorer import EXACT, IOU, PARSED, PIXELS

SEED, RESAMPLES = 2026, 1000
#: Metrics in the order in which the generator is used.
ORDER = (EXACT, PIXELS, IOU, PARSED)
#: "all", and the difficulties in the order of the table.
PARTS = ("all", "easy", "medium", "hard")


@dataclass(frozen=True, slots=True)
class AnswerValues:
    """The values of an answer."""

    #: Id of its instance; answers are taken in the order of ids.
    id: str
    #: Difficulty of its instance.
    difficulty: str
    #: Values by metric.
    values: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class TableRow:
    """A row of the table."""

    run: str
    part: str
    count: int
    #: Mean, and both ends of its interval, by metric.
    values: Mapping[str, tuple[float, float, float]]


def table_rows(runs: Mapping[str, Sequence[AnswerValues]]) -> Iterator[TableRow]:
    """Yield the rows of the table.

    Args:
        runs: Answers by the name of their run, in the order of the table.
    """
    generator = np.random.default_rng(SEED)
    for run, answers in runs.items():
        ordered = sorted(answers, key=lambda answer: answer.id)
        for part in PARTS:
            chosen = [answer_values for answer_values in ordered if part in ("all", answer_values.difficulty)]
            if chosen:
                values = {
                    name: _interval([answer_values.values[name] for answer_values in chosen], generator)
                    for name in ORDER
                }
                yield TableRow(run, part, len(chosen), values)


def _interval(values: Sequence[float], generator: np.random.Generator) -> tuple[float, float, float]:
    array = np.asarray(values, dtype=float)
    drawn = generator.integers(0, len(array), (RESAMPLES, len(array)))
    low, high = np.quantile(array[drawn].mean(axis=1), (0.025, 0.975))
    return float(array.mean()), float(low), float(high)
