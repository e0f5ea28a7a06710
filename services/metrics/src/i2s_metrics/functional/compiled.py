"""Machine code for inner loops that numpy has no words for."""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar, cast

import numba

_Function = TypeVar("_Function", bound=Callable[..., object])


def compiled(function: _Function) -> _Function:
    """Compile a function at its first call, to run without the interpreter's lock.

    The code is kept on disk: in ``__pycache__`` beside the source, else below ``XDG_CACHE_HOME`` or
    ``~/.cache``; if neither can be written, each process compiles anew. ``i2s_metrics.warm``
    makes all the calls that a comparison makes.
    """
    return _compiled(function, fastmath=False)


def compiled_in_any_order(function: _Function) -> _Function:
    """Compile a function whose sums may be added up in any order: only if every result will do."""
    return _compiled(function, fastmath={"reassoc", "contract"})


def _compiled(function: _Function, fastmath: bool | set[str]) -> _Function:
    settings = vars(numba.config)
    usual = settings["CACHE_DIR"]
    # It is read while the decorator runs, and not again.
    settings["CACHE_DIR"] = str(FOLDER or "")
    try:
        machine = numba.njit(nogil=True, cache=bool(FOLDER), fastmath=fastmath, error_model="numpy")(function)
    finally:
        settings["CACHE_DIR"] = usual
    return cast(_Function, machine)


def _folder() -> Path | None:
    """Return where to keep code: a folder for exactly this source, since compiled callers hold callees."""
    here = Path(__file__).parent
    digest = hashlib.sha256()
    sources = [
        Path(__file__),
        here / "colours.py",
        here / "pixel.py",
        here / "ssim.py",
        *here.glob("ems/*.py"),
    ]
    for source in sorted(sources):
        digest.update(source.read_bytes())
    name = digest.hexdigest()[:16]
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path("~/.cache").expanduser())
    beside = here / "__pycache__" / name
    for folder in (beside, cache / "i2s-metrics" / name):
        with contextlib.suppress(OSError):  # then everything is compiled anew
            copy_compiled(beside, folder)
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError:
            continue
        if os.access(folder, os.W_OK):
            return folder
    return None


def copy_compiled(beside: Path, folder: Path) -> None:
    """Copy the code that was compiled beside the source to a folder that is not there yet.

    numba reads only from folders that it can write to. A service that was started as root and has given that
    up cannot write beside the source, if root has compiled everything before.

    Args:
        beside: The folder beside the source. Only the owner of the source can write to it.
        folder: A folder that belongs to the user of this process.

    Raises:
        OSError: A folder cannot be read or written.
    """
    if folder.exists() or not beside.is_dir():
        return
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="copied-", dir=folder.parent) as staged:
        copied = Path(staged) / folder.name
        shutil.copytree(beside, copied)
        with contextlib.suppress(OSError):  # another process was faster
            copied.rename(folder)


#: Where machine code is kept; None if it cannot be.
FOLDER = _folder()
