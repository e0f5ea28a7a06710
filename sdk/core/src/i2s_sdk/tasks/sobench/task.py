"""The task SO-Bench: what a model is asked and how its answer is read, for one profile."""

from __future__ import annotations

import enum
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from i2s_sdk.errors import SettingsError
from i2s_sdk.instances.instance import Instance
from i2s_sdk.scoring.scorer import Scorer
from i2s_sdk.settings import Settings
from i2s_sdk.tasks.question import ImagePart, Question, TextPart, image_of
from i2s_sdk.tasks.sobench import prompt
from i2s_sdk.tasks.sobench.reading import extract
from i2s_sdk.tasks.sobench.scorer import StructuredOutputScorer
from i2s_sdk.tasks.structure import NoStructure, Structure
from i2s_wire.metrics.profile import Profile

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
class SOBenchTask:
    """An image, a JSON Schema and an intent, to be answered with a JSON value.

    Attributes:
        profile: Profile whose rules are followed.
        mode: How a model is asked for JSON.
        system: The system text; None if profile ``reference`` has none.
        name: Name as instances call it.
        rendering: None: answers are not rendered.
    """

    profile: Profile = Profile.PAPER
    mode: AnswerMode = AnswerMode.FENCED
    system: str | None = None
    name: str = "sobench"
    rendering: None = None

    @property
    def scorers(self) -> tuple[Scorer, ...]:
        """The one scorer."""
        return (StructuredOutputScorer(self.profile),)

    def unavailable(self) -> Mapping[str, str]:
        """Return nothing: all metrics can be computed."""
        return {}

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
        text = prompt.message(schema, intent, structured=structured)
        question = Question(
            (TextPart(text), ImagePart(image_of(instance))),
            system=self._system_text(),
            max_tokens=MAX_TOKENS,
            json_schema=prompt.schema_for_server(schema) if structured else None,
            incomplete="" if self._system_text() else _NO_SYSTEM_TEXT,
        )
        return (question,)

    def prompt_texts(self) -> tuple[str, ...]:
        """Return the texts that are the same for all instances."""
        structured = self.mode is AnswerMode.STRUCTURED
        return (self._system_text(), *prompt.message_texts(structured=structured))

    def join(self, completions: Sequence[str]) -> str:
        """Return the completion of the one question."""
        (completion,) = completions
        return completion

    def structure_from(self, completion: str, assets: Sequence[str] = ()) -> Structure | NoStructure:
        """Return the JSON text of a completion, or that there is none."""
        return extract(completion, self.profile)

    def _system_text(self) -> str:
        """Return the system text; empty if profile ``reference`` has none."""
        if self.system is not None:
            return self.system
        if self.profile is Profile.HELM:
            return ""
        return prompt.SYSTEM_STRUCTURED if self.mode is AnswerMode.STRUCTURED else prompt.SYSTEM


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
