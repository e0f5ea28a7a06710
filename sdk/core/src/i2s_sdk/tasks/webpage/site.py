"""The files of a site: as an answer has them, and as they are sent to the renderer."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field

from i2s_sdk.tasks.repair import Repair
from i2s_sdk.tasks.structure import NO_CHOICE, Choice, Origin, Structure
from i2s_sdk.tasks.webpage.file_names import sendable


@dataclass(frozen=True, slots=True)
class SiteStructure(Structure):
    """The files of an answer, by name. ``code`` is the same as JSON."""

    files: Mapping[str, str] = field(default_factory=dict)


def site_structure(
    files: Mapping[str, str],
    origin: Origin,
    repairs: tuple[Repair, ...] = (),
    choice: Choice = NO_CHOICE,
) -> SiteStructure:
    """Return the structure of some files."""
    return SiteStructure(as_json(files), origin, repairs, choice, dict(files))


def as_json(files: Mapping[str, str]) -> str:
    """Return files as the prompt asks for them: a list of objects with filename and content."""
    listed = [{"filename": name, "content": content} for name, content in files.items()]
    return json.dumps(listed, indent=1, ensure_ascii=False)


@dataclass(frozen=True, slots=True)
class Site:
    """A site to render.

    Attributes:
        files: Written by the model, by relative name; none has the name of an asset.
        assets: Assets of the data set, at their names.
    """

    files: Mapping[str, bytes]
    assets: Mapping[str, bytes] = field(default_factory=dict)

    @property
    def source(self) -> str:
        """A line for each file, with the digest of its content."""
        everything = {**self.files, **self.assets}
        lines = (f"{hashlib.sha256(content).hexdigest()}  {name}" for name, content in everything.items())
        return "".join(f"{line}\n" for line in lines)


def site_of(files: Mapping[str, str | bytes], assets: Mapping[str, bytes]) -> Site:
    """Return the site of some files; what has the name of an asset is left out."""
    kept = {sendable(name): _bytes(content) for name, content in files.items() if name not in assets}
    return Site(kept, dict(assets))


def _bytes(content: str | bytes) -> bytes:
    return content.encode("utf-8", "surrogatepass") if isinstance(content, str) else content
