"""What can be loaded, and which files each of those brings in.

A unit is one provider together with the files it consists of: its own, and those it inputs.
Units of one bundle lend each other their names: ``graphicx`` is the way to load what
``graphics.sty`` defines, because it always loads it and both are maintained together.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from i2s_wire.render.source_error import Provider, ProviderKind

from .loads import Load

_LIBRARY = re.compile(r"(?:tikz|pgf)library(pgfplots\.)?(.+)\.code\.tex$")
#: Copies of an older version that a bundle keeps, such as ``amsmath-2018-12-01.sty``.
_DATED = re.compile(r"^(.+?)[-_](?:v?\d[\d._-]*|\d{4}-\d\d-\d\d)(?:-body)?$")


@dataclass(frozen=True, slots=True)
class Scanned:
    """What the units are made from: one file of the tree.

    Attributes:
        bundle: Its bundle, as in `trees.TreeFile`.
        loads: The files that it loads.
    """

    bundle: str
    loads: tuple[Load, ...]


@dataclass(frozen=True, slots=True)
class Unit:
    """A provider and its files.

    Attributes:
        provider: How it is loaded.
        bundle: What it was installed with.
        own: Files that are part of it.
        lent: Files of other units of the bundle that it always loads.
    """

    provider: Provider
    bundle: str
    own: frozenset[str]
    lent: frozenset[str]


def provider_of(file: str) -> Provider | None:
    """Return what loads a file by its base name; None for files that only others load."""
    library = _LIBRARY.fullmatch(file)
    if library:
        kind = ProviderKind.PGFPLOTS_LIBRARY if library[1] else ProviderKind.TIKZ_LIBRARY
        return Provider(kind, library[2])
    stem, _, suffix = file.rpartition(".")
    if suffix == "sty":
        return Provider(ProviderKind.PACKAGE, stem)
    return Provider(ProviderKind.CLASS, stem) if suffix == "cls" else None


def units(files: Mapping[str, Scanned]) -> list[Unit]:
    """Return every unit of the tree, dated copies of others left out.

    Args:
        files: The scanned files by base name.
    """
    roots: dict[Provider, list[str]] = {}
    for name in files:
        provider = provider_of(name)
        if provider is not None and not _is_dated_copy(provider, files):
            roots.setdefault(provider, []).append(name)
    return [_unit(provider, names, files) for provider, names in roots.items()]


def _is_dated_copy(provider: Provider, files: Mapping[str, Scanned]) -> bool:
    dated = _DATED.match(provider.name)
    suffix = {ProviderKind.PACKAGE: ".sty", ProviderKind.CLASS: ".cls"}.get(provider.kind, ".code.tex")
    return bool(dated) and f"{dated[1]}{suffix}" in files  # type: ignore[index]


def _unit(provider: Provider, names: list[str], files: Mapping[str, Scanned]) -> Unit:
    bundle = files[names[0]].bundle
    own: set[str] = set(names)
    lent: set[str] = set()
    queue = deque((name, own) for name in names)
    while queue:
        name, reached = queue.popleft()
        for load in files[name].loads:
            target = loaded_file(load, files)
            if target is None or target in own or target in lent:
                continue
            if reached is own and provider_of(target) is None and _is_part(name, target, files):
                own.add(target)
                queue.append((target, own))
            elif load.always and files[target].bundle == bundle:
                lent.add(target)
                queue.append((target, lent))
    return Unit(provider, bundle, frozenset(own), frozenset(lent))


def _is_part(loader: str, file: str, files: Mapping[str, Scanned]) -> bool:
    """Whether an input file belongs to what inputs it, rather than to TeX at large."""
    return files[file].bundle == files[loader].bundle or not files[file].bundle


def loaded_file(load: Load, files: Collection[str]) -> str | None:
    """Return the base name of the file that a load finds in the tree; None if it finds none."""
    return next((name for name in load.names if name in files), None)
