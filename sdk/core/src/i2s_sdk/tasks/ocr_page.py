"""The words of an image as a program reads them, and a task's answer made of them; for ``baseline/ocr``."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Colour = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class OcrLine:
    """A line of words."""

    #: Text as it was read.
    text: str
    #: Edge in pixels of the image; so are the others, counted from its upper left corner.
    left: int
    #: Edge.
    top: int
    #: Edge.
    right: int
    #: Edge.
    bottom: int
    #: Colour of the words.
    ink: Colour = (0, 0, 0)
    #: Colour behind them.
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
    """An image with its lines, from top to bottom."""

    #: Width in pixels.
    width: int
    #: Height in pixels.
    height: int
    #: The most frequent colour.
    paper: Colour
    #: Lines that were read.
    lines: tuple[OcrLine, ...]


#: Returns a completion for the images of a question, in their order, and the inputs of its instance.
OcrAnswer = Callable[[Sequence[OcrPage], Mapping[str, Any]], str]


def of_one_page(write: Callable[[OcrPage], str]) -> OcrAnswer:
    """Return the answer of a task whose questions show one image, from what writes a page as a completion."""
    return lambda pages, inputs: write(pages[0])
