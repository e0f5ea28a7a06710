"""How the value of a completion becomes its reward: floor, ceiling and a function of the user."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from i2s_sdk.errors import UsageError

#: The ceiling of every metric unless another one is given: its largest value.
LARGEST = 1.0

#: Least differences between the values of completions without an image, with a blank one, and with another.
BLANK_STEP, DRAWN_STEP = 0.01, 0.02

#: A number for all tasks, or one for each task by name.
ByTask = float | Mapping[str, float]


@dataclass(frozen=True, slots=True)
class RewardShaping:
    """What is done with a value before it is a reward, in this order.

    1. The floor is subtracted: what an answer that looks at nothing has in the same metric.
    2. With ``normalize``, the difference is divided by ceiling minus floor, so that an answer at the floor
       has 0 and one at the ceiling has 1.
    3. ``transform`` is applied.
    4. With ``clip``, a reward below the least one of its kind becomes that: 0 without an image, BLANK_STEP
    with
       a blank one, DRAWN_STEP with any other.

    All completions go through this, those without an image too. So an answer that renders is never worse than
    one that does not, as long as ``transform`` does not decrease.

    Attributes:
        floor: Floor of instances that have no floor of their own.
        ceiling: Ceiling of instances that have no ceiling of their own.
        normalize: Whether to divide by ceiling minus floor.
        transform: A function of one number that returns a number; None leaves the value as it is.
        clip: Whether no reward is below the least one of its kind.

    Raises:
        UsageError: A floor or ceiling is not a finite number, or a floor is not below its ceiling.
    """

    floor: ByTask = 0.0
    ceiling: ByTask = LARGEST
    normalize: bool = False
    transform: Callable[[float], float] | None = None
    clip: bool = False

    def __post_init__(self) -> None:
        named = [one for one in (self.floor, self.ceiling) if isinstance(one, Mapping)]
        for task in {name for one in named for name in one} or {""}:
            fault = self.fault(task)
            if fault:
                raise UsageError(fault)

    def fault(self, task: str, floor: float | None = None, ceiling: float | None = None) -> str:
        """Return what is wrong with the floor and ceiling of an instance, empty for nothing.

        Args:
            task: Name of its task.
            floor: Its own floor; None takes that of the task.
            ceiling: Its own ceiling; None takes that of the task.
        """
        low, high = self._bounds(task, floor, ceiling)
        if not (_is_number(low) and _is_number(high)):
            return f"floor {low!r} and ceiling {high!r}: both must be finite numbers"
        if not low < high:
            return f"floor {low:g} must be below the ceiling, which is {high:g}"
        return ""

    def reward(
        self,
        value: float,
        task: str,
        floor: float | None = None,
        ceiling: float | None = None,
        least: float = 0.0,
    ) -> float:
        """Return the reward of a value.

        Args:
            value: Value of the completion: a metric, or a mean of metrics.
            task: Name of the task.
            floor: Own floor of the instance; None takes that of the task.
            ceiling: Own ceiling of the instance; None takes that of the task.
            least: The least reward of its kind, with ``clip``.

        Raises:
            UsageError: ``transform`` returns something that is not a finite number.
        """
        low, high = self._bounds(task, floor, ceiling)
        shaped = (value - low) / (high - low) if self.normalize else value - low
        if self.transform is None:
            return self._clipped(shaped, least)
        given = self.transform(shaped)
        if not _is_number(given):
            raise UsageError(f"transform({shaped:g}) is {given!r}; it must return a finite number")
        return self._clipped(given, least)

    def _clipped(self, reward: float, least: float) -> float:
        return float(max(reward, least) if self.clip else reward)

    def _bounds(self, task: str, floor: float | None, ceiling: float | None) -> tuple[float, float]:
        low = _of(self.floor, task, 0.0) if floor is None else floor
        return low, _of(self.ceiling, task, LARGEST) if ceiling is None else ceiling


def _of(bound: ByTask, task: str, otherwise: float) -> float:
    return bound.get(task, otherwise) if isinstance(bound, Mapping) else bound


def _is_number(value: object) -> bool:
    try:
        return not isinstance(value, bool | str) and math.isfinite(value)  # type: ignore[arg-type]
    except TypeError:
        return False
