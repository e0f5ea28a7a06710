"""What every judge of texts and of pictures offers."""

from __future__ import annotations

from typing import Protocol


class TextJudge(Protocol):
    """Tells how likely it is that readers should not be shown a text.

    The same text has the same value wherever name and version are the same.
    """

    @property
    def name(self) -> str:
        """Name of the model, such as "alt-profanity-check"."""
        ...

    @property
    def version(self) -> str:
        """Version of the model; another version may give other values."""
        ...

    @property
    def limit(self) -> float:
        """A text with a greater value is left out."""
        ...

    def judge(self, text: str) -> float:
        """Return a value from 0 to 1."""
        ...


class PictureJudge(Protocol):
    """Tells how likely it is that readers should not be shown a picture."""

    @property
    def name(self) -> str:
        """Name of the model."""
        ...

    @property
    def version(self) -> str:
        """Version of the model; another version may give other values."""
        ...

    @property
    def limit(self) -> float:
        """A picture with a greater value is left out."""
        ...

    def judge(self, png: bytes) -> float:
        """Return a value from 0 to 1."""
        ...
