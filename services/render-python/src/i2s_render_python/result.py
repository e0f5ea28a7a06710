"""Read what is left of a program: the result that its process wrote, which the program may have replaced."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError

MAX_BYTES = 256 * 1024
_TEXT = Annotated[str, Field(max_length=4000)]
_NUMBER = Annotated[int, Field(ge=0, le=10**9)]


class ResultError(ValueError):
    """The bytes are no result of a program."""


class _Part(BaseModel):
    model_config = ConfigDict(strict=True, frozen=True, extra="ignore")


class ProgramError(_Part):
    """The exception that ended a program.

    Attributes:
        type: Name of its class.
        text: Its words.
        line: Line of ``file``, from 1; 0 if none is known.
        file: File that the line is in; empty if none is known.
        context: The text of that line.
        name: The name that is not defined, or the module that was imported, if it is about one.
        missing: Whether there is no such module.
        syntax: Whether the program could not be read.
        module: The module in which the exception was raised; empty if none is known.
    """

    type: _TEXT
    text: _TEXT
    line: _NUMBER = 0
    file: _TEXT = ""
    context: _TEXT = ""
    name: _TEXT = ""
    missing: bool = False
    syntax: bool = False
    module: _TEXT = ""


class DrawnFigure(_Part):
    """A figure that was drawn: its number from 1, and whether its objects were written."""

    page: Annotated[int, Field(ge=1, le=10**6)]
    objects: bool


class Result(_Part):
    """What became of a program.

    Attributes:
        total: Number of figures that count.
        figures: Figures that were drawn.
        error: The exception that ended it.
        pixels: Width and height of a picture that was not drawn because it is too large.
    """

    total: _NUMBER
    figures: Annotated[tuple[DrawnFigure, ...], Field(max_length=1000, strict=False)]
    error: ProgramError | None = None
    pixels: Annotated[tuple[float, float] | None, Field(strict=False)] = None


def read_result(content: bytes) -> Result:
    """Return a result.

    Raises:
        ResultError: It is none; says why.
    """
    try:
        return Result.model_validate_json(content)
    except (ValidationError, RecursionError) as error:
        raise ResultError(str(error).splitlines()[0]) from None
