"""What answers that look at nothing have as the value of a reward, for its floors."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Mapping, Sequence

from i2s_sdk.errors import DataError, ModelError
from i2s_sdk.instances.instance import Instance
from i2s_sdk.models.floors import BlankBaseline, ConstantBaseline, ShuffledBaseline
from i2s_sdk.models.model import Model
from i2s_sdk.tasks.registry import open_task
from i2s_training.batch_reward import BatchReward

#: Values of the completions of one baseline by the id of the instance.
_Values = Mapping[str, float]


def instance_floors(instances: Sequence[Instance], reward: BatchReward) -> dict[str, float]:
    """Return a floor for each instance: the value of the best baseline that looks at nothing.

    The baselines are ``baseline/blank``, ``baseline/constant`` and ``baseline/shuffled``. Each instance is
    rendered and compared as often as there are baselines that have an answer for it, so do it once before
    training and keep the numbers in the column ``floor``.

    Args:
        instances: All of the data set, since ``baseline/shuffled`` lends the answers of others.
        reward: Reward that the floors are for; its own floor and transform are not used.

    Returns:
        Floors by the id of the instance. One for which no baseline has a value is not in it.

    Raises:
        DataError: An instance cannot be read.
        ServiceError: A service did not answer.
    """
    found = _baseline_values(instances, reward)
    return {
        one.id: max(values[one.id] for values in found if one.id in values)
        for one in instances
        if any(one.id in values for values in found)
    }


def task_floors(instances: Sequence[Instance], reward: BatchReward) -> dict[str, float]:
    """Return a floor for each task: the largest mean that one baseline has over its instances.

    That is the floor of the column "skill" of tables. See ``instance_floors`` for arguments and errors.
    """
    by_task: defaultdict[str, set[str]] = defaultdict(set)
    for one in instances:
        by_task[one.task].add(one.id)
    floors = {}
    for task, ids in by_task.items():
        shared = [
            [value for name, value in values.items() if name in ids]
            for values in _baseline_values([one for one in instances if one.task == task], reward)
        ]
        means = [sum(values) / len(values) for values in shared if values]
        if means:
            floors[task] = max(means)
    return floors


def _baseline_values(instances: Sequence[Instance], reward: BatchReward) -> list[_Values]:
    shuffled = ShuffledBaseline()
    shuffled.prepare(instances)
    return [_values(instances, model, reward) for model in (BlankBaseline(), ConstantBaseline(), shuffled)]


def _values(instances: Sequence[Instance], model: Model, reward: BatchReward) -> _Values:
    answers = asyncio.run(_answers(instances, model))
    answered = [(one, text) for one, text in zip(instances, answers, strict=True) if text]
    rewards = reward.judged([text for _, text in answered], {"instance": [one for one, _ in answered]})
    values = {}
    for (instance, _), found in zip(answered, rewards, strict=True):
        if found.error is not None:
            raise found.error
        value = reward.value(found.result) if found.result is not None else None
        if value is not None:
            values[instance.id] = value
    return values


async def _answers(instances: Sequence[Instance], model: Model) -> list[str]:
    """Return the answers of a baseline, empty if it has none."""
    return [await _answer(one, model) for one in instances]


async def _answer(instance: Instance, model: Model) -> str:
    (question, *_) = open_task(instance.task).questions(instance)
    try:
        return (await model.complete(instance, question)).text
    except ModelError:
        if instance.image is not None and not instance.image.is_file():
            raise DataError(instance.image, 0, "cannot be read") from None
        return ""
