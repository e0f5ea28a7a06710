"""What the files of an instance hold."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Content:
    """The files of an instance, read.

    Attributes:
        reference: The picture, encoded; empty if there is none.
        structure: The ground truth if it is text: LaTeX, LilyPond.
        site: The ground truth if it is a site: its files by relative name, assets among them.
        assets: Files that the answer may use, by name.
        text: Text of the picture, if the data set gives it.
        target: The ground truth if it is neither text nor site, as the line has it.
        inputs: What the model is given, as the line has it.
    """

    reference: bytes = field(default=b"", repr=False)
    structure: str | None = None
    site: Mapping[str, bytes] | None = None
    assets: Mapping[str, bytes] = field(default_factory=dict)
    text: str | None = None
    target: Any = None
    inputs: Mapping[str, Any] = field(default_factory=dict)

    @property
    def target_sha256(self) -> str:
        """SHA-256 of all of the ground truth that is no picture; empty if there is none."""
        site = None
        if self.site is not None:
            site = {name: hashlib.sha256(content).hexdigest() for name, content in self.site.items()}
        parts = [self.structure, site, self.text, self.target]
        if all(one is None for one in parts):
            return ""
        return hashlib.sha256(json.dumps(parts, sort_keys=True).encode("ascii")).hexdigest()
