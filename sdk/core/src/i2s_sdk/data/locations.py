"""The places of data sets: the bundled examples, those of earlier runs here, and published origins."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable
from pathlib import Path

from i2s_sdk.data.folder import INDEX, DataSet
from i2s_sdk.errors import UsageError
from i2s_sdk.files import cache_folder, write_whole
from i2s_wire.installation import checkout_folder

#: Where sdk/core/bundle_data.py puts them when a wheel is built.
_PACKAGED = Path(__file__).resolve().parents[1] / "examples"

#: Name of the fact of a run that its data are the bundled examples, which need no ``--data``.
BUNDLED = "bundled examples"


def is_bundled(folder: Path) -> bool:
    """Return whether a folder is that of the bundled examples."""
    try:
        return folder.resolve() == examples_folder().resolve()
    except (UsageError, OSError):
        return False


def examples_folder(configured: Path | None = None) -> Path:
    """Return the folder of the bundled examples.

    Args:
        configured: What I2S_EXAMPLES or the configuration file says; taken as it is.

    Returns:
        The configured folder; else ``examples`` of the checkout that this package is used from; else the
        copy in the installed package.

    Raises:
        UsageError: There is none.
    """
    if configured is not None:
        return configured
    checkout = checkout_folder()
    folder = _PACKAGED if checkout is None else checkout / _PACKAGED.name
    if (folder / INDEX).is_file():
        return folder
    raise UsageError(
        f"the bundled examples are not in {folder}; name a data set with --data FOLDER, "
        "or where the examples are with I2S_EXAMPLES"
    )


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


#: File in the folder of a data set; may be missing.
ORIGIN = "origin.txt"

#: Bytes of the file that are read; more is not a list of names.
_MOST_BYTES = 10_000


def read_origin(folder: Path) -> tuple[str, ...]:
    """Return the names in the folder of a data set; none if it says none."""
    try:
        with (folder / ORIGIN).open("rb") as file:
            content = file.read(_MOST_BYTES)
    except OSError:
        return ()
    lines = content.decode("utf-8", "replace").splitlines()
    return tuple(dict.fromkeys(line.strip() for line in lines if line.strip()))


def write_origin(folder: Path, names: Iterable[str]) -> None:
    """Say in the folder of a data set what it was made of.

    Raises:
        OSError: It cannot be written.
    """
    write_whole(folder / ORIGIN, "".join(f"{name}\n" for name in dict.fromkeys(names)).encode())
