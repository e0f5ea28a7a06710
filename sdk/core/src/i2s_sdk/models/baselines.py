"""The oracle, and baselines that look at nothing of their instance or only at its choices.

A value of a metric means little without them: two white images of LaTeX are alike in most pixels.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from i2s_sdk.data.folder import read_content
from i2s_sdk.errors import DataError, ModelError
from i2s_sdk.instances.images import decode_image
from i2s_sdk.instances.instance import Instance
from i2s_sdk.models.model import Completion, Finish, Model
from i2s_sdk.tasks.question import Question
from i2s_sdk.tasks.registry import BUILT_IN, SPECS, task_spec
from i2s_sdk.tasks.visualwebbench.kinds import KINDS, Form
from i2s_sdk.tasks.visualwebbench.letters import LETTERS


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
        return Completion(await _right_answer(instance, question))


class BlankBaseline(Model):
    """Answers with a document that shows nothing, in the size of the reference image if there is one."""

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
        return Completion(await _right_answer(lender, question), Finish.STOP)


async def _right_answer(instance: Instance, question: Question) -> str:
    """Return the answer of the ground truth of an instance.

    Raises:
        ModelError: It cannot be read.
    """
    try:
        content = await asyncio.to_thread(read_content, instance)
    except DataError as error:
        raise ModelError(error.message) from None
    return task_spec(instance.task).answer(content, question)


def _size(path: Path) -> tuple[int, int]:
    """Return width and height of an image in pixels.

    Raises:
        ModelError: It cannot be read.
    """
    try:
        return decode_image(path.read_bytes()).size
    except (OSError, ValueError) as error:
        raise ModelError(f"{path}: {error}") from None


_FORMS: Mapping[str, Form] = {one.name: one.form for one in KINDS}


class ChanceBaseline(Model):
    """Takes one of the choices of an instance, which the SHA-256 of its id decides."""

    name = "baseline/chance"
    fingerprint = "sha256 of the id"

    async def complete(self, instance: Instance, question: Question) -> Completion:
        """Return the letter, the box or a point of one of the choices.

        The answer to a question of VisualWebBench for a text is empty, and counts 0.

        Raises:
            ModelError: The instance is of another benchmark.
        """
        form, options = _FORMS.get(instance.task), instance.inputs.get("options")
        if form is None:
            raise ModelError(f"{self.name} chooses, and task {instance.task!r} has no choices")
        if form not in (Form.LETTER, Form.BOX, Form.POINT) or not options:
            return Completion("", Finish.STOP)
        index = int.from_bytes(hashlib.sha256(instance.id.encode()).digest()) % len(options)
        return Completion(_answer(form, options[index], index), Finish.STOP)


def _answer(form: Form, option: Any, index: int) -> str:  # noqa: ANN401 - a choice as its line has it
    if form is Form.LETTER:
        return LETTERS[index]
    x1, y1, x2, y2 = map(float, option)
    place = (x1, y1, x2, y2) if form is Form.BOX else ((x1 + x2) / 2, (y1 + y2) / 2)
    return f"[{', '.join(f'{number:.6f}' for number in place)}]"


#: The models of this module, by name.
BASELINES: Mapping[str, Callable[[], Model]] = {
    "oracle": Oracle,
    "baseline/blank": BlankBaseline,
    "baseline/constant": ConstantBaseline,
    "baseline/shuffled": ShuffledBaseline,
    "baseline/chance": ChanceBaseline,
}
