"""The criteria by which judge models and people score the images of a task."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from i2s_sdk.json_text import read_strict_json
from i2s_sdk.tasks.question import ImagePart, Question, TextPart

#: Stands in the text of a rubric for the prompt that the image was drawn from.
PROMPT_MARK = "{prompt}"

_OBJECT = re.compile(r"\{[^{}]*\}")


@dataclass(frozen=True, slots=True)
class BadJudgement:
    """Why an answer of a judge has no scores."""

    #: One of a few texts, so that answers can be counted by it.
    reason: str


@dataclass(frozen=True, slots=True)
class Rubric:
    """The text that a judge model is given, and the scores that it may give."""

    #: Text of the question; PROMPT_MARK stands once in it.
    text: str
    #: Names of the scores, as the answer has them.
    criteria: tuple[str, ...]
    #: The lowest score of an image. A sample without an image has 0 in all, and is not judged.
    lowest: float
    #: The highest score.
    highest: float
    #: Scores are multiples of it.
    step: float
    #: Returns the prompt of a sample from the details of its record; empty if it is not there.
    prompt: Callable[[Mapping[str, Any]], str]

    @property
    def sha256(self) -> str:
        """Digest of the text and the permitted scores."""
        parts = (self.text, *self.criteria, repr((self.lowest, self.highest, self.step)))
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()

    def question(self, prompt: str, image: Path) -> Question:
        """Return what the judge is asked: the rubric with the prompt, then the image.

        Args:
            prompt: What the image was drawn from.
            image: The file of the image.
        """
        before, _, after = self.text.partition(PROMPT_MARK)
        return Question((TextPart(f"{before}{prompt}{after}"), ImagePart(image)))

    def read(self, completion: str) -> tuple[float, ...] | BadJudgement:
        """Return the scores in an answer by criterion, or why there are none.

        The last JSON object without others in it counts, so that reasoning before it does no harm. Nothing is
        rounded or guessed.

        Args:
            completion: What the judge said.
        """
        objects = _OBJECT.findall(completion)
        if not objects:
            return BadJudgement("no JSON object")
        try:
            scores = read_strict_json(objects[-1])
        except ValueError:
            return BadJudgement("no valid JSON object")
        values: list[float] = []
        for name in self.criteria:
            value = scores.get(name)
            if value is None:
                return BadJudgement(f"no score of {name}")
            if isinstance(value, bool) or not isinstance(value, int | float):
                return BadJudgement(f"score of {name} is not a number")
            if not self.lowest <= value <= self.highest or value % self.step:
                permitted = f"from {self.lowest:g} to {self.highest:g} in steps of {self.step:g}"
                return BadJudgement(f"score of {name} is not {permitted}")
            values.append(float(value))
        return tuple(values)


@dataclass(frozen=True, slots=True)
class HumanCriterion:
    """One criterion by which people score an image."""

    #: Name of the criterion in tables and JSON.
    name: str
    #: The beginning of the name of its column in the files.
    column: str
    #: Its heading in narrow tables.
    heading: str


@dataclass(frozen=True, slots=True)
class HumanScoring:
    """How people score the images of a task."""

    #: The criteria in the order of tables. If the task has a rubric too, a criterion of the same name means
    #: the same, and judge models are compared with people by it.
    criteria: tuple[HumanCriterion, ...]
    #: The highest score. A score of 0 in all criteria says that there was no image.
    highest: float

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the criteria."""
        return tuple(human_criterion.name for human_criterion in self.criteria)
