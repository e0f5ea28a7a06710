"""Find the libraries that programs may import, wherever they are installed."""

from __future__ import annotations

import importlib.machinery
import importlib.metadata
import importlib.util
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import ModuleType

_METADATA = ".dist-info"


class LibraryFinder(importlib.metadata.DistributionFinder):
    """A finder of top-level modules and of their metadata.

    Their folder cannot be listed by a program, since more is installed in it, so it is no part of the path.

    Args:
        entries: Paths of modules, packages and folders of metadata, by their names.
    """

    __module__ = "importlib.metadata"  # as a program sees it

    def __init__(self, entries: Mapping[str, str]) -> None:
        self._paths: dict[str, Path] = {}
        self._metadata: list[Path] = []
        for name, path in entries.items():
            if name.endswith(_METADATA):
                self._metadata.append(Path(path))
            else:
                self._paths.setdefault(name.partition(".")[0], Path(path))

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """Return how a top-level module is loaded, None if it is no library."""
        place = self._paths.get(fullname) if path is None else None
        if place is None:
            return None
        if not place.is_dir():
            return importlib.util.spec_from_file_location(fullname, place)
        start = place / "__init__.py"
        if start.is_file():
            return importlib.util.spec_from_file_location(
                fullname, start, submodule_search_locations=[str(place)]
            )
        spec = importlib.machinery.ModuleSpec(fullname, None, is_package=True)
        spec.submodule_search_locations = [str(place)]
        return spec

    def find_distributions(
        self, context: importlib.metadata.DistributionFinder.Context | None = None
    ) -> Iterator[importlib.metadata.Distribution]:
        """Yield the libraries of a name, or all of them."""
        wanted = None if context is None or context.name is None else _normal(context.name)
        for place in self._metadata:
            if wanted is None or _normal(place.name.partition("-")[0]) == wanted:
                yield importlib.metadata.PathDistribution(place)


def _normal(name: str) -> str:
    return name.replace("-", "_").replace(".", "_").lower()
