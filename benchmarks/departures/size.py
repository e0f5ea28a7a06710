"""How far a value changes where a rule is replaced: counts, extremes and the median."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, median

#: Least difference that counts as a change.
LEAST = 0.0001


@dataclass(frozen=True, slots=True)
class Size:
    """The size of a departure over a set: the value by the other rule less that of profile ``paper``."""

    point: str  #: The point of the definition.
    other: str  #: The other rule.
    of: str  #: The set that it was measured on.
    metric: str  #: The value, such as "ems".
    total: int  #: Number of members of the set.
    changed: int  #: Number of those whose value changes by 0.0001 or more.
    least: float  #: Least difference.
    most: float  #: Greatest difference.
    median: float  #: Median of the magnitudes of all differences.
    mean_paper: float  #: Mean of the values of profile ``paper``.
    mean_other: float  #: Mean of the values by the other rule.

    def line(self) -> str:
        """Return one line for people."""
        return (
            f"{self.point}; {self.other}; {self.of}: {self.metric} changes for {self.cell()}; "
            f"mean {self.mean_paper:.4f}, by the other rule {self.mean_other:.4f}"
        )

    def cell(self) -> str:
        """Return how many change and by how much, as docs/departures.md has it."""
        if not self.changed:
            return f"none of {self.total}"
        least, most = (f"{step:+.3f}".replace("-", "−") for step in (self.least, self.most))
        return f"{self.changed} of {self.total}, {least} to {most}, median {self.median:.3f}"


@dataclass(frozen=True, slots=True)
class Count:
    """Another size of a departure, as numbers with names."""

    point: str  #: The point of the definition.
    of: str  #: The set that it was measured on.
    numbers: Mapping[str, float]  #: Numbers by what they count or measure.

    def line(self) -> str:
        """Return one line for people."""
        return f"{self.point}; {self.of}: " + ", ".join(
            f"{name} {number:g}" for name, number in self.numbers.items()
        )


Found = Size | Count


def size(
    point: str, other: str, of: str, metric: str, paper: Sequence[float], others: Sequence[float]
) -> Size:
    """Return the size of a departure from the values of both rules, in the same order."""
    steps = [there - here for here, there in zip(paper, others, strict=True)]
    return Size(
        point=point,
        other=other,
        of=of,
        metric=metric,
        total=len(steps),
        changed=sum(abs(step) >= LEAST for step in steps),
        least=min(steps),
        most=max(steps),
        median=median(map(abs, steps)),
        mean_paper=fmean(paper),
        mean_other=fmean(others),
    )
