"""Where the service keeps what it makes once."""

from __future__ import annotations

import os
from pathlib import Path


def state_folder(chosen: Path | None) -> Path:
    """Return the folder for what is made once.

    Args:
        chosen: Folder that the operator chose; None takes the default.
    """
    if chosen is not None:
        return chosen
    if os.geteuid() == 0:
        return Path("/var/cache/i2s-render-latex")
    cache = os.environ.get("XDG_CACHE_HOME")
    return (Path(cache) if cache else Path.home() / ".cache") / "i2s-render-latex"


def index_file(folder: Path) -> Path:
    """Return where the index of the TeX tree lies in a state folder."""
    return folder / "texindex.sqlite"
