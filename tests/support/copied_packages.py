"""Copies installed packages and what they require into a folder, for another interpreter of this version."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable
from importlib import metadata
from pathlib import Path

_NAME = re.compile(r"[A-Za-z0-9_.-]+")


def copy_packages(folder: Path, names: Iterable[str]) -> None:
    """Copy distributions and, without extras, what they require.

    Args:
        folder: Is made, and goes into the module search path of the other interpreter.
        names: Names of distributions.
    """
    for distribution in _with_what_they_require(names):
        for file in distribution.files or ():
            # Not what lies outside of the packages, such as commands, and nothing that Python has compiled.
            if ".." not in file.parts and file.suffix != ".pyc":
                target = folder / file
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(str(file.locate()), target)


def _with_what_they_require(names: Iterable[str]) -> list[metadata.Distribution]:
    found: dict[str, metadata.Distribution] = {}
    wanted = list(names)
    while wanted:
        name = re.sub(r"[-_.]+", "-", wanted.pop()).lower()
        if name not in found:
            try:
                found[name] = metadata.distribution(name)
            except metadata.PackageNotFoundError:
                continue  # for another version of Python, or another system
            required = found[name].requires or ()
            wanted += [_NAME.match(one)[0] for one in required if "extra ==" not in one]
    return list(found.values())
