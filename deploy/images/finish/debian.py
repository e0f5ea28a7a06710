"""The Debian packages of a root file system: what dpkg's database says, and which of them are needed."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

DATABASE = Path("var/lib/dpkg")
#: One file for each package, as images without dpkg have them; scanners for vulnerabilities read this folder.
INVENTORY = DATABASE / "status.d"
_RELATION = re.compile(r"\s*([a-z0-9][a-z0-9+.-]*)")


@dataclass(frozen=True)
class DebianPackage:
    """An installed package.

    Attributes:
        name: Its name, without the architecture.
        version: Its version.
        architecture: Architecture, such as amd64 or all.
        source: The source package and its version, as dpkg writes them.
        provides: Names of virtual packages that it stands for.
        depends: What it needs: of each group, one package.
        stanza: Its paragraph of dpkg's database.
    """

    name: str
    version: str
    architecture: str
    source: str
    provides: tuple[str, ...]
    depends: tuple[tuple[str, ...], ...]
    stanza: str


def installed_packages(root: Path) -> dict[str, DebianPackage]:
    """Read the database of dpkg, or the inventory that a finished image has in its place.

    Args:
        root: The root file system.

    Returns:
        The installed packages by name.
    """
    database = root / DATABASE / "status"
    texts = [database] if database.exists() else sorted((root / INVENTORY).iterdir())
    paragraphs = (one for text in texts for one in text.read_text(encoding="utf-8").split("\n\n"))
    packages = (_parsed(paragraph.strip("\n")) for paragraph in paragraphs if paragraph.strip())
    return {package.name: package for package in packages if package is not None}


def needed_packages(
    packages: Mapping[str, DebianPackage], wanted: Collection[str], without: Collection[str]
) -> set[str]:
    """Return the names of the packages that are wanted, and of all that these depend on.

    Args:
        packages: The installed packages.
        wanted: Names of packages that an image is made for.
        without: Names of packages that are not needed, although others depend on them.

    Raises:
        KeyError: A wanted package is not installed.
    """
    standing: dict[str, list[str]] = {}
    for package in packages.values():
        for virtual in package.provides:
            standing.setdefault(virtual, []).append(package.name)
    names: set[str] = set()
    pending = [packages[name].name for name in wanted]
    while pending:
        name = pending.pop()
        if name in names or name in without:
            continue
        names.add(name)
        for group in packages[name].depends:
            for alternative in group:
                pending += [alternative] if alternative in packages else standing.get(alternative, [])
    return names


def files_of(root: Path, package: DebianPackage) -> Iterator[Path]:
    """Yield the files, links and folders of a package; links in the paths to them are resolved."""
    lists = root / DATABASE / "info"
    for name in (package.name, f"{package.name}:{package.architecture}"):
        listed = lists / f"{name}.list"
        if listed.exists():
            for line in listed.read_text(encoding="utf-8").splitlines():
                path = root / line.lstrip("/")
                yield Path(os.path.realpath(path.parent)) / path.name


def _parsed(stanza: str) -> DebianPackage | None:
    """Read a paragraph of the database; None if the package is not installed."""
    fields: dict[str, str] = {}
    field = ""
    for line in stanza.splitlines():
        if line[:1].isspace():
            fields[field] += line
        else:
            field, _, value = line.partition(":")
            fields[field] = value.strip()
    if "installed" not in fields.get("Status", "installed").split():
        return None
    return DebianPackage(
        name=fields["Package"],
        version=fields["Version"],
        architecture=fields["Architecture"],
        source=fields.get("Source", fields["Package"]),
        provides=tuple(group[0] for group in _groups(fields.get("Provides", ""))),
        depends=(*_groups(fields.get("Pre-Depends", "")), *_groups(fields.get("Depends", ""))),
        stanza=stanza,
    )


def _groups(text: str) -> tuple[tuple[str, ...], ...]:
    """Read a relation such as ``a (>= 1), b | c:any``: the alternatives of each group, names alone."""
    groups = (tuple(_names(group)) for group in text.split(","))
    return tuple(group for group in groups if group)


def _names(group: str) -> Iterator[str]:
    for alternative in group.split("|"):
        match = _RELATION.match(alternative)
        if match:
            yield match.group(1)
