"""The reward of a structured output for reinforcement learning, as the paper of SO-Bench defines it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from i2s_sdk.errors import ScorerError, UsageError
from i2s_sdk.instances.instance import Instance
from i2s_sdk.integrations.requests import RoundTripRequest, RoundTripResult
from i2s_sdk.integrations.reward import text_of
from i2s_sdk.integrations.round_trip import RoundTrip
from i2s_sdk.settings import Settings
from i2s_wire.metrics.profile import Profile

_TASK = "sobench"
#: Of an answer that cannot be read.
UNREADABLE = -0.1
#: What the square of the field match accuracy is multiplied by if the schema holds, and if it does not.
VALID, INVALID = 1.0, 0.8


def structured_output_reward(field_match_accuracy: float, follows_schema: bool) -> float:
    """Return the reward of an answer that can be read: alpha times the square of its field match accuracy.

    Args:
        field_match_accuracy: From 0 to 1.
        follows_schema: Whether the answer is valid under the schema: alpha is 1.0 if it is, else 0.8.
    """
    return float((VALID if follows_schema else INVALID) * field_match_accuracy**2)


class StructuredOutputReward:
    """A reward function as TRL has them: ``reward(prompts, completions, **columns) -> list[float | None]``.

    >>> reward = StructuredOutputReward()
    >>> reward(completions=['{"a": 1}'], schema=[{"type": "object"}], answer=[{"a": 1}])
    [1.0]

    The columns of a batch are lists of one value for each completion: ``schema`` (a JSON Schema), ``answer``
    (the gold answer) and, if fields are compared in different ways, ``labels``; or ``instance``, instances
    of a data set. Others are ignored. A completion is a text, or a list of messages, whose last one counts.

    An answer that cannot be read, or takes more time or memory than the scorer has, has the reward -0.1. One
    of which no field counts has none (None).

    Args:
        profile: Which rules field matching follows; None takes that of the settings.
        on_failure: What a failure of the scorer is: "raise" or "none".
        settings: None reads environment and configuration file.

    Raises:
        UsageError: ``on_failure`` has another value.
    """

    __name__ = "structured_output"  # what TRL calls it in its logs

    def __init__(
        self,
        *,
        profile: Profile | str | None = None,
        on_failure: Literal["raise", "none"] = "raise",
        settings: Settings | None = None,
    ) -> None:
        if on_failure not in ("raise", "none"):
            raise UsageError(f"on_failure {on_failure!r}: must be 'raise' or 'none'")
        self._raises = on_failure == "raise"
        self._trip = RoundTrip((_TASK,), profile=profile, settings=settings)

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
            UsageError: A column is missing, or has another length.
            ScorerError: The scorer failed, unless that is to be None.
        """
        return [self._reward(one) for one in self._trip.judge_many(_requests(completions, columns))]

    def close(self) -> None:
        """Stop the worker processes; the end of the process does it too."""
        self._trip.close()

    def _reward(self, result: RoundTripResult) -> float | None:
        if not result.outcome.counts:
            if self._raises:
                failure = result.record.failure
                raise ScorerError(failure.message if failure else "the scorer did not answer")
            return None
        if not result.record.usable:
            return UNREADABLE
        accuracy = result.metrics["fma"]
        if accuracy is None:
            return None
        return structured_output_reward(accuracy, result.metrics["followed_schema"] == 1.0)


def _requests(completions: Sequence[Any], columns: dict[str, Any]) -> list[RoundTripRequest]:
    instances = columns.get("instance")
    if instances is None:
        if columns.get("schema") is None or columns.get("answer") is None:
            raise UsageError("this reward needs the columns 'schema' and 'answer', or 'instance'")
        labels = columns.get("labels") or [None] * len(completions)
        for column in (columns["schema"], columns["answer"], labels):
            _require_length(column, completions)
        instances = [
            Instance(str(number), _TASK, "", None, inputs={"schema": schema}, target=_target(answer, own))
            for number, (schema, answer, own) in enumerate(
                zip(columns["schema"], columns["answer"], labels, strict=True)
            )
        ]
    _require_length(instances, completions)
    return [
        RoundTripRequest(instance, text_of(completion))
        for instance, completion in zip(instances, completions, strict=True)
    ]


def _require_length(column: Sequence[Any], completions: Sequence[Any]) -> None:
    if len(column) != len(completions):
        raise UsageError(f"a column has {len(column)} values for {len(completions)} completions")


def _target(answer: Any, labels: Any) -> dict[str, Any]:  # noqa: ANN401 - JSON values
    return {"answer": answer} if labels is None else {"answer": answer, "labels": labels}
