"""The libraries that programs may import: those of the extra ``libraries`` of this package, and no others.

Programs and the service share an environment, in which more may be installed: the packages of the service,
or, if somebody works on all of it, of everything else. What a program finds must not depend on that. So a
program can read and import what belongs to the chosen distributions and to what they depend on, and nothing
beside it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from i2s_chassis.errors import StartError
from i2s_wire.installation import install_command

PACKAGE = "i2s-render-python"
EXTRA = "libraries"
_OF_THE_SERVICE = frozenset({"time-machine"})
_NO_MODULES = frozenset({"bin", "__pycache__", ".."})


@dataclass(frozen=True, slots=True)
class Libraries:
    """What programs may import.

    Attributes:
        versions: Version of each distribution, by its name, in alphabetical order.
        entries: Modules, packages, folders of shared objects and metadata, by their names.
        named: The distributions that are for programs, without those that these depend on.
    """

    versions: Mapping[str, str]
    entries: Mapping[str, Path]
    named: tuple[str, ...]


def find_libraries() -> Libraries:
    """Return the libraries that are installed.

    Raises:
        StartError: One of them is not; says how to install them.
    """
    found: dict[str, Distribution] = {}
    pending = [one for one in _requirements(distribution(PACKAGE)) if _is_of_extra(one, EXTRA)]
    named = {canonicalize_name(requirement.name) for requirement in pending} - _OF_THE_SERVICE
    while pending:
        requirement = pending.pop()
        name = canonicalize_name(requirement.name)
        if name in found:
            continue
        try:
            found[name] = distribution(name)
        except PackageNotFoundError:
            command = install_command(f"{PACKAGE}[{EXTRA}]")
            raise StartError(f"the library {name} is not installed; install it with: {command}") from None
        pending += (one for one in _requirements(found[name]) if _is_wanted(one, requirement.extras))
    versions = {name: found[name].version for name in sorted(found)}
    entries = {entry: path for name in versions for entry, path in _entries(found[name])}
    return Libraries(versions, dict(sorted(entries.items())), tuple(sorted(named)))


def _requirements(one: Distribution) -> list[Requirement]:
    return [Requirement(text) for text in one.requires or ()]


def _is_of_extra(requirement: Requirement, extra: str) -> bool:
    marker = requirement.marker
    return marker is not None and marker.evaluate({"extra": extra}) and not marker.evaluate({"extra": ""})


def _is_wanted(requirement: Requirement, extras: set[str]) -> bool:
    marker = requirement.marker
    return marker is None or any(marker.evaluate({"extra": extra}) for extra in ("", *extras))


def _entries(one: Distribution) -> Iterator[tuple[str, Path]]:
    names = {file.parts[0] for file in one.files or ()} - _NO_MODULES
    for name in sorted(names):
        path = Path(str(one.locate_file(name))).resolve()
        if path.exists() and not name.endswith(".pth"):
            yield name, path


def readable(libraries: Libraries) -> tuple[Path, ...]:
    """Return what programs must be able to read of the libraries, outside of /usr."""
    paths = sorted(set(libraries.entries.values()))
    return tuple(path for path in paths if not path.is_relative_to("/usr") and os.access(path, os.R_OK))
