"""The task SO-Bench: its prompts, and how its answers are read, for one profile."""

from __future__ import annotations

import enum
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from i2s_sdk.errors import SettingsError
from i2s_sdk.instances.instance import Instance
from i2s_sdk.scoring.scorer import Scorer
from i2s_sdk.settings import Settings
from i2s_sdk.tasks.question import ImagePart, Question, TextPart, image_of
from i2s_sdk.tasks.sobench.reading import extract
from i2s_sdk.tasks.sobench.scorer import StructuredOutputScorer
from i2s_sdk.tasks.structure import NoStructure, Structure
from i2s_sdk.tasks.task import Task
from i2s_wire.metrics.profile import Profile

#: The system text of profile ``paper``, in words of this project.
SYSTEM = """\
You read images and write what they show as one JSON value that is valid under a JSON Schema.

You get an image, a JSON Schema, and the intent of the user, which says what the data is for. Work as \
follows.

Content
- Take every value from the image. Do not guess, and do not add knowledge that the image does not show.
- Write texts as they stand in the image: same words, spelling, case and punctuation.
- If the intent asks for a part of the image, or for one of several objects in it, answer for that part \
alone.
- Keep the order of the image in lists: from top to bottom, then from left to right, unless the schema or \
the intent asks for another one.

Schema
- The answer must be valid under the schema: types, formats, enumerations, patterns, and bounds of numbers, \
texts and lists.
- Write every required property. Write no property that the schema does not declare.
- Leave an optional property out if the image does not show its value.

Placeholders
If the image does not show the value of a required property, or it cannot be read, write a placeholder:
- the default of the schema, if it has one; else its const, or the first value of its enum;
- else, by type: for a text "#", repeated until minLength is reached; for a text in the format of a date or \
a time, the first of 1970-01-01 in that format; for a number 0, or the bound nearest to 0 if 0 is not \
allowed; for a boolean false; for null null;
- for a list exactly minItems placeholders of its items; for an object all its required properties, each \
with its placeholder.

Form
- Answer with the JSON value alone, in one fenced code block that begins with ```json and ends with ```.
- Write no comment and no explanation, before, inside or after it.
"""

#: The same for the server's structured mode, which fences nothing.
SYSTEM_STRUCTURED = (
    SYSTEM.partition("\nForm\n")[0] + "\nForm\n- Answer with the JSON value alone, without explanation.\n"
)

_SCHEMA = "JSON Schema:\n```json\n{schema}\n```\n\n"
_INTENT = "User Intent: {intent}\n\n"
_REQUEST = (
    "Analyse the image by the JSON Schema and answer with the JSON value in a fenced code block (```json)."
)
_REQUEST_STRUCTURED = "Analyse the image and answer with the JSON value."


def message(schema: Any, intent: str, *, structured: bool) -> str:  # noqa: ANN401 - a JSON value
    """Return the text before the image.

    Args:
        schema: JSON Schema of the answer.
        intent: What the user wants; empty if nothing is known of it.
        structured: Whether the server is given the schema; then the text does not have it.
    """
    wanted = _INTENT.replace("{intent}", intent) if intent else ""
    if structured:
        return wanted + _REQUEST_STRUCTURED
    written = json.dumps(schema, indent=2, ensure_ascii=False)
    return _SCHEMA.replace("{schema}", written) + wanted + _REQUEST


def message_texts(*, structured: bool) -> tuple[str, ...]:
    """Return the texts of a message that are the same for all instances."""
    return (_INTENT, _REQUEST_STRUCTURED) if structured else (_SCHEMA, _INTENT, _REQUEST)


def schema_for_server(schema: Any) -> Mapping[str, object]:  # noqa: ANN401
    """Return a schema as servers take it: an object."""
    return schema if isinstance(schema, dict) else {} if schema else {"not": {}}


#: The most tokens of a completion; the largest gold answers have a few thousand.
MAX_TOKENS = 8192

_NO_SYSTEM_TEXT = (
    "task 'sobench' in profile reference asks with the released system text, which its licence keeps out of "
    "this package: name your copy of it with --set sobench_system_text=FILE or I2S_SOBENCH_SYSTEM_TEXT"
)


class AnswerMode(enum.StrEnum):
    """How a model is asked for JSON: by the text, or by the server's mode for structured output."""

    FENCED = "fenced"
    STRUCTURED = "structured"


@dataclass(frozen=True, slots=True)
class SOBenchTask(Task):
    """An image, a JSON Schema and an intent, to be answered with a JSON value."""

    #: Profile whose rules are followed.
    profile: Profile = Profile.PAPER
    #: How a model is asked for JSON.
    mode: AnswerMode = AnswerMode.FENCED
    #: The system text; None if profile ``reference`` has none.
    system: str | None = None
    #: Name as instances call it.
    name: str = "sobench"

    @property
    def scorers(self) -> tuple[Scorer, ...]:
        """The one scorer."""
        return (StructuredOutputScorer(self.profile),)

    def configured(self, settings: Settings) -> SOBenchTask:
        """Return this task with the system text and the mode of the settings.

        Raises:
            SettingsError: There is no such mode, or the file of the system text cannot be read.
        """
        mode, file = _mode_of(settings.sobench_mode), settings.sobench_system_text
        return replace(self, mode=mode, system=None if file is None else _text_of(file))

    def facts(self) -> Mapping[str, str]:
        """Return what the settings chose, as facts of a run."""
        words = "as given" if self.system is not None else "of this project"
        return {"sobench answer mode": str(self.mode), "sobench system text": words}

    def questions(self, instance: Instance) -> tuple[Question, ...]:
        """Return what the model is asked of an instance: the text, then the image.

        Raises:
            DataError: The instance has no image.
        """
        schema, intent = instance.inputs["schema"], instance.inputs.get("intent", "")
        structured = self.mode is AnswerMode.STRUCTURED
        text = message(schema, intent, structured=structured)
        question = Question(
            (TextPart(text), ImagePart(image_of(instance))),
            system=self._system_text(),
            max_tokens=MAX_TOKENS,
            json_schema=schema_for_server(schema) if structured else None,
            incomplete="" if self._system_text() else _NO_SYSTEM_TEXT,
        )
        return (question,)

    def prompt_texts(self) -> tuple[str, ...]:
        """Return the texts that are the same for all instances."""
        structured = self.mode is AnswerMode.STRUCTURED
        return (self._system_text(), *message_texts(structured=structured))

    def structure_from(self, completion: str, assets: Sequence[str] = ()) -> Structure | NoStructure:
        """Return the JSON text of a completion, or that there is none."""
        return extract(completion, self.profile)

    def _system_text(self) -> str:
        """Return the system text; empty if profile ``reference`` has none."""
        if self.system is not None:
            return self.system
        if self.profile is Profile.HELM:
            return ""
        return SYSTEM_STRUCTURED if self.mode is AnswerMode.STRUCTURED else SYSTEM


def _mode_of(name: str) -> AnswerMode:
    try:
        return AnswerMode(name)
    except ValueError:
        known = " or ".join(AnswerMode)
        raise SettingsError(f"--set sobench_mode or I2S_SOBENCH_MODE: {name!r} is not {known}") from None


def _text_of(file: Path) -> str:
    try:
        text = file.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8"
        raise SettingsError(f"--set sobench_system_text={file}: cannot be read: {reason}") from None
    if not text:
        raise SettingsError(f"--set sobench_system_text={file}: is empty")
    return text
