"""The base of all rewards: batches, columns, faults, the shape of a reward, three forms of a call."""

from __future__ import annotations

import io
import logging
import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from i2s_sdk.data import open_data
from i2s_sdk.errors import AccessError, DataError, I2SError, ScorerError, ServiceError, UsageError
from i2s_sdk.instances.instance import Instance
from i2s_sdk.run.failures import judging
from i2s_sdk.settings import Settings
from i2s_sdk.tasks.task import Task
from i2s_training.completion_scorer import Reference, RoundTripRequest, RoundTripResult
from i2s_training.gates import ClosedGate
from i2s_training.round_trip import RoundTrip
from i2s_wire.metrics.profile import Profile


def text_of(completion: Any) -> str:  # noqa: ANN401 - a text, or what chat templates take
    """Return the text of a completion: itself, or that of the last message of a list.

    Raises:
        UsageError: It is neither.
    """
    match completion:
        case str():
            return completion
        case [*_, {"content": str(text)}]:
            return text
        case [*_, {"content": list(parts)}]:
            texts = [part.get("text") for part in parts if isinstance(part, dict)]
            return "".join(text for text in texts if isinstance(text, str))
        case [*_, {"content": None}]:  # a message of calls of tools alone
            return ""
    raise UsageError(f"a completion must be a text or a list of messages, not {type(completion).__name__}")


def reference_of(image: Any) -> Reference:  # noqa: ANN401 - what data sets have in their columns
    """Return what a completion is compared with.

    Args:
        image: A Pillow image, an encoded one, a path, {"bytes": …} or {"path": …}, an instance; or a list
            that begins with one of these.

    Raises:
        UsageError: It is something else.
    """
    if isinstance(image, Instance | Path | str | bytes):
        return image
    if isinstance(image, Sequence) and image:
        return reference_of(image[0])
    if isinstance(image, Mapping):
        content, path = image.get("bytes"), image.get("path")
        if isinstance(content, bytes):
            return content
        if isinstance(path, str | Path):
            return path
    if hasattr(image, "save"):  # of Pillow
        encoded = io.BytesIO()
        image.save(encoded, "PNG")
        return encoded.getvalue()
    raise UsageError(f"a picture must be of Pillow, encoded or a path, not {type(image).__name__}")


#: The ceiling of every metric unless another one is given: its largest value.
LARGEST = 1.0

#: Least differences between the values of completions without an image, with a blank one, and with another.
BLANK_STEP, DRAWN_STEP = 0.01, 0.02

#: A number for all tasks, or one for each task by name.
ByTask = float | Mapping[str, float]


@dataclass(frozen=True, slots=True)
class RewardShaping:
    """The steps from a value to a reward, in this order.

    1. The floor is subtracted: what an answer that looks at nothing has in the same metric.
    2. With ``normalize``, the difference is divided by ceiling minus floor, so that an answer at the floor
       has 0 and one at the ceiling has 1.
    3. ``transform`` is applied.
    4. With ``clip``, a reward below the least one of its kind becomes that: 0 without an image, BLANK_STEP
    with
       a blank one, DRAWN_STEP with any other.

    All completions go through this, those without an image too. So an answer that renders is never worse than
    one that does not, as long as ``transform`` does not decrease.

    Raises:
        UsageError: A floor or ceiling is not a finite number, or a floor is not below its ceiling.
    """

    #: Floor of instances that have no floor of their own.
    floor: ByTask = 0.0
    #: Ceiling of instances that have no ceiling of their own.
    ceiling: ByTask = LARGEST
    #: Whether to divide by ceiling minus floor.
    normalize: bool = False
    #: A function of one number that returns a number; None leaves the value as it is.
    transform: Callable[[float], float] | None = None
    #: Whether no reward is below the least one of its kind.
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


_log = logging.getLogger(__name__)

#: What is done with a completion that has no reward: raise its error, or return None in its place.
OnFault = Literal["raise", "none"]


