"""The reward of a completion for reinforcement learning: how alike its rendering is to the picture."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from i2s_sdk.errors import ServiceError, ServiceUnavailableError, UsageError
from i2s_sdk.instances.instance import Instance
from i2s_sdk.integrations.requests import Reference, RoundTripRequest, RoundTripResult
from i2s_sdk.integrations.round_trip import RoundTrip
from i2s_sdk.settings import Settings
from i2s_wire.metrics.profile import Profile

#: Columns in which the picture is looked for, first choice first.
PICTURES = ("instance", "image", "images", "reference")


class RoundTripReward:
    """A reward function as TRL has them: ``reward(prompts, completions, **columns) -> list[float | None]``.

    >>> reward = RoundTripReward(weights={"ems": 0.8, "edit": 0.2})  # doctest: +SKIP
    >>> trainer = GRPOTrainer(reward_funcs=[reward], ...)  # doctest: +SKIP

    The columns of a batch are lists of one value for each completion:

    ======================================= ==================================================================
    ``image``, ``images``, ``reference``     the picture: of Pillow, encoded, a path, or {"bytes": …}; of a
                                             list of pictures the first
    ``instance``                             in place of these, an instance of a data set
    ``task``                                 "latex", "webpage" or "music"; else that of the reward
    ``structure``                            ground truth of the code, for the metric ``edit``
    ======================================= ==================================================================

    Others are ignored. A completion is a text, or a list of messages, whose last one counts.

    The reward is the weighted mean of the metrics that are defined for the pair. A completion without code,
    or whose code renders to nothing, has the reward ``failed``. A failure of the services is no reward: it
    is raised, once no attempt is left. It can be None instead; TRL sums the rewards of all functions and
    takes None for nothing, so beside other functions that leaves this one out, and alone it would be a 0.

    Args:
        task: Of batches without a column ``task``.
        weights: Of the metrics; none is the main one alone. A metric that is not defined for a pair (``edit``
            without ground truth) is left out and the others share its weight.
        failed: Of a completion that has no picture.
        on_failure: What a failure of the services is: "raise" or "none".
        tasks: That will be judged; none is ``task`` alone.
        profile: Which rules; None takes that of the settings.
        settings: None reads environment and configuration file. With several processes of training, name
            running services: else each process starts its own.

    Raises:
        UsageError: A weight is negative, or all are 0.
        UnknownNameError: There is no such task.
    """

    __name__ = "round_trip"  # what TRL calls it in its logs

    def __init__(
        self,
        task: str = "latex",
        *,
        weights: Mapping[str, float] | None = None,
        failed: float = 0.0,
        on_failure: Literal["raise", "none"] = "raise",
        tasks: Sequence[str] = (),
        profile: Profile | str | None = None,
        settings: Settings | None = None,
    ) -> None:
        self._weights = dict(weights or {"ems": 1.0})
        if min(self._weights.values()) < 0.0 or not any(self._weights.values()):
            raise UsageError(f"weights {self._weights}: must not be negative, and one must be above 0")
        if on_failure not in ("raise", "none"):
            raise UsageError(f"on_failure {on_failure!r}: must be 'raise' or 'none'")
        self._task, self._failed, self._raises = task, failed, on_failure == "raise"
        metrics = tuple(self._weights)
        self._trip = RoundTrip(tuple(tasks) or (task,), profile=profile, metrics=metrics, settings=settings)

    def __call__(
        self,
        prompts: Sequence[Any] | None = None,
        completions: Sequence[Any] = (),
        **columns: Any,  # noqa: ANN401 - whatever columns the data set has
    ) -> list[float | None]:
        """Return the reward of each completion of a batch.

        Args:
            prompts: Not looked at.
            completions: Texts, or lists of messages.
            columns: Of the batch, as the class says.

        Raises:
            UsageError: There is no picture for a completion.
            StackError: A service cannot be started.
            ServiceError: A service did not answer, unless that is to be None.
        """
        return self._rewards(self._trip.judge_many(self._requests(completions, columns)))

    async def round_trip_async(
        self,
        prompts: Sequence[Any] | None = None,
        completions: Sequence[Any] = (),
        **columns: Any,  # noqa: ANN401
    ) -> list[float | None]:
        """Do the same for trainers that await it: ``reward_funcs=[reward.round_trip_async]``."""
        return self._rewards(await self._trip.judge_many_async(self._requests(completions, columns)))

    def close(self) -> None:
        """Stop what was started here; the end of the process does it too."""
        self._trip.close()

    def _requests(self, completions: Sequence[Any], columns: Mapping[str, Any]) -> list[RoundTripRequest]:
        name = next((one for one in PICTURES if columns.get(one) is not None), None)
        if name is None:
            raise UsageError(f"a reward needs the picture: one of the columns {', '.join(PICTURES)}")
        pictures = columns[name]
        tasks = columns.get("task") or [self._task] * len(completions)
        structures = columns.get("structure") or [None] * len(completions)
        for column in (pictures, tasks, structures):
            if len(column) != len(completions):
                raise UsageError(f"a column has {len(column)} values for {len(completions)} completions")
        parts = zip(completions, pictures, tasks, structures, strict=True)
        return [
            RoundTripRequest(_reference(picture), text_of(completion), task, structure, id=str(number))
            for number, (completion, picture, task, structure) in enumerate(parts)
        ]

    def _rewards(self, results: Sequence[RoundTripResult]) -> list[float | None]:
        return [self._reward(result) for result in results]

    def _reward(self, result: RoundTripResult) -> float | None:
        if not result.outcome.counts:
            if self._raises:
                raise _failure(result)
            return None
        if not result.record.usable:
            return self._failed
        values = {name: result.metrics.get(name) for name in self._weights}
        known = [(self._weights[name], value) for name, value in values.items() if value is not None]
        weight = sum(one for one, _ in known)
        return sum(one * value for one, value in known) / weight if weight else None


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
    raise UsageError(f"a completion must be a text or a list of messages, not {type(completion).__name__}")


def _reference(picture: Any) -> Reference:  # noqa: ANN401 - what data sets have in their columns
    if isinstance(picture, Instance | Path | str | bytes):
        return picture
    if isinstance(picture, Sequence) and picture:
        return _reference(picture[0])
    if isinstance(picture, Mapping) and isinstance(picture.get("bytes"), bytes):
        content: bytes = picture["bytes"]
        return content
    if hasattr(picture, "save"):  # of Pillow
        encoded = io.BytesIO()
        picture.save(encoded, "PNG")
        return encoded.getvalue()
    raise UsageError(f"a picture must be of Pillow, encoded or a path, not {type(picture).__name__}")


def _failure(result: RoundTripResult) -> ServiceError:
    failure = result.record.failure
    said = failure.message if failure else "no service answered"
    return ServiceUnavailableError(said, address="", method="", status="UNAVAILABLE")
