"""Texts that are stored with a run, without the paths of the machine that made it."""

from __future__ import annotations

import re
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

#: What may follow a folder where it is the beginning of a path.
_END = r"(?=$|[/\s'\"`:;,.)\]])"


def path_remover(run: Path | str) -> Callable[[str], str]:
    """Return what replaces the folders of this machine in a text by what they are.

    The folders are those of the run, of the working folder, of the Python environment, of temporary files and
    of the user. Other paths, such as those in a sandbox, are the same on every machine.

    Args:
        run: The folder of the run, or its URL, which is not replaced.
    """
    named: dict[str, str] = {}
    for folder, name in _folders(run).items():
        for spelling in (folder, folder.resolve()):
            if len(spelling.parts) > 1:  # a user without a home has "/"
                named.setdefault(str(spelling), name)
    if not named:
        return str
    longest_first = sorted(named, key=len, reverse=True)
    pattern = re.compile(rf"(?<![\w/])(?:{'|'.join(map(re.escape, longest_first))}){_END}")
    return lambda text: pattern.sub(lambda found: named[found[0]], text)


def _folders(run: Path | str) -> Mapping[Path, str]:
    folders = {run.absolute(): "RUN"} if isinstance(run, Path) else {}
    for find, name in ((Path.cwd, "."), (lambda: Path(sys.prefix), "PYTHON"), (Path.home, "~")):
        try:
            folders.setdefault(find(), name)
        except (OSError, RuntimeError):  # the working folder was removed, or the user has no home
            continue
    folders.setdefault(Path(tempfile.gettempdir()), "TMP")
    return folders
