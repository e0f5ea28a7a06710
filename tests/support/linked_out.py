"""A file of a source that a link puts outside of it."""

from __future__ import annotations

from pathlib import Path


def link_out(path: Path, outside: Path) -> None:
    """Move a file or folder to another place, and leave a link to it."""
    outside.mkdir(exist_ok=True)
    path.rename(outside / path.name)
    path.symlink_to(outside / path.name)
