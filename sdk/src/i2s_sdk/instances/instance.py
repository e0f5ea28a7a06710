"""One item of the benchmark."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Asset:
    """A file that the model may use.

    Attributes:
        name: Relative, as the answer refers to it.
        path: Where it lies; None where it is a member of the structure's archive.
    """

    name: str
    path: Path | None = None


@dataclass(frozen=True, slots=True)
class Instance:
    """A reference picture and what is known of it.

    Attributes:
        id: Unique within its data set.
        task: Name of its task.
        subset: Such as "equation".
        image: The reference.
        difficulty: "easy", "medium" or "hard"; empty where unknown.
        structure: The ground truth: LaTeX without preamble, LilyPond, or an archive of a site; None where
            there is none.
        text: Of the picture, where known.
        assets: What the model may use.
        source: Where it comes from, for people.
    """

    id: str
    task: str
    subset: str
    image: Path
    difficulty: str = ""
    structure: Path | None = None
    text: str | None = None
    assets: tuple[Asset, ...] = ()
    source: str = ""
