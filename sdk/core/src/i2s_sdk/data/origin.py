"""Which published data sets a data set was made of; its folder says it in a file.

::

    FOLDER/origin.txt     one name in a line, such as hf:OWNER/NAME or readoc
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from i2s_sdk.writing import write_whole

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
