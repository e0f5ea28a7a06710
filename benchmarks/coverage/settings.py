"""What is simulated: populations with a known value, samples of them, and their intervals before and after.

Before: percentiles of the bootstrap, and as floor of a skill the baseline that is the best on the sample.
After: the intervals of ``i2s_sdk.stats``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from i2s_sdk.run.storage.record import Outcome, Record, SampleInstance, SampleScore
from i2s_sdk.scoring.scorer import Metric
from i2s_sdk.stats.bootstrap import Interval, mean_interval
from i2s_sdk.stats.means import Mean, mean_of_groups, pooled
from i2s_sdk.stats.skill import ScoredRun, SkillColumn, skill_data, skill_of

Floats: TypeAlias = NDArray[np.float64]
Found: TypeAlias = tuple[float, Interval | None]

#: Draws of the bootstrap before.
DRAWS = 1000
#: Share of answers that fail in populations with zeros.
ZEROS = 0.1
#: Models of the floors, and the means of their own part of a value.
_FLOORS = {"baseline/blank": 0.62, "baseline/constant": 0.6, "baseline/shuffled": 0.6}
_COLUMN = SkillColumn("task", (Metric("value"),))


@dataclass(frozen=True, slots=True)
class Setting:
    """One population."""

    name: str  #: Its name in the table.
    truth: float  #: The value that an interval is to hold.
    draw: Callable[[Generator, int], Floats]  #: Returns a sample of n observations; a row each.
    #: Returns the value of each draw of the bootstrap of a sample, given how often each row is in it.
    before: Callable[[Floats, Floats], Floats]
    after: Callable[[Floats], Found]  #: Returns the value of a sample, and its interval if it has one.
    judged: bool = False  #: Whether it has to reach the bars.

    def counts(self, rng: Generator, n: int) -> Floats:
        """Return how often each row is in each draw of the bootstrap; shape (DRAWS, n)."""
        return rng.multinomial(n, np.full(n, 1 / n), size=DRAWS).astype(np.float64)


class GroupedSetting(Setting):
    """A population of groups of three, each of which is drawn from on its own."""

    def counts(self, rng: Generator, n: int) -> Floats:
        """Return how often each row is in each draw of the bootstrap within groups."""
        groups = [np.arange(n)[at :: n // 3] for at in range(n // 3)]
        found = np.zeros((DRAWS, n))
        for places in groups:
            size = len(places)
            found[:, places] = rng.multinomial(size, np.full(size, 1 / size), size=DRAWS)
        return found


def settings() -> Iterator[Setting]:
    """Yield all populations."""
    for (a, b), zeros, judged in (
        ((8, 2), 0.0, True),
        ((8, 2), ZEROS, True),
        ((8, 2), 0.02, False),
        ((8, 2), 0.2, False),
        ((2, 8), 0.0, False),
        ((0.5, 0.5), 0.0, False),
        ((80, 20), ZEROS, False),
    ):
        failed = f", {zeros:.0%} zeros" if zeros else ""
        yield _means(f"beta({a:g}, {b:g}){failed}", a / (a + b) * (1 - zeros), _values(a, b, zeros), judged)
    yield _means("0 or 1, 80 % ones", 0.8, lambda rng, n: (rng.random(n) < 0.8).astype(float))
    yield _means("difference of two beta(8, 2)", 0.0, _difference(0.0, 0.0), True, low=-1.0)
    yield _means("difference, 10% zeros in both", 0.0, _difference(ZEROS, ZEROS), True, low=-1.0)
    yield _means("difference, 10% zeros in the second", -0.8 * ZEROS, _difference(0.0, ZEROS), True, low=-1.0)
    yield _means("difference, equal but for 10% zeros", -0.8 * ZEROS, _failing, low=-1.0)
    yield Setting("ratio of sums, 10% zeros", 0.8 * (1 - ZEROS), _parts, _ratio, _pooled)
    yield GroupedSetting(
        "mean of groups of 3, 10% zeros", 0.8 * (1 - ZEROS), _values(8, 2, ZEROS), _mean, _grouped
    )
    yield Setting("skill, 10% zeros", _SKILL, _sides, _skill_before, _skill)


def _values(a: float, b: float, zeros: float) -> Callable[[Generator, int], Floats]:
    def draw(rng: Generator, n: int) -> Floats:
        return np.where(rng.random(n) < zeros, 0.0, rng.beta(a, b, n))

    return draw


def _difference(first: float, second: float) -> Callable[[Generator, int], Floats]:
    one, other = _values(8, 2, first), _values(8, 2, second)
    return lambda rng, n: other(rng, n) - one(rng, n)


def _failing(rng: Generator, n: int) -> Floats:
    """Return the differences of two runs that are equal, but that the second fails now and then."""
    return np.where(rng.random(n) < ZEROS, -rng.beta(8, 2, n), 0.0)


def _means(
    name: str,
    truth: float,
    draw: Callable[[Generator, int], Floats],
    judged: bool = False,
    low: float = 0.0,
) -> Setting:
    return Setting(
        name,
        truth,
        draw,
        _mean,
        lambda sample: (float(sample.mean()), mean_interval(sample.tolist(), low)),
        judged,
    )


def _mean(sample: Floats, counts: Floats) -> Floats:
    drawn: Floats = counts @ sample / len(sample)
    return drawn


def _parts(rng: Generator, n: int) -> Floats:
    """Return numerators and denominators: how many of 1 to about 100 fields are right."""
    bottoms = np.ceil(10 * np.exp(0.75 * rng.standard_normal(n)))
    tops = rng.binomial(bottoms.astype(int), rng.beta(8, 2, n)) * (rng.random(n) >= ZEROS)
    return np.stack([tops, bottoms], axis=1)


def _ratio(sample: Floats, counts: Floats) -> Floats:
    drawn: Floats = (counts @ sample[:, 0]) / (counts @ sample[:, 1])
    return drawn


def _pooled(sample: Floats) -> Found:
    return _found(pooled((float(top), float(bottom)) for top, bottom in sample))


def _grouped(sample: Floats) -> Found:
    groups = len(sample) // 3
    return _found(mean_of_groups([sample[at::groups].tolist() for at in range(groups)]))


def _sides(rng: Generator, n: int) -> Floats:
    """Return values of a model and of the baselines; they share how easy an instance is."""
    easy = rng.beta(6, 4, n)
    value = np.where(rng.random(n) < ZEROS, 0.0, 0.7 * rng.beta(8, 2, n) + 0.3 * easy)
    floors = [0.6 * rng.beta(12 * mean, 12 * (1 - mean), n) + 0.4 * easy for mean in _FLOORS.values()]
    return np.stack([value, *floors], axis=1)


_BEST = 0.6 * max(_FLOORS.values()) + 0.4 * 0.6
_SKILL = ((0.7 * 0.8 + 0.3 * 0.6) * (1 - ZEROS) - _BEST) / (1 - _BEST)


def _skill_before(sample: Floats, counts: Floats) -> Floats:
    value, floors = sample[:, 0], sample[:, 1:]
    floor = floors[:, floors.sum(axis=0).argmax()]
    drawn: Floats = (counts @ (value - floor)) / (counts @ (1 - floor))
    return drawn


def _skill(sample: Floats) -> Found:
    names = ("model", *_FLOORS)
    model, *floors = (_run(name, column) for name, column in zip(names, sample.T.tolist(), strict=True))
    found = skill_data(model, floors, _COLUMN)
    assert found is not None, "the baselines have all instances"
    return _found(skill_of(found).skill)


def _found(mean: Mean) -> Found:
    return mean.value or 0.0, mean.interval


def _run(model: str, values: Sequence[float]) -> ScoredRun:
    records = {
        f"{at:04}": Record(
            SampleInstance(f"{at:04}", "task", "s", ""),
            score=SampleScore(Outcome.SCORED, metrics={"value": value}),
        )
        for at, value in enumerate(values)
    }
    return ScoredRun(model, model, records)
