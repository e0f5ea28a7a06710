"""The drawing language of ShapeCodeBench: circles and squares, filled or with a stroke, not smoothed.

A program is a line for each shape, drawn black on white in 512 by 512 pixels, later ones over earlier ones::

    circle(cx=353, cy=144, radius=111, stroke=6)
    filled_circle(cx=326, cy=337, radius=96)
    square(cx=295, cy=282, size=69, stroke=5)
    filled_square(cx=173, cy=320, size=125)

Source: ShapeCodeBench (shivamk3r/shape-code-bench, commit eea4bc8).
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from PIL import Image

SIDE = 512
#: The most shapes of a program. Those of the benchmark have up to 10.
MOST_SHAPES = 10_000
#: Arguments of each shape.
SHAPES: Mapping[str, tuple[str, ...]] = {
    "circle": ("cx", "cy", "radius", "stroke"),
    "filled_circle": ("cx", "cy", "radius"),
    "square": ("cx", "cy", "size", "stroke"),
    "filled_square": ("cx", "cy", "size"),
}

_CALL = re.compile(r"(\w+)\s*\(([^()]*)\)\s*;?")
_ARGUMENT = re.compile(r"\s*(\w+)\s*=\s*([+-]?\d{1,9})\s*")


class ProgramError(ValueError):
    """A text is no program; says why, and in which line."""


@dataclass(frozen=True, slots=True)
class Shape:
    """One call of a program."""

    #: Name, one of ``SHAPES``.
    name: str
    #: Column of the centre in pixels.
    cx: int
    #: Row of the centre.
    cy: int
    #: Radius of a circle, side of a square.
    extent: int
    #: Width of the stroke, which goes inwards; 0 for a shape that is filled.
    stroke: int = 0

    @property
    def is_circle(self) -> bool:
        """Whether it is a circle."""
        return self.name.endswith("circle")

    @property
    def most_stroke(self) -> int:
        """The widest stroke that it may have."""
        return self.extent if self.is_circle else max(1, (self.extent + 1) // 2)

    def __str__(self) -> str:
        values = (self.cx, self.cy, self.extent, self.stroke)
        words = (f"{name}={value}" for name, value in zip(SHAPES[self.name], values, strict=False))
        return f"{self.name}({', '.join(words)})"


def read_program(text: str) -> tuple[Shape, ...]:
    """Return the shapes of a program in the order drawn.

    Raises:
        ProgramError: It has none, or a line is no call as the language has it.
    """
    shapes = []
    for number, line in enumerate(text.splitlines(), start=1):
        if line.strip():
            try:
                shapes.append(_shape(line.strip()))
            except ProgramError as error:
                raise ProgramError(f"line {number}: {error}") from None
    if not shapes:
        raise ProgramError("the program has no shape")
    if len(shapes) > MOST_SHAPES:
        raise ProgramError(f"the program has {len(shapes)} shapes, at most {MOST_SHAPES} are drawn")
    return tuple(shapes)


def _shape(line: str) -> Shape:
    call = _CALL.fullmatch(line)
    if call is None or call[1] not in SHAPES:
        raise ProgramError(f"{line[:80]!r} is no call of {', '.join(SHAPES)}")
    values: dict[str, int] = {}
    for argument in call[2].split(","):
        match = _ARGUMENT.fullmatch(argument)
        if match is None or match[1] in values or match[1] not in SHAPES[call[1]]:
            raise ProgramError(f"{argument.strip()[:80]!r} is no argument of {call[1]}")
        values[match[1]] = int(match[2])
    missing = [name for name in SHAPES[call[1]] if name not in values]
    if missing:
        raise ProgramError(f"{call[1]} lacks {', '.join(missing)}")
    shape = Shape(call[1], *(values[name] for name in SHAPES[call[1]]))
    if not (0 <= shape.cx < SIDE and 0 <= shape.cy < SIDE and 1 <= shape.extent <= SIDE):
        raise ProgramError(f"{shape} is out of range")
    if "stroke" in values and not 1 <= shape.stroke <= shape.most_stroke:
        raise ProgramError(f"the stroke of {shape} is not from 1 to {shape.most_stroke}")
    return shape


def draw(shapes: tuple[Shape, ...]) -> Image.Image:
    """Return the image of a program: mode L, black on white."""
    from PIL import Image, ImageDraw  # which most commands that list tasks do not need

    image = Image.new("L", (SIDE, SIDE), 255)
    canvas = ImageDraw.Draw(image)
    for shape in shapes:
        if shape.is_circle:
            left, top, side = shape.cx - shape.extent, shape.cy - shape.extent, 2 * shape.extent
        else:
            left, top = shape.cx - shape.extent // 2, shape.cy - shape.extent // 2
            side = shape.extent - 1
        box = (left, top, left + side, top + side)
        drawn: Callable[..., None] = canvas.ellipse if shape.is_circle else canvas.rectangle
        if shape.stroke:
            drawn(box, outline=0, width=shape.stroke)
        else:
            drawn(box, fill=0)
    return image


def png(image: Image.Image) -> bytes:
    """Return an image as PNG."""
    output = io.BytesIO()
    image.save(output, "PNG")
    return output.getvalue()


_BLOCK = re.compile(r"```[^`\n]*\n(.*?)(?:```|\Z)", re.DOTALL)
_BEGINS_A_CALL = re.compile(rf"(?:{'|'.join(SHAPES)})[ \t]*+\(")


def _is_like_a_call(line: str) -> bool:
    """Return whether a line, without blanks at its ends, has the name of a shape and parentheses."""
    begin = _BEGINS_A_CALL.match(line)
    return begin is not None and line.removesuffix(";").rstrip(" \t").endswith(")", begin.end())


def program_in(answer: str) -> str:
    """Return the program in an answer: its first fenced block, else the lines like calls, else all."""
    block = _BLOCK.search(answer)
    if block is not None:
        return block[1].strip()
    stripped = map(str.strip, answer.splitlines())
    lines = [line for line in stripped if _is_like_a_call(line)]
    return "\n".join(lines) if lines else answer.strip()
