"""What a scorer is: it compares what a sample became with what its instance asks for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol


@dataclass(frozen=True, slots=True)
class Metric:
    """A column of values.

    Attributes:
        name: As tables and records call it.
        unusable: The value of a sample that is not usable.
        low: The least value.
        high: The greatest value; greater is better.
    """

    name: str
    unusable: float = 0.0
    low: float = 0.0
    high: float = 1.0


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
    """

    metrics: Mapping[str, float | None]
    undefined: Mapping[str, str] = field(default_factory=dict)


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
