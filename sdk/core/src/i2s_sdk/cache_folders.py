"""Folders of the user's caches."""

from __future__ import annotations

import os
from pathlib import Path


def cache_folder(name: str) -> Path:
    """Return the folder i2s/NAME of the user's caches, below XDG_CACHE_HOME or else ~/.cache."""
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "i2s" / name