@dataclass(frozen=True, slots=True)
class RewardRequest:
    """A completion that is to have a reward."""

    #: The completion and what it is judged against; or what is wrong with its row of the batch.
    request: RoundTripRequest | I2SError
    #: Floor of the instance; None takes that of the task.
    floor: float | None = None
    #: Ceiling of the instance; None takes that of the task.
    ceiling: float | None = None


@dataclass(frozen=True, slots=True)
class Reward:
    """The reward of a completion, or why it has none."""

    #: The reward; None if there is none, which says nothing of the completion.
    value: float | None
    #: What became of the completion; None if an error kept it from a result.
    result: RoundTripResult | None = field(default=None, repr=False)
    #: The fault of the data (``DataError``) or of a service that kept it from a reward; None with a reward.
    error: I2SError | None = None

    @property
    def gates(self) -> tuple[ClosedGate, ...]:
        """The gates that the answer did not pass."""
        return self.result.gates if self.result is not None else ()

    @property
    def data_fault(self) -> bool:
        """Whether there is no reward because of the data: a missing image, or no metric that is defined."""
        return self.value is None and (self.error is None or isinstance(self.error, DataError))

    def number(self) -> float:
        """Return the reward, for frameworks that have no way to leave a completion out.

        Raises:
            DataError: There is none because of the data.
            ServiceError: A service did not answer.
            ScorerError: A scorer failed.
            ProtocolError: A service answered what it must not.
        """
        if self.error is not None:
            raise self.error
        if self.value is None:
            name = self.result.record.instance.id if self.result is not None else ""
            raise DataError(f"instance {name!r}", 0, "none of the metrics of the reward is defined for it")
        return self.value


