"""Models that look at nothing: what a metric gives to an answer that knows nothing of its instance.

A value means little without them: two white pictures of LaTeX are alike in most pixels.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

from i2s_sdk.data.folder import read_content
from i2s_sdk.errors import DataError, ModelError
from i2s_sdk.instances.images import decode_image
from i2s_sdk.instances.instance import Instance
from i2s_sdk.models.model import Completion, Finish, Model
from i2s_sdk.tasks.question import Question
from i2s_sdk.tasks.registry import BUILT_IN, SPECS, task_spec


class BlankBaseline(Model):
    """Answers with a document that shows nothing, in the size of the reference picture if there is one."""

    name = "baseline/blank"
    fingerprint = "2"
    whole = True

    async def complete(self, instance: Instance, question: Question) -> Completion:
        """Return the answer of the task; see ``TaskSpec.blank``.

        Raises:
            ModelError: The reference cannot be read.
        """
        size = await asyncio.to_thread(_size, instance.image) if instance.image is not None else None
        return Completion(task_spec(instance.task).blank(size), Finish.STOP)


class ConstantBaseline(Model):
    """Gives the same answer to every instance of a task."""

    name = "baseline/constant"
    whole = True

    def __init__(self) -> None:
        specs = SPECS.usable().items()
        texts = sorted((name, spec.constant) for name, spec in specs if spec.constant or name in BUILT_IN)
        self.fingerprint = hashlib.sha256(repr(texts).encode()).hexdigest()[:16]

    async def complete(self, instance: Instance, question: Question) -> Completion:
        """Return the answer of the task; see ``TaskSpec.constant``."""
        return Completion(task_spec(instance.task).constant, Finish.STOP)


class ShuffledBaseline(Model):
    """Answers with the ground truth of another instance of the same task and subset.

    Each instance with ground truth lends it to the next one, in the order of the SHA-256 of their ids; so no
    instance gets its own, if the subset has two.
    """

    name = "baseline/shuffled"
    fingerprint = "next by sha256 of the id"
    whole = True

    def __init__(self) -> None:
        self._lenders: dict[str, Instance] = {}

    def prepare(self, instances: Sequence[Instance]) -> None:
        """Learn which instances there are; called before the first answer.

        Args:
            instances: All of the run, whichever of them this process answers.
        """
        groups: defaultdict[tuple[str, str], list[Instance]] = defaultdict(list)
        for one in instances:
            groups[one.task, one.subset].append(one)
        for found in groups.values():
            ordered = sorted(found, key=lambda one: (hashlib.sha256(one.id.encode()).digest(), one.id))
            lender: Instance | None = None
            # Twice around from the end, so that the last ones find those at the beginning.
            for one in (*reversed(ordered), *reversed(ordered)):
                if lender is not None and lender is not one:
                    self._lenders[one.id] = lender
                if one.structure is not None or one.target is not None:
                    lender = one

    async def complete(self, instance: Instance, question: Question) -> Completion:
        """Return the answer that would be right for the other instance.

        Raises:
            ModelError: There is no other instance with ground truth, or it cannot be read.
        """
        lender = self._lenders.get(instance.id)
        if lender is None:
            raise ModelError(
                f"instance {instance.id!r}: no other instance of subset {instance.subset!r} has ground truth"
            )
        try:
            content = await asyncio.to_thread(read_content, lender)
        except DataError as error:
            raise ModelError(error.message) from None
        return Completion(task_spec(lender.task).answer(content, question), Finish.STOP)


def _size(path: Path) -> tuple[int, int]:
    """Return width and height of a picture in pixels.

    Raises:
        ModelError: It cannot be read.
    """
    try:
        return decode_image(path.read_bytes()).size
    except (OSError, ValueError) as error:
        raise ModelError(f"{path}: {error}") from None
