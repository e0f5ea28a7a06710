r"""Prompts of a user in place of those of the tasks: texts, system texts and examples, from one file.

::

    [latex]                          # name of a task
    system = "You write LaTeX."
    text = '''Write the LaTeX code of this image.
    {question}'''                    # {question} stands for the texts of the task

    [[latex.examples]]               # shown before the image of the instance, in order
    image = "example.png"            # relative to the file
    answer = '\[ x^2 \]'
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from i2s_sdk.errors import UsageError
from i2s_sdk.instances.images import ImageFaultError, read_header
from i2s_sdk.json_text import read_toml
from i2s_sdk.tasks.question import ImagePart, Part, Question, TextPart
from i2s_sdk.tasks.registry import task_spec

#: Stands in a text for the texts of the task.
QUESTION = "{question}"

#: Stands between an example's image and its answer, and between its answer and what follows.
_ANSWER, _END = "\nAnswer:\n", "\n\n"

_FIELDS = {"text", "system", "examples"}


@dataclass(frozen=True, slots=True)
class Example:
    """An image with the answer that it should have."""

    #: Path of the image: PNG, JPEG or WebP.
    image: Path
    #: SHA-256 of its content.
    sha256: str
    #: The answer, verbatim.
    answer: str


@dataclass(frozen=True, slots=True)
class OwnPrompt:
    """The prompt of a user in place of that of a task."""

    #: Text in place of the texts of the task, or around them; None keeps them.
    text: str | None = None
    #: The system text; None keeps that of the task.
    system: str | None = None
    #: Examples that are shown before the image of the instance.
    examples: tuple[Example, ...] = ()

    @property
    def identity(self) -> dict[str, Any]:
        """The fields that tell this prompt from others, as JSON has them."""
        examples = [[example.sha256, example.answer] for example in self.examples]
        return {"text": self.text, "system": self.system, "examples": examples}

    def applied(self, question: Question) -> Question:
        """Return a question of the task as the user asks it.

        Examples and images stand behind the text, in one message.
        """
        texts = "".join(part.text for part in question.parts if isinstance(part, TextPart))
        shown: list[Part] = [TextPart((self.text or QUESTION).replace(QUESTION, texts))]
        for example in self.examples:
            shown += [ImagePart(example.image), TextPart(f"{_ANSWER}{example.answer}{_END}")]
        others = [part for part in question.parts if not isinstance(part, TextPart)]
        changed = self.text is not None or self.examples
        parts = (*shown, *others) if changed else question.parts
        return replace(question, parts=parts, system=question.system if self.system is None else self.system)


def read_prompts(path: Path) -> dict[str, OwnPrompt]:
    """Return the prompts of a file by the name of their task.

    Raises:
        UnknownNameError: There is no such task.
        UsageError: The file or an image cannot be read, or a field is unknown or of another type.
    """
    try:
        tables = read_toml(path.read_text("utf-8"))
    except OSError as error:
        raise UsageError(f"--prompts {path}: cannot be read: {error.strerror}") from None
    except ValueError as error:
        raise UsageError(f"--prompts {path}: is not TOML: {error}") from None
    return {name: _prompt(path, name, table) for name, table in tables.items()}


def _prompt(path: Path, task: str, table: object) -> OwnPrompt:
    task_spec(task)
    if not isinstance(table, Mapping) or not table.keys() <= _FIELDS:
        raise UsageError(f"--prompts {path}: [{task}] has fields other than {', '.join(sorted(_FIELDS))}")
    text, system, examples = (table.get(name) for name in ("text", "system", "examples"))
    for name, value in (("text", text), ("system", system)):
        if not isinstance(value, str | None):
            raise UsageError(f"--prompts {path}: {name} of [{task}] is not a text")
    if not isinstance(examples, list | None):
        raise UsageError(f"--prompts {path}: examples of {task} are no [[{task}.examples]]")
    return OwnPrompt(text, system, tuple(_example(path, task, example) for example in examples or ()))


def _example(path: Path, task: str, table: object) -> Example:
    fields = table if isinstance(table, Mapping) else {}
    image, answer = fields.get("image"), fields.get("answer")
    if fields.keys() != {"image", "answer"} or not isinstance(image, str) or not isinstance(answer, str):
        raise UsageError(
            f"--prompts {path}: an example of {task} has the fields image and answer, both texts"
        )
    file = path.parent / image
    try:
        content = file.read_bytes()
        read_header(content)
    except OSError as error:
        raise UsageError(f"--prompts {path}: {file} cannot be read: {error.strerror}") from None
    except ImageFaultError as error:
        raise UsageError(f"--prompts {path}: {file} {error}") from None
    return Example(file, hashlib.sha256(content).hexdigest(), answer)