class BatchReward(ABC):
    """A reward function of batches, with columns as lists of one value for each completion.

    Args:
        name: What frameworks call it in their logs.
        tasks: Names of the tasks that are judged.
        metrics: Metrics that the reward needs.
        shaping: How a value becomes a reward, from value to reward.
        data: The data set whose instances the column ``instance`` names by id; None is the bundled examples.
        on_failure: What happens if a service fails: "raise" or "none".
        on_data_fault: What happens if the data of a completion is at fault: "raise" or "none".
        profile: Profile whose rules are followed; None takes that of the settings.
        settings: None reads environment and configuration file.

    Raises:
        UsageError: ``on_failure`` or ``on_data_fault`` has another value.
        UnknownNameError: There is no such task.
    """

    #: Names of the columns that the reward reads.
    columns: tuple[str, ...] = ()
    #: The one of them that holds ground truth.
    truth_column: str = ""
    __name__: str

    def __init__(
        self,
        name: str,
        tasks: Sequence[str],
        *,
        metrics: Sequence[str],
        shaping: RewardShaping,
        data: Path | str | None,
        on_failure: OnFault,
        on_data_fault: OnFault,
        profile: Profile | str | None,
        settings: Settings | None,
    ) -> None:
        for option, value in (("on_failure", on_failure), ("on_data_fault", on_data_fault)):
            if value not in ("raise", "none"):
                raise UsageError(f"{option} {value!r}: must be 'raise' or 'none'")
        self.__name__ = self.__qualname__ = name
        self._settings, self._shaping, self._data = settings, shaping, data
        self._failures_raise, self._data_faults_raise = on_failure == "raise", on_data_fault == "raise"
        self._opening = (tuple(tasks), profile, tuple(metrics), settings)
        self._trip = self._round_trip()

    @abstractmethod
    def requests(self, completions: Sequence[Any], columns: Mapping[str, Any]) -> list[RewardRequest]:
        """Return what is judged for each completion.

        Raises:
            UsageError: A column is missing or has another length, or a completion is not a text.
        """

    @abstractmethod
    def value(self, result: RoundTripResult) -> float | None:
        """Return the value of a completion that was judged, before floor and transform.

        None if no metric is defined for it.
        """

    def least(self, result: RoundTripResult) -> float:
        """Return the least reward of the kind of a completion, which counts if rewards are clipped."""
        return 0.0

    def __call__(
        self,
        prompts: Sequence[Any] | None = None,
        completions: Sequence[Any] = (),
        **columns: Any,  # noqa: ANN401 - whatever columns the data set has
    ) -> list[float | None]:
        """Return the reward of each completion of a batch.

        Args:
            prompts: Prompts, which are not looked at.
            completions: Texts, or lists of messages.
            columns: Columns of the batch, as the class says. If ``log_metric`` is among them, a function of
                name and number as TRL passes it, it gets the share of usable completions and of those without
                reward.

        Raises:
            UsageError: A column is missing or has another length.
            DataError: The data of a completion is at fault, unless that is to be None.
            StackError: A service cannot be started.
            ServiceError: A service did not answer, unless that is to be None.
            ScorerError: A scorer failed, unless that is to be None.
        """
        return self._answer(self.judged(completions, columns), columns.get("log_metric"))

    async def call_async(
        self,
        prompts: Sequence[Any] | None = None,
        completions: Sequence[Any] = (),
        **columns: Any,  # noqa: ANN401
    ) -> list[float | None]:
        """Do the same for frameworks that await their reward functions."""
        return self._answer(await self.judged_async(completions, columns), columns.get("log_metric"))

    def as_async(self) -> AsyncBatchReward:
        """Return the same reward as a function that is awaited; its name ends in ``_async``."""
        return AsyncBatchReward(self)

    def judged(self, completions: Sequence[Any], columns: Mapping[str, Any]) -> list[Reward]:
        """Return the reward of each completion, or why it has none; faults of single ones are not raised.

        Raises:
            UsageError: A column is missing or has another length.
            AccessError: A service refuses all calls of this client.
            StackError: A service cannot be started.
        """
        return self.judge_requests(self.requests(completions, columns))

    async def judged_async(self, completions: Sequence[Any], columns: Mapping[str, Any]) -> list[Reward]:
        """Do the same as ``judged`` for coroutines."""
        return await self.judge_requests_async(self.requests(completions, columns))

    def judge_requests(self, requests: Sequence[RewardRequest]) -> list[Reward]:
        """Return the reward of each request, or why it has none; raises as ``judged`` does."""
        try:
            results = self._trip.judge_each(request.request for request in requests)
        except ServiceError as error:
            results = _of_all(error, len(requests))
        return self._rewards(requests, results)

    async def judge_requests_async(self, requests: Sequence[RewardRequest]) -> list[Reward]:
        """Do the same as ``judge_requests`` for coroutines."""
        try:
            results = await self._trip.judge_each_async(request.request for request in requests)
        except ServiceError as error:
            results = _of_all(error, len(requests))
        return self._rewards(requests, results)

    def instance(self, given: object) -> Instance:
        """Return an instance: itself, or the one of the data set whose id it is.

        Raises:
            DataError: The data set has no such instance, or cannot be read.
        """
        if isinstance(given, Instance):
            return given
        instance = self._instances.get(given) if isinstance(given, str) else None
        if instance is None:
            raise DataError(self._data or "the bundled examples", 0, f"holds no instance {given!r}")
        return instance

    def task(self, name: str) -> Task:
        """Return a task of the reward by its name, with the rules of its profile.

        Raises:
            UsageError: The reward does not judge it.
        """
        return self._trip.task(name)

    @property
    def metrics(self) -> tuple[str, ...]:
        """Metrics that the reward needs; none means all."""
        return self._opening[2]

    def close(self) -> None:
        """Stop what was started here; the end of the process does it too."""
        self._trip.close()

    def __getstate__(self) -> dict[str, Any]:
        """Return what another process needs to make the same reward, which opens services of its own."""
        return {name: value for name, value in vars(self).items() if name not in ("_trip", "_instances")}

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        vars(self).update(state)
        self._trip = self._round_trip()

    @cached_property
    def _instances(self) -> dict[str, Instance]:
        settings = self._settings or Settings.load()
        return {
            instance.id: instance for instance in open_data(self._data, examples=settings.examples).instances
        }

    def _round_trip(self) -> RoundTrip:
        tasks, profile, metrics, settings = self._opening
        return RoundTrip(tasks, profile=profile, metrics=metrics, settings=settings)

    def _rewards(
        self, requests: Sequence[RewardRequest], results: Sequence[RoundTripResult | I2SError]
    ) -> list[Reward]:
        return [self.reward_of(*pair) for pair in zip(requests, results, strict=True)]

    def reward_of(self, request: RewardRequest, result: RoundTripResult | I2SError) -> Reward:
        """Return the reward of a completion that was judged, or why it has none.

        Args:
            request: The request, whose floor and ceiling count.
            result: What became of it, or the error that kept it from a result.
        """
        if isinstance(result, I2SError):
            return Reward(None, error=result)
        task = result.record.instance.task
        wrong = self._shaping.fault(task, request.floor, request.ceiling)
        if wrong:
            return Reward(None, error=DataError(f"instance {result.record.instance.id!r}", 0, wrong))
        try:
            with judging(result.record.instance.id):
                value = self.value(result)
                least = self.least(result)
        except ScorerError as error:
            return Reward(None, error=error)
        if value is None:
            why = result.record.rendering.no_truth
            return Reward(
                None, result, DataError(f"instance {result.record.instance.id!r}", 0, why) if why else None
            )
        return Reward(self._shaping.reward(value, task, request.floor, request.ceiling, least), result)

    def _answer(
        self, rewards: Sequence[Reward], log_metric: Callable[[str, float], None] | None
    ) -> list[float | None]:
        """Return the numbers of a batch, and say what has none.

        A metric that is not defined is not a fault that can be raised here: it leaves the completion out.
        """
        missing = [reward for reward in rewards if reward.value is None]
        for reward in missing:
            raises = self._data_faults_raise if reward.data_fault else self._failures_raise
            if reward.error is not None and raises:
                raise reward.error
        if missing:
            first = next((reward.error.message for reward in missing if reward.error), "no metric is defined")
            _log.warning(
                "%s: %d of %d completions have no reward: %s",
                self.__name__,
                len(missing),
                len(rewards),
                first,
            )
        if log_metric is not None and rewards:
            usable = sum(reward.result is not None and reward.result.record.usable for reward in rewards)
            log_metric(f"{self.__name__}/usable", usable / len(rewards))
            log_metric(f"{self.__name__}/without_reward", len(missing) / len(rewards))
        return [reward.value for reward in rewards]


