"""A task of VisualWebBench: its prompts, and how its answers are read, for one profile.

Source: the prompts of the paper's appendix, with their spelling. Every prompt ends with a line feed.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from i2s_sdk.errors import DataError
from i2s_sdk.instances.instance import Instance
from i2s_sdk.scoring.scorer import Scorer
from i2s_sdk.tasks.question import ImagePart, Question, TextPart, image_of, prompt_texts
from i2s_sdk.tasks.structure import NoStructure, Structure
from i2s_sdk.tasks.task import Task
from i2s_sdk.tasks.visualwebbench.boxes import read_box, read_point
from i2s_sdk.tasks.visualwebbench.kinds import RAW_IMAGE, Form, TaskKind
from i2s_sdk.tasks.visualwebbench.letters import LETTERS, read_letter
from i2s_sdk.tasks.visualwebbench.texts import read_description, read_element_text, read_plain
from i2s_wire.metrics.profile import Profile

#: The most tokens of an answer.
MAX_TOKENS = 512


def prompt(task: str, inputs: Mapping[str, Any], profile: Profile) -> str:
    """Return what a model is asked of an instance.

    Args:
        task: Name of the task or form.
        inputs: Inputs of the instance, as its line has them.
        profile: ``paper`` puts a letter before each choice of action_prediction, as the paper prints it;
            ``helm`` shows the bare list, as the released program does.

    Raises:
        KeyError: There is no such task, or the instance lacks an input.
        ValueError: An input is none of its kind.
    """
    template = prompt_texts(__package__)[task]
    fields: dict[str, str] = {}
    for name in ("question", "elem_desc", "instruction"):
        if "{" + name + "}" in template:
            fields[name] = str(inputs[name])
    if "{bbox}" in template:
        fields["bbox"] = bbox_text(inputs["bbox"], profile)
    if "{choices}" in template:
        fields["choices"] = choices_text(inputs["options"], profile)
    return _filled(template, fields)


def _filled(template: str, fields: Mapping[str, str]) -> str:
    """Return a template with its fields filled in; what is filled in is not looked through again."""
    pieces: list[str] = []
    rest = template
    while rest:
        places = {name: rest.find("{" + name + "}") for name in fields}
        present = [name for name in places if places[name] >= 0]
        if not present:
            break
        first = min(present, key=places.__getitem__)
        pieces += [rest[: places[first]], fields[first]]
        rest = rest[places[first] + len(first) + 2 :]
    return "".join([*pieces, rest])


def bbox_text(bbox: Sequence[float], profile: Profile) -> str:
    """Return a box as prompts have it: four ratios with three decimals; ``helm`` shows no zeros at the end.

    Raises:
        ValueError: It is not a box.
    """
    x1, y1, x2, y2 = bbox
    if profile is Profile.HELM:
        return str([round(float(one), 3) for one in (x1, y1, x2, y2)])
    return f"[{x1:.3f}, {y1:.3f}, {x2:.3f}, {y2:.3f}]"


def choices_text(options: Sequence[str], profile: Profile) -> str:
    """Return the choices as a prompt has them: a line each with its letter, or the bare list to ``helm``."""
    if profile is Profile.HELM:
        return str(list(options))
    return "\n".join(f"{letter}. {option}" for letter, option in zip(LETTERS, options, strict=False))


_TEXTS = {
    Form.DESCRIPTION: read_description,
    Form.ELEMENT_TEXT: read_element_text,
    Form.PLAIN_TEXT: read_plain,
}


def read_answer(completion: str, form: Form, profile: Profile) -> Structure | NoStructure:
    """Return the answer in a completion: a text, a letter, or a box or point as a JSON list of ratios.

    A text that is empty is an answer to profile ``helm``, which compares it, and none to ``paper``.

    Args:
        completion: What the model said.
        form: What an answer is.
        profile: How it is read.
    """
    if form is Form.LETTER:
        letter = read_letter(completion, profile)
        return letter if isinstance(letter, NoStructure) else Structure(letter)
    if form in (Form.BOX, Form.POINT):
        place = read_box(completion, profile) if form is Form.BOX else read_point(completion, profile)
        return place if isinstance(place, NoStructure) else Structure(json.dumps(place))
    text = _TEXTS[form](completion, profile)
    if not text and profile is not Profile.HELM:
        return NoStructure("the answer has no text")
    return Structure(text)


@dataclass(frozen=True, slots=True)
class WebUnderstandingTask(Task):
    """A task of VisualWebBench."""

    #: Which one.
    kind: TaskKind
    #: Profile whose rules are followed. ``helm`` stands for what the released evaluation computes.
    profile: Profile = Profile.PAPER

    @property
    def name(self) -> str:
        """The name of the task in instances."""
        return self.kind.name

    @property
    def scorers(self) -> tuple[Scorer, ...]:
        """The one scorer of the task."""
        return (self.kind.scorer(self.profile),)

    def questions(self, instance: Instance) -> tuple[Question, ...]:
        """Return the one question of an instance: text and image, in the order that the provider prefers.

        Raises:
            DataError: The instance has no image, or lacks an input.
        """
        missing = [name for name in self.kind.inputs if name not in instance.inputs]
        if missing:
            raise DataError(instance.file, 0, f"instance {instance.id!r} lacks the input {missing[0]!r}")
        try:
            text = prompt(self.name, instance.inputs, self.profile)
        except (TypeError, ValueError) as error:
            raise DataError(instance.file, 0, f"instance {instance.id!r} cannot be asked: {error}") from None
        parts = (TextPart(text), ImagePart(self._shown(instance)))
        return (Question(parts, max_tokens=MAX_TOKENS, vendor_order=True),)

    def prompt_texts(self) -> tuple[str, ...]:
        """Return the text of its question, with fields in braces."""
        return (prompt_texts(__package__)[self.name],)

    def structure_from(self, completion: str, assets: Sequence[str] = ()) -> Structure | NoStructure:
        """Return the answer in a completion, or that there is none."""
        return read_answer(completion, self.kind.form, self.profile)

    def _shown(self, instance: Instance) -> Path:
        """Return the image that the model is shown."""
        raw = instance.files.get(RAW_IMAGE) if self.kind.raw else None
        return raw or image_of(instance)
