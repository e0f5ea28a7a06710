"""The model ``baseline/chance``: one of the choices, by chance that is the same at every run."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

from i2s_sdk.errors import ModelError
from i2s_sdk.instances.instance import Instance
from i2s_sdk.models.model import Completion, Finish, Model
from i2s_sdk.tasks.question import Question
from i2s_sdk.tasks.visualwebbench.kinds import KINDS, Form
from i2s_sdk.tasks.visualwebbench.letters import LETTERS

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
