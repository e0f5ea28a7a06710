"""Where data sets of earlier runs lie on this machine; runs themselves hold no paths.

::

    CACHES/i2s/data-locations/SHA256     the path of the data set whose index has this SHA-256
"""

from __future__ import annotations

import contextlib
from pathlib import Path

from i2s_sdk.cache_folders import cache_folder
from i2s_sdk.data.folder import DataSet
from i2s_sdk.errors import UsageError
from i2s_sdk.writing import write_whole

_FOLDER = "data-locations"


def data_name(data: DataSet) -> str:
    """Return the name of a data set without its path: that of its folder or file."""
    return data.folder.resolve().name


def note_location(data: DataSet) -> None:
    """Note where a data set lies; a user without a writable cache has to name it again."""
    with contextlib.suppress(OSError, RuntimeError):
        write_whole(cache_folder(_FOLDER) / data.sha256, f"{data.folder.resolve()}\n".encode(), durable=False)


def known_location(sha256: str, name: str) -> Path:
    """Return where the data set of a run lies on this machine.

    Args:
        sha256: Digest of its index.
        name: What the manifest has: its name, or its path in runs of earlier versions.

    Raises:
        UsageError: No run of this user on this machine has used it.
    """
    if Path(name).is_absolute() and Path(name).exists():
        return Path(name)
    with contextlib.suppress(OSError, RuntimeError, UnicodeDecodeError):
        return Path((cache_folder(_FOLDER) / sha256).read_text().strip())
    raise UsageError(
        f"it is not known where the data set {Path(name).name!r} of this run lies on this machine; name it "
        "with --data"
    )
