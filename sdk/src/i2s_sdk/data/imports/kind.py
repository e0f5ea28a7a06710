"""What a kind of import is."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class ImportedItem:
    """An item of a benchmark as it was read.

    Attributes:
        id: Unique within the data set.
        where: It was read from, for people.
        task: Name of its task.
        subset: Name of its subset.
        inputs: As the task's schema has them, without those that are files.
        files: Inputs that are files, by name: their content, which is PNG, JPEG or WebP.
        target: As the task's schema has it; None if it is not known.
        licence: Of inputs and target; empty if it is not known.
        provenance: Where they come from.
        fault: Why there is no item here; empty if there is one.
    """

    id: str
    where: str
    task: str = ""
    subset: str = ""
    inputs: Mapping[str, Any] = field(default_factory=dict)
    files: Mapping[str, bytes] = field(default_factory=dict)
    target: Any = None
    licence: str = ""
    provenance: Mapping[str, Any] = field(default_factory=dict)
    fault: str = ""


@dataclass(frozen=True, slots=True)
class ImportKind:
    """A kind of source that can be made a data set.

    Attributes:
        name: As the command takes it.
        about: What the sources are, as a sentence for people.
        read: Yields the items of sources, with a folder of images or None. It fetches nothing but what a
            source ``hf:OWNER/NAME`` names, and raises DataError if a source cannot be read at all.
    """

    name: str
    about: str
    read: Callable[[tuple[Path, ...], Path | None], Iterator[ImportedItem]]
