"""What a model is asked, how its answer is read and what is computed, for one task and one profile."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from i2s_sdk.errors import DataError
from i2s_sdk.instances.instance import Instance
from i2s_sdk.scoring.scorer import Scorer
from i2s_sdk.tasks.question import ImagePart, Question, TextPart, image_of
from i2s_sdk.tasks.structure import NoStructure, Structure
from i2s_sdk.tasks.visualwebbench.kinds import RAW_IMAGE, Kind
from i2s_sdk.tasks.visualwebbench.prompts import MAX_TOKENS, prompt, prompt_templates
from i2s_sdk.tasks.visualwebbench.reading import read_answer
from i2s_wire.metrics.profile import Profile


@dataclass(frozen=True, slots=True)
class WebUnderstandingTask:
    """A task of VisualWebBench.

    Attributes:
        kind: Which one.
        profile: Profile whose rules are followed. ``helm`` stands for what the released evaluation computes.
        rendering: None: nothing is rendered.
    """

    kind: Kind
    profile: Profile = Profile.PAPER
    rendering: None = None

    @property
    def name(self) -> str:
        """The name of the task in instances."""
        return self.kind.name

    @property
    def scorers(self) -> tuple[Scorer, ...]:
        """The one scorer of the task."""
        return (self.kind.scorer(self.profile),)

    def unavailable(self) -> Mapping[str, str]:
        """Return nothing: the metrics need no package."""
        return {}

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
        return (prompt_templates()[self.name],)

    def join(self, completions: Sequence[str]) -> str:
        """Return the completion of the one question."""
        (completion,) = completions
        return completion

    def structure_from(self, completion: str, assets: Sequence[str] = ()) -> Structure | NoStructure:
        """Return the answer in a completion, or that there is none."""
        return read_answer(completion, self.kind.form, self.profile)

    def _shown(self, instance: Instance) -> Path:
        """Return the picture that the model is shown."""
        raw = instance.files.get(RAW_IMAGE) if self.kind.raw else None
        return raw or image_of(instance)
