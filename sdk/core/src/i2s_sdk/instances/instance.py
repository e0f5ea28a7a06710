"""An instance of a data set, and the content of its files."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

#: Suffixes of input files that are images.
IMAGE_SUFFIXES = frozenset({".png", ".jpg", ".jpeg", ".webp"})


@dataclass(frozen=True, slots=True)
class Asset:
    """A file that the model may use."""

    #: Relative, as the answer refers to it.
    name: str
    #: Where it lies; None if it is a member of the structure's archive.
    path: Path | None = None


@dataclass(frozen=True, slots=True)
class Instance:
    """The input of a model, the right answer, and the facts about both."""

    #: Unique within its data set.
    id: str
    #: Name of its task.
    task: str
    #: Subset, such as "equation".
    subset: str
    #: The reference image, which the model is shown; None for a task without one.
    image: Path | None
    #: "easy", "medium" or "hard"; empty if unknown.
    difficulty: str = ""
    #: The ground truth: LaTeX without preamble, LilyPond, or an archive of a site; None if there is none.
    structure: Path | None = None
    #: Text of the image, if known.
    text: str | None = None
    #: What the model may use.
    assets: tuple[Asset, ...] = ()
    #: Where it comes from, for people.
    source: str = ""
    #: What the model is given beside image and assets, as the line has it.
    inputs: Mapping[str, Any] = field(default_factory=dict)
    #: What it should answer, as the line has it; None if that is a structure, or is not known.
    target: Any = None
    #: Inputs that are files, by name; the image is among them.
    files: Mapping[str, Path] = field(default_factory=dict)
    #: Images of the pages of its document, while a model is asked page by page; otherwise empty.
    pages: tuple[Path, ...] = ()
    #: Licence of image and target, such as "CC-BY-4.0"; empty if unknown.
    licence: str = ""
    #: Where they come from, as data.
    provenance: Mapping[str, Any] = field(default_factory=dict)

    @property
    def images(self) -> tuple[Path, ...]:
        """Its image, and the other input files that are images by their suffix."""
        others = [
            path
            for path in self.files.values()
            if path != self.image and path.suffix.lower() in IMAGE_SUFFIXES
        ]
        return (*([self.image] if self.image is not None else []), *others)

    @property
    def file(self) -> Path:
        """A file of it, by which messages name it."""
        return self.image or self.structure or Path(self.id)


@dataclass(frozen=True, slots=True)
class Content:
    """The files of an instance, read."""

    #: The image, encoded; empty if there is none.
    reference: bytes = field(default=b"", repr=False)
    #: The ground truth if it is text: LaTeX, LilyPond.
    structure: str | None = None
    #: The ground truth if it is a site: its files by relative name, assets among them.
    site: Mapping[str, bytes] | None = None
    #: Files that the answer may use, by name.
    assets: Mapping[str, bytes] = field(default_factory=dict)
    #: Text of the image, if the data set gives it.
    text: str | None = None
    #: The ground truth if it is neither text nor site, as the line has it.
    target: Any = None
    #: What the model is given, as the line has it.
    inputs: Mapping[str, Any] = field(default_factory=dict)

    @property
    def target_sha256(self) -> str:
        """SHA-256 of all of the ground truth that is not an image; empty if there is none."""
        site = None
        if self.site is not None:
            site = {name: hashlib.sha256(content).hexdigest() for name, content in self.site.items()}
        parts = [self.structure, site, self.text, self.target]
        if all(part is None for part in parts):
            return ""
        return hashlib.sha256(json.dumps(parts, sort_keys=True).encode("ascii")).hexdigest()
