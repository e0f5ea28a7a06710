"""The reward for training that the paper of SO-Bench defines."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from i2s_sdk.instances.instance import Instance
from i2s_sdk.tasks.sobench.spec import SOBENCH

#: The reward of an answer that cannot be read.
UNREADABLE = -0.1
#: The factors of the square of the field match accuracy if the answer follows the schema, and if it does not.
VALID, INVALID = 1.0, 0.8


def structured_output_reward(field_match_accuracy: float, follows_schema: bool) -> float:
    """Return the reward of an answer that can be read: alpha times the square of its field match accuracy.

    Args:
        field_match_accuracy: A value from 0 to 1.
        follows_schema: Whether the answer is valid under the schema: alpha is 1.0 if it is, else 0.8.
    """
    return float((VALID if follows_schema else INVALID) * field_match_accuracy**2)


def reward_of_sample(usable: bool, metrics: Mapping[str, float | None]) -> float | None:
    """Return the reward of a sample that was scored; None if no field of it counts.

    Args:
        usable: Whether the answer could be read.
        metrics: The values of the sample.
    """
    if not usable:
        return UNREADABLE
    accuracy = metrics["fma"]
    if accuracy is None:
        return None
    return structured_output_reward(accuracy, metrics["followed_schema"] == 1.0)


def reward_instance(name: str, schema: object, answer: object, labels: object = None) -> Instance:
    """Return an instance of the task without an image, for an answer that is only scored.

    Args:
        name: The id of the instance.
        schema: The JSON Schema that the answer should follow.
        answer: The gold answer.
        labels: How fields are compared; None compares all of them in the same way.
    """
    target: dict[str, Any] = {"answer": answer}
    if labels is not None:
        target["labels"] = labels
    return Instance(name, SOBENCH.name, "", None, inputs={"schema": schema}, target=target)
