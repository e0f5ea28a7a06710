"""Opens the storage of a run by its path or URL."""

from __future__ import annotations

from pathlib import Path

from i2s_sdk.run.storage.local import LocalStorage
from i2s_sdk.run.storage.storage import PathOrUrl, RunStorage, is_url
from i2s_sdk.settings import Settings

#: Folders of segments, which a folder has that was copied out of a store.
_SEGMENTED = ("answers", "records")


def open_storage(where: PathOrUrl | RunStorage, settings: Settings | None = None) -> RunStorage:
    """Return the storage of a run; nothing is made or looked for, but for the layout of a local folder.

    Args:
        where: The path of a folder, or a URL that fsspec knows. A folder that was copied out of a store, and
            has segments instead of files of lines, is taken as a store. A storage is returned as it is.
        settings: Settings of stores and locks; None takes the defaults.

    Raises:
        UsageError: A package is missing that the URL needs, or nothing knows such URLs.
    """
    if not isinstance(where, Path | str):
        return where
    if is_url(where):
        from i2s_sdk.run.storage.object_store.storage import ObjectStorage

        return ObjectStorage(str(where), settings or Settings())
    folder = Path(where)
    if any((folder / name).is_dir() for name in _SEGMENTED):
        from i2s_sdk.run.storage.object_store.storage import ObjectStorage

        return ObjectStorage(folder.resolve().as_uri(), settings or Settings())
    return LocalStorage(folder, (settings or Settings()).lock_seconds)


def open_file(where: PathOrUrl, settings: Settings | None = None) -> tuple[RunStorage, str]:
    """Return the storage that a file lies in, and its name there.

    Raises:
        UsageError: See ``open_storage``.
    """
    if is_url(where):
        before, _, name = str(where).rpartition("/")
        return open_storage(before, settings), name
    path = Path(where)
    return open_storage(path.parent, settings), path.name
