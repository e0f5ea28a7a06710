"""The model that answers with the ground truth: the upper bound of every metric."""

from __future__ import annotations

import asyncio

from i2s_sdk.data.folder import read_content
from i2s_sdk.errors import DataError, ModelError
from i2s_sdk.instances.instance import Instance
from i2s_sdk.models.model import Completion, Model
from i2s_sdk.tasks.question import Question
from i2s_sdk.tasks.registry import task_spec


class Oracle(Model):
    """Answers with the ground truth of the instance, as models write it; how, each task says."""

    name = "oracle"
    whole = True

    async def complete(self, instance: Instance, question: Question) -> Completion:
        """Return the ground truth, or what of it answers the question.

        Raises:
            ModelError: The instance has none, or it cannot be read.
        """
        if instance.structure is None and instance.target is None:
            raise ModelError(f"instance {instance.id!r} has no ground truth; the oracle has nothing to say")
        try:
            content = await asyncio.to_thread(read_content, instance)
        except DataError as error:
            raise ModelError(error.message) from None
        return Completion(task_spec(instance.task).answer(content, question))
