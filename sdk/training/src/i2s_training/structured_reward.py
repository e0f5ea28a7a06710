"""The reward of a structured output for reinforcement learning, as the paper of SO-Bench defines it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from i2s_sdk.errors import DataError, UsageError
from i2s_sdk.instances.instance import Instance
from i2s_sdk.settings import Settings
from i2s_sdk.tasks.sobench.reward import reward_instance, reward_of_sample
from i2s_sdk.tasks.sobench.spec import SOBENCH
from i2s_training.batch_reward import (
    LARGEST,
    BatchReward,
    OnFault,
    RewardRequest,
    RewardShaping,
    column_of,
    text_of,
)
from i2s_training.completion_scorer import RoundTripRequest, RoundTripResult
from i2s_wire.metrics.profile import Profile


class StructuredOutputReward(BatchReward):
    """A reward function as TRL has them: ``reward(prompts, completions, **columns) -> list[float | None]``.

    >>> reward = StructuredOutputReward()
    >>> reward(completions=['{"a": 1}'], schema=[{"type": "object"}], answer=[{"a": 1}])
    [1.0]

    The columns of a batch are lists of one value for each completion: ``schema`` (a JSON Schema), ``answer``
    (the gold answer) and, if fields are compared in different ways, ``labels``; or ``instance``, instances
    of a data set, or their ids in ``data``. ``floor`` and ``ceiling`` are those of an instance. Others are
    ignored. A completion is a text, or a list of messages, whose last one counts.

    An answer that cannot be read, or takes more time or memory than the scorer has, has the value -0.1. One
    of which no field counts has none (None).

    Args:
        floor: What an answer that looks at nothing has.
        ceiling: The largest value that can be reached.
        normalize: Whether to divide by ceiling minus floor.
        transform: A function of one number that returns the reward.
        name: What trainers call it in their logs.
        on_failure: What a failure of the scorer is: "raise" or "none".
        on_data_fault: What a fault of the data of one completion is: "raise" or "none".
        data: The data set whose instances the column ``instance`` names by id; None is the bundled examples.
        profile: Profile whose rules field matching follows; None takes that of the settings.
        settings: None reads environment and configuration file.

    Raises:
        UsageError: ``on_failure`` or ``on_data_fault`` has another value, or the floor is not below the
            ceiling.
    """

    columns = ("instance", "schema", "answer", "labels", "floor", "ceiling")
    truth_column = "answer"

    def __init__(
        self,
        *,
        floor: float = 0.0,
        ceiling: float = LARGEST,
        normalize: bool = False,
        transform: Callable[[float], float] | None = None,
        name: str = "structured_output",
        on_failure: OnFault = "raise",
        on_data_fault: OnFault = "raise",
        data: Path | str | None = None,
        profile: Profile | str | None = None,
        settings: Settings | None = None,
    ) -> None:
        super().__init__(
            name,
            (SOBENCH.name,),
            metrics=(),
            shaping=RewardShaping(floor, ceiling, normalize, transform),
            data=data,
            on_failure=on_failure,
            on_data_fault=on_data_fault,
            profile=profile,
            settings=settings,
        )

    def requests(self, completions: Sequence[Any], columns: Mapping[str, Any]) -> list[RewardRequest]:
        """Return what is judged for each completion.

        Raises:
            UsageError: A column is missing, or has another length.
        """
        length = len(completions)
        if columns.get("instance") is not None:
            instances = [self._found(one) for one in column_of(columns, "instance", length)]
        elif columns.get("schema") is None or columns.get("answer") is None:
            raise UsageError("this reward needs the columns 'schema' and 'answer', or 'instance'")
        else:
            rows = zip(
                column_of(columns, "schema", length),
                column_of(columns, "answer", length),
                column_of(columns, "labels", length),
                strict=True,
            )
            instances = [
                reward_instance(str(number), schema, answer, labels)
                for number, (schema, answer, labels) in enumerate(rows)
            ]
        parts = zip(
            map(text_of, completions),
            instances,
            column_of(columns, "floor", length),
            column_of(columns, "ceiling", length),
            strict=True,
        )
        return [
            RewardRequest(
                instance if isinstance(instance, DataError) else RoundTripRequest(instance, completion),
                floor,
                ceiling,
            )
            for completion, instance, floor, ceiling in parts
        ]

    def value(self, result: RoundTripResult) -> float | None:
        """Return the reward of the paper, -0.1 for an answer that cannot be read."""
        return reward_of_sample(result.record.usable, result.metrics)

    def _found(self, given: object) -> Instance | DataError:
        try:
            return self.instance(given)
        except DataError as error:
            return error
