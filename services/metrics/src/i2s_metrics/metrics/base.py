"""What every metric is to the service."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

from i2s_metrics.model import Inputs, Network, Value
from i2s_metrics.pair import Pair
from i2s_wire.metrics.profile import Profile
from i2s_wire.metrics.score import Direction


class Metric(ABC):
    """A definition with what one must know to use its values.

    Attributes:
        name: Name as callers ask for it.
        summary: One sentence.
        source: Where the definition comes from.
        version: Version of the definition here; values of different versions do not compare.
        profiles: Rule books that it belongs to.
        direction: Whether higher or lower values are better.
        lower_bound: Least possible value; infinite if there is no bound.
        upper_bound: Greatest possible value.
        symmetric: Whether exchanging two pictures of one size changes nothing.
        parts: Names of the intermediate values that come with it.
        network: The neural network that it needs, if any.
    """

    name: ClassVar[str]
    summary: ClassVar[str]
    source: ClassVar[str]
    version: ClassVar[str]
    profiles: ClassVar[frozenset[Profile]]
    direction: ClassVar[Direction] = Direction.HIGHER_IS_BETTER
    lower_bound: ClassVar[float] = 0.0
    upper_bound: ClassVar[float] = 1.0
    symmetric: ClassVar[bool]
    parts: ClassVar[tuple[str, ...]] = ()
    network: ClassVar[Network | None] = None

    @abstractmethod
    def compute(self, pair: Pair) -> Value | Inputs:
        """Return the value for a pair, or what a network has to compare for it.

        Raises:
            UndefinedError: The metric has no value for it.
        """

    def value_of(self, answer: float) -> Value:
        """Return the value that follows from what the network answered; for metrics that need one.

        Raises:
            UndefinedError: None follows.
        """
        raise NotImplementedError(f"{self.name} needs no network")

    def undefined_value(self) -> Value | None:
        """Return what the rule book records if ``compute`` raises; None for a failure."""
        return None
