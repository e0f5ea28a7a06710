"""How often intervals hold the value that they are about: simulated coverage of what is called 95 %.

Samples of populations with a known value are drawn (``settings``), and the share of those whose interval
holds it is counted, with the mean width, by the bootstrap as it was before and by the product.

The exit code is 0 only if every judged population reaches 0.90 from 5 and 0.93 from 8 observations on (else
1). The same seed gives the same table.

    python -m benchmarks.coverage
    python -m benchmarks.coverage --samples 200 --only skill
    python -m benchmarks.coverage --json > benchmarks/results/coverage.json
"""

from __future__ import annotations

import sys
import zlib
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass

import numpy as np

from benchmarks.coverage.settings import GroupedSetting, Setting, settings
from benchmarks.harness.command import Result, command_line, finish

SIZES = (2, 4, 5, 6, 8, 10, 15, 19, 20, 30, 50, 100, 300)
#: Least coverage from so many observations on.
BARS = {5: 0.90, 8: 0.93}


@dataclass(frozen=True, slots=True)
class Covered:
    """One population and size of sample."""

    setting: str  #: Name of the population.
    n: int  #: Observations of a sample.
    before: float  #: Share of intervals of the bootstrap that hold the value.
    width_before: float  #: Their mean width.
    after: float | None  #: Share of the product's intervals that hold it; None where it gives none.
    width_after: float | None  #: Their mean width.
    bias: float  #: Mean of the values less the true one.

    @property
    def bar(self) -> float:
        """The least coverage that is wanted."""
        return max((bar for n, bar in BARS.items() if n <= self.n), default=0.0)


def covered(setting: Setting, n: int, samples: int, seed: int) -> Covered:
    """Return how often the intervals of samples of a population hold its value."""
    rng = np.random.default_rng([seed, n, zlib.crc32(setting.name.encode())])
    counts = setting.counts(rng, n)
    before, after, values = [], [], []
    for _ in range(samples):
        sample = setting.draw(rng, n)
        before.append(np.quantile(setting.before(sample, counts), [0.025, 0.975]))
        value, ends = setting.after(sample)
        values.append(value)
        after.append(ends or (value, value))
    none = n < min(BARS)
    (held, width), (held_now, width_now) = (_held(ends, setting.truth) for ends in (before, after))
    bias = float(np.mean(values)) - setting.truth
    return Covered(
        setting.name, n, held, width, None if none else held_now, None if none else width_now, round(bias, 4)
    )


def cell(name: str, n: int, samples: int, seed: int) -> Covered:
    """Return what ``covered`` does of the population of a name."""
    return covered(next(setting for setting in settings() if setting.name == name), n, samples, seed)


def _held(ends: object, truth: float) -> tuple[float, float]:
    low, high = np.asarray(ends).T
    held = (low <= truth + 1e-9) & (truth - 1e-9 <= high)
    return round(float(held.mean()), 4), round(float((high - low).mean()), 4)


def table(rows: list[Covered]) -> Iterator[str]:
    """Yield coverage and mean width; a column for each size of samples."""
    sizes = sorted({row.n for row in rows})
    yield " ".join([f"{'':36}", *(f"{n:>6}" for n in sizes)])
    for name in dict.fromkeys(row.setting for row in rows):
        own = [row for row in rows if row.setting == name]
        yield name
        for label, numbers in (
            ("coverage before", [row.before for row in own]),
            ("coverage", [row.after for row in own]),
            ("width before", [row.width_before for row in own]),
            ("width", [row.width_after for row in own]),
        ):
            cells = ("     –" if number is None else f"{number:6.3f}" for number in numbers)
            yield " ".join([f"  {label:34}", *cells])
        yield " ".join([f"  {'bias of the value':34}", *(f"{row.bias:+6.3f}" for row in own)])


def run(samples: int, only: str, seed: int) -> Result:
    """Simulate so many samples of each population, of those whose name has a word in it, and of each size."""
    chosen = [setting for setting in settings() if only in setting.name]
    judged = {one.name for one in chosen if one.judged}
    cells = [
        (setting.name, n, samples, seed)
        for setting in chosen
        for n in SIZES
        if n > 2 or not isinstance(setting, GroupedSetting)
    ]
    with ProcessPoolExecutor() as pool:
        rows = list(pool.map(cell, *zip(*cells, strict=True)))
    missed = [row for row in rows if row.setting in judged and row.after is not None and row.after < row.bar]
    for row in missed:
        print(f"below the bar of {row.bar}: {row.setting}, n = {row.n}: {row.after}", file=sys.stderr)
    document = {"samples": samples, "seed": seed, "rows": list(map(asdict, rows))}
    return Result(document, table(rows), 1 if missed else 0)


def main() -> int:
    """Simulate, print, and return the exit code."""
    parser = command_line("coverage", __doc__)
    parser.add_argument("--samples", type=int, default=1000, help="samples of each population and size")
    parser.add_argument("--only", default="", help="populations whose name has this word in it")
    parser.add_argument("--seed", type=int, default=45)
    given = parser.parse_args()
    return finish(given, lambda: run(given.samples, given.only, given.seed))


if __name__ == "__main__":
    raise SystemExit(main())
