"""What a program that only reads finds in an image, and what a task makes of it; for ``baseline/ocr``."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Colour = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class OcrLine:
    """A line of words.

    Attributes:
        text: Text as it was read.
        left: Edge in pixels of the picture; so are the others, counted from its upper left corner.
        top: Edge.
        right: Edge.
        bottom: Edge.
        ink: Colour of the words.
        paper: Colour behind them.
    """

    text: str
    left: int
    top: int
    right: int
    bottom: int
    ink: Colour = (0, 0, 0)
    paper: Colour = (255, 255, 255)

    @property
    def width(self) -> int:
        """Width in pixels, at least 1."""
        return max(1, self.right - self.left)

    @property
    def height(self) -> int:
        """Height in pixels, at least 1."""
        return max(1, self.bottom - self.top)


@dataclass(frozen=True, slots=True)
class OcrPage:
    """A picture with its lines, from top to bottom.

    Attributes:
        width: Width in pixels.
        height: Height in pixels.
        paper: The most frequent colour.
        lines: Lines that were read.
    """

    width: int
    height: int
    paper: Colour
    lines: tuple[OcrLine, ...]


#: Returns a completion for the images of a question, in their order, and the inputs of its instance.
OcrAnswer = Callable[[Sequence[OcrPage], Mapping[str, Any]], str]


def of_one_page(write: Callable[[OcrPage], str]) -> OcrAnswer:
    """Return the answer of a task whose questions show one image, from what writes a page as a completion."""
    return lambda pages, inputs: write(pages[0])
