"""What a provider of completions is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from i2s_sdk.data.instance import Instance
from i2s_sdk.tasks.prompts import Prompt


@dataclass(frozen=True, slots=True)
class Completion:
    """What a model said, verbatim."""

    text: str


class Model(Protocol):
    """Something that looks at a picture and answers.

    Attributes:
        name: As a run is told apart by, such as "oracle".
        fingerprint: Of everything else that decides its answers and is known; empty where the name says all.
    """

    name: str
    fingerprint: str

    async def complete(self, instance: Instance, prompt: Prompt) -> Completion:
        """Return the completion for one instance.

        Raises:
            ModelError: There is none; another attempt of the same run would not help.
        """
        ...
