"""Questions of tests: of a text and an image behind it, as the tasks of Image2Struct ask."""

from __future__ import annotations

from pathlib import Path

from i2s_sdk.data import Instance
from i2s_sdk.models.model import Completion, Model
from i2s_sdk.models.question import ReadImage, ReadQuestion
from i2s_sdk.tasks.question import Question, texts_then_image

TEXTS = ("Be short.", "\nWrite LaTeX.")


def question_of(instance: Instance, *texts: str) -> Question:
    """Return the question of an instance: the texts, or some, and its image."""
    return texts_then_image(texts or TEXTS, instance.image)


async def complete(model: Model, instance: Instance, *texts: str) -> Completion:
    """Ask a model the question of an instance."""
    return await model.complete(instance, question_of(instance, *texts))


def read_image(content: bytes = b"\x89PNG", name: str = "a.png") -> ReadImage:
    """Return an image as providers see it."""
    return ReadImage(Path(name), content, "image/png", 1, 1)


def read_text_and_image(identity: str = "a", text: str = "text", content: bytes = b"\x89PNG") -> ReadQuestion:
    """Return a question as providers see it."""
    return ReadQuestion(identity, (text, read_image(content, f"{identity}.png")))
