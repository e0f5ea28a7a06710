"""The model that answers with the ground truth: the upper bound of every metric."""

from __future__ import annotations

import asyncio

from i2s_sdk.data.instance import Instance
from i2s_sdk.errors import ModelError
from i2s_sdk.models.model import Completion
from i2s_sdk.tasks.prompts import Prompt


class Oracle:
    """Answers with the structure of the instance, in a fence as models write it."""

    name = "oracle"
    fingerprint = ""

    async def complete(self, instance: Instance, prompt: Prompt) -> Completion:
        """Return the ground truth.

        Raises:
            ModelError: The instance has none, or it cannot be read.
        """
        if instance.structure is None:
            raise ModelError(f"instance {instance.id!r} has no ground truth; the oracle has nothing to say")
        if instance.task != "latex":
            raise ModelError(f"the oracle cannot write structures of task {instance.task!r} yet")
        try:
            code = await asyncio.to_thread(instance.structure.read_text, "utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise ModelError(f"{instance.structure}: cannot be read: {error}") from None
        return Completion(f"```latex\n{code.strip()}\n```")
