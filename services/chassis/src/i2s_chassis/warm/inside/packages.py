"""Import a package of which a cell can read nothing but its own folder."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path


def load_package(folder: str) -> None:
    """Import the package in a folder, whose name is that of the folder.

    Raises:
        ImportError: There is none.
    """
    place = Path(folder)
    spec = importlib.util.spec_from_file_location(
        place.name, place / "__init__.py", submodule_search_locations=[folder]
    )
    if spec is None or spec.loader is None:
        raise ImportError(f"{folder} has no package")
    sys.modules[place.name] = module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
