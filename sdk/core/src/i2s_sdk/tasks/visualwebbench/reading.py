"""Reads the answer of a completion, by the form of the answer."""

from __future__ import annotations

import json

from i2s_sdk.tasks.structure import NoStructure, Structure
from i2s_sdk.tasks.visualwebbench.boxes import read_box, read_point
from i2s_sdk.tasks.visualwebbench.kinds import Form
from i2s_sdk.tasks.visualwebbench.letters import read_letter
from i2s_sdk.tasks.visualwebbench.texts import read_description, read_element_text, read_plain
from i2s_wire.metrics.profile import Profile

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