def _of_all(error: ServiceError, length: int) -> list[RoundTripResult | I2SError]:
    """Return the error of each completion of a batch, of which none was judged: the services were not there.

    Raises:
        AccessError: A service refuses all calls of this client.
    """
    if isinstance(error, AccessError):
        raise error
    return [error] * length


class AsyncBatchReward:
    """A reward function that is awaited.

    Args:
        reward: The reward that it gives.
    """

    __name__: str

    def __init__(self, reward: BatchReward) -> None:
        self.reward = reward
        self.__name__ = self.__qualname__ = f"{reward.__name__}_async"

    async def __call__(
        self,
        prompts: Sequence[Any] | None = None,
        completions: Sequence[Any] = (),
        **columns: Any,  # noqa: ANN401
    ) -> list[float | None]:
        """Return the reward of each completion of a batch; see ``BatchReward``."""
        return await self.reward.call_async(prompts, completions, **columns)


def column_of(
    columns: Mapping[str, Any],
    name: str,
    length: int,
    otherwise: object = None,
) -> list[Any]:
    """Return a column of a batch, or as many times ``otherwise`` if there is none.

    Raises:
        UsageError: It has another length.
    """
    values = columns.get(name)
    if values is None:
        return [otherwise] * length
    if len(values) != length:
        raise UsageError(f"column {name!r}: a column has {len(values)} values for {length} completions")
    return [otherwise if value is None else value for value in values]
