"""The question to a model: texts and images in order, what else decides the answer, and the bundled texts."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path

from i2s_sdk.errors import DataError
from i2s_sdk.instances.instance import Instance
from i2s_sdk.json_text import read_json


@dataclass(frozen=True, slots=True)
class TextPart:
    """A piece of text."""

    #: Verbatim. Texts that follow one another are joined with nothing, so a piece that begins on a line of
    #: its own begins with the line feed.
    text: str


@dataclass(frozen=True, slots=True)
class ImagePart:
    """An image."""

    #: A file of the instance: PNG, JPEG or WebP.
    path: Path


@dataclass(frozen=True, slots=True)
class FilePart:
    """A document as a whole, which only models that answer instances as a whole are given."""

    #: A file of the instance, such as a PDF.
    path: Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Sampling:
    """How the tokens of a completion are drawn. None leaves a value to the server: it is not sent.

    Raises:
        ValueError: A value is outside of its range.
    """

    #: Temperature from 0 on, without a unit; 0 is greedy.
    temperature: float | None = None
    #: Top p above 0, at most 1: tokens are drawn from the most probable ones that together have this
    #: probability.
    top_p: float | None = None
    #: Top k from 1 on: tokens are drawn from this many of the most probable ones.
    top_k: int | None = None
    #: The factor, above 0, by which tokens that occurred before become less probable; 1 is not a penalty.
    repetition_penalty: float | None = None

    def __post_init__(self) -> None:
        if self.temperature is not None and not 0 <= self.temperature < math.inf:
            raise ValueError(f"temperature {self.temperature} is not a number from 0 on")
        if self.top_p is not None and not 0 < self.top_p <= 1:
            raise ValueError(f"top_p {self.top_p} is not above 0 and at most 1")
        if self.top_k is not None and self.top_k < 1:
            raise ValueError(f"top_k {self.top_k} is below 1")
        if self.repetition_penalty is not None and not 0 < self.repetition_penalty < math.inf:
            raise ValueError(f"repetition_penalty {self.repetition_penalty} is not a number above 0")

    def values(self, *names: str) -> dict[str, float]:
        """Return the values that are sent, by name.

        Args:
            names: Names of the values that may be sent; none means all four.
        """
        all_values = asdict(self)
        return {name: all_values[name] for name in names or all_values if all_values[name] is not None}


#: What a question consists of.
Part = TextPart | ImagePart | FilePart


@dataclass(frozen=True, slots=True)
class Exchange:
    """An earlier message of a conversation, with what the model answered."""

    #: Texts and images in order, as in ``Question``.
    parts: tuple[Part, ...]
    #: The answer, without reasoning.
    answer: str


@dataclass(frozen=True, slots=True)
class Question:
    """One message to a model, which is answered with one completion."""

    #: Texts and images in the order in which the model reads them. There may be no image.
    parts: tuple[Part, ...]
    #: The system text, which comes before the message; empty for none.
    system: str = ""
    #: The most tokens of the completion; None takes that of the options.
    max_tokens: int | None = None
    #: JSON Schema of the completion, which the provider asks for by its mode for structured output; a
    #: provider without one refuses the question.
    json_schema: Mapping[str, object] | None = None
    #: Name of one of several questions of an instance, such as "page-2"; empty if the instance has this one
    #: alone. Answers on disk are found by it.
    name: str = ""
    #: Whether images stand before texts for models of vendors who advise that, such as Anthropic; all others
    #: get the parts in their order.
    vendor_order: bool = False
    #: Why the question cannot be sent to a model, and what would complete it; empty if it can. Answers at
    #: hand (a replay, the oracle) need no complete question.
    incomplete: str = ""
    #: How the completion is drawn, unless the user chooses a temperature; None takes the temperature of the
    #: options.
    sampling: Sampling | None = None
    #: What was asked and answered before in the same conversation, in order; the system text comes before it.
    earlier: tuple[Exchange, ...] = ()


def texts_then_image(texts: Sequence[str], image: Path) -> Question:
    """Return the question of some texts with an image behind them.

    Args:
        texts: Texts in order.
        image: The file of the image.
    """
    return Question((*map(TextPart, texts), ImagePart(image)))


def image_of(instance: Instance) -> Path:
    """Return the image of an instance.

    Raises:
        DataError: It has none.
    """
    if instance.image is None:
        raise DataError(instance.file, 0, f"instance {instance.id!r} has no image to show")
    return instance.image


def require_names(questions: Sequence[Question]) -> None:
    """Return if the questions of an instance can be told apart by their names.

    Raises:
        ValueError: Two have one name, or one of several has none.
    """
    names = [question.name for question in questions]
    if len(set(names)) < len(names) or (len(names) > 1 and "" in names):
        raise ValueError(f"several questions of one instance need a name each, and these have {names}")


def joined_texts(question: Question) -> tuple[Part, ...]:
    """Return the parts of a question with texts that follow one another made one, and empty ones left out."""
    return joined_parts(question.parts)


def joined_parts(given: Sequence[Part]) -> tuple[Part, ...]:
    """Return parts with texts that follow one another made one, and empty ones left out."""
    parts: list[Part] = []
    for part in given:
        if isinstance(part, TextPart) and parts and isinstance(parts[-1], TextPart):
            parts[-1] = TextPart(parts[-1].text + part.text)
        elif part != TextPart(""):
            parts.append(part)
    return tuple(parts)


@dataclass(frozen=True, slots=True)
class Decoding:
    """How completions are drawn."""

    #: 0 is greedy.
    temperature: float = 0.0
    #: The most tokens of a completion.
    max_tokens: int = 2000
    #: How many for each prompt.
    completions: int = 1
    #: Sequences that end a completion.
    stop: tuple[str, ...] = ()


#: Decoding of the published leaderboard.
DECODING = Decoding()


@cache
def prompt_texts(package: str = "i2s_sdk.tasks") -> dict[str, str]:
    """Return the texts of the file ``prompts.json`` of a package, by name.

    Args:
        package: Full name of the package of a task. The texts of the tasks of Image2Struct are beside this
            module: "instruction", one for each task, and the pieces of the asset list.
    """
    texts: dict[str, str] = read_json(files(package).joinpath("prompts.json").read_text(encoding="utf-8"))
    return texts


def task_prompt(task: str, assets: Sequence[str] = ()) -> tuple[str, ...]:
    """Return the texts that a task asks with, in order; the image of the instance comes after them.

    The second begins with the line feed that parts it from the first, so they are joined with nothing.

    Args:
        task: Name of its text: "latex", "webpage" or "musicsheet".
        assets: Relative names of files that the answer may use; they are listed after the text.

    Raises:
        KeyError: There is no text of that name.
    """
    texts = prompt_texts()
    question = texts[task]
    if assets:
        lines = (texts["webpage_asset_line"].format(name=name) for name in assets)
        question += texts["webpage_assets_suffix"] + "".join(lines)
    return texts["instruction"], "\n" + question
