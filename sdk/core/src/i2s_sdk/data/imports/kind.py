"""What a kind of import is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class ImportRequest:
    """What is to be imported.

    Attributes:
        sources: Files, folders, or names of data sets.
        out: Folder of the data set; must not exist, or be empty.
        images: Folder of images that the sources name; None if they have them inside.
        tasks: Tasks that are taken; none means all.
    """

    sources: tuple[str, ...]
    out: Path
    images: Path | None = None
    tasks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Imported:
    """What an import made.

    Attributes:
        instances: How many the data set has.
        left_out: Items that it does not have, each with the reason.
    """

    instances: int
    left_out: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ImportKind:
    """A kind of source that can be made a data set.

    Attributes:
        name: Name as the command takes it.
        about: What the sources are, for people.
        run: The function that makes the data set. It raises UsageError, DataError or WriteError if that
            cannot be done.
    """

    name: str
    about: str
    run: Callable[[ImportRequest], Imported]
