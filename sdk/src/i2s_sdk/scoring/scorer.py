"""What a scorer is: it compares what a sample became with what its instance asks for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Protocol

#: The longest detail of a sample, as JSON in bytes.
DETAIL_BYTES = 1 << 16


class Aggregate(StrEnum):
    """How the values of samples become the value of a group of samples."""

    #: The mean over the samples that have a value.
    MEAN = "mean"
    #: The same of values that are 0 or 1, with the interval of a share.
    SHARE = "share"
    #: The sum of the numerators divided by the sum of the denominators of all samples.
    POOLED = "pooled"


@dataclass(frozen=True, slots=True)
class Metric:
    """A column of values.

    Attributes:
        name: As tables and records call it.
        unusable: The value of a sample that is not usable; None if such a sample has no value.
        low: The least value.
        high: The greatest value; greater is better.
        aggregate: How the values of samples become the value of a group.
    """

    name: str
    unusable: float | None = 0.0
    low: float = 0.0
    high: float = 1.0
    aggregate: Aggregate = Aggregate.MEAN


@dataclass(frozen=True, slots=True)
class Average:
    """A column that is the mean of other columns of a group of samples; samples have no value in it.

    Attributes:
        name: As tables call it.
        of: Names of the metrics; those without a value in a group are left out there.
    """

    name: str
    of: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Scorable:
    """All that a scorer may look at. It can be sent to another process as JSON.

    Attributes:
        id: Of the instance.
        structure: What the task read out of the completion.
        inputs: Of the instance, as its line has them; paths of files are relative to the data set.
        target: Of the instance, as its line has it; None where there is none.
        text: Of the rendering, for tasks that compare texts of pages; None where there is none.
        truth: Text that ``text`` is compared with; None where there is none.
    """

    id: str
    structure: str | None = None
    inputs: Mapping[str, Any] = field(default_factory=dict)
    target: Any = None
    text: str | None = None
    truth: str | None = None


@dataclass(frozen=True, slots=True)
class Values:
    """What a scorer found.

    Attributes:
        metrics: Values by name; None where a metric is not defined for the sample.
        undefined: Why a metric is not defined, by name.
        parts: Numerator and denominator of each metric whose aggregate is POOLED; the value of such a
            metric is their quotient, or None if the denominator is 0.
        detail: What a report shows of how the values came about, as a JSON object. One of more than
            DETAIL_BYTES is not kept.
    """

    metrics: Mapping[str, float | None]
    undefined: Mapping[str, str] = field(default_factory=dict)
    parts: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    detail: Mapping[str, Any] = field(default_factory=dict)


def values_of_unusable(metrics: Iterable[Metric]) -> Values:
    """Return what a sample counts that is not usable, as its metrics say it."""
    return Values({one.name: one.unusable for one in metrics})


@dataclass(frozen=True, slots=True)
class NotUsable:
    """The structure cannot be scored, and that is the model's doing; ``reason`` is a sentence for people."""

    reason: str


class Scorer(Protocol):
    """Computes some metrics of a task."""

    @property
    def name(self) -> str:
        """As the manifest of a run calls it."""
        ...

    @property
    def version(self) -> str:
        """Grows whenever a value can change; stands in the manifest."""
        ...

    @property
    def metrics(self) -> tuple[Metric, ...]:
        """What it computes, in the order shown."""
        ...

    @property
    def in_worker(self) -> bool:
        """Whether it runs in a worker process with limits of CPU time and memory.

        It has to where the time or memory that it takes depends on what a model wrote. Such a scorer can be
        pickled.
        """
        ...

    def applies(self, sample: Scorable) -> bool:
        """Return whether the instance has what the values need; otherwise the sample has none of them."""
        ...

    def score(self, sample: Scorable) -> Values | NotUsable:
        """Return the values of a usable sample to which the scorer applies."""
        ...

    def unusable(self, sample: Scorable) -> Values:
        """Return what a sample counts to which the scorer applies and that is not usable.

        Most scorers return ``values_of_unusable(self.metrics)``. It must take little time: the structure may
        be missing, and is not looked at.
        """
        ...
