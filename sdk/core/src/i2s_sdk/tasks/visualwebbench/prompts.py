"""What a model is asked, in the words of VisualWebBench; those of the box and point forms are our own.

Source: the prompts of the paper's appendix, with their spelling. Every prompt ends with a line feed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from i2s_sdk.json_text import read_json
from i2s_sdk.tasks.visualwebbench.letters import LETTERS
from i2s_wire.metrics.profile import Profile

#: The most tokens of an answer.
MAX_TOKENS = 512


@cache
def prompt_templates() -> dict[str, str]:
    """Return the texts of all tasks by name, with fields in braces for what differs between instances."""
    content = files("i2s_sdk.tasks.visualwebbench").joinpath("prompts.json").read_text(encoding="utf-8")
    texts: dict[str, str] = read_json(content)
    return texts


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
    template = prompt_templates()[task]
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
        found = [name for name in places if places[name] >= 0]
        if not found:
            break
        first = min(found, key=places.__getitem__)
        pieces += [rest[: places[first]], fields[first]]
        rest = rest[places[first] + len(first) + 2 :]
    return "".join([*pieces, rest])


def bbox_text(bbox: Sequence[float], profile: Profile) -> str:
    """Return a box as prompts have it: four ratios with three decimals; ``helm`` shows no zeros at the end.

    Raises:
        ValueError: It is no box.
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
