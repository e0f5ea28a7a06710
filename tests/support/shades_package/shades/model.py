"""The model ``parrot/TEXT``, which answers every question with TEXT."""

from __future__ import annotations

from i2s_sdk.errors import UsageError
from i2s_sdk.instances.instance import Instance
from i2s_sdk.models.model import Completion, Finish
from i2s_sdk.models.options import ModelOptions
from i2s_sdk.tasks.question import Question


class Parrot:
    """Answers every question with the same text.

    Args:
        text: What follows "parrot/" in the name of the model.
        options: Options of models that are called; this one calls nothing.

    Raises:
        UsageError: The text is empty.
    """

    fingerprint = "1"

    def __init__(self, text: str, options: ModelOptions) -> None:
        if not text:
            raise UsageError("model 'parrot' needs a text: parrot/TEXT")
        self.name = f"parrot/{text}"
        self._text = text

    async def complete(self, instance: Instance, question: Question) -> Completion:
        """Return the text."""
        return Completion(self._text, Finish.STOP)
