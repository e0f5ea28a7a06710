"""Put the bundled data sets and the folder ``deploy`` into the wheel and the source distribution.

They are i2s_sdk/examples and i2s_sdk/deploy there. An editable installation needs no copy.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

#: The data sets in ``examples``: their index, and the files that it names. "." is the default data set.
DATA_SETS = (
    ".",
    "charts",
    "design2code",
    "olmocrbench",
    "omnidocbench",
    "omr",
    "readoc",
    "scimage",
    "shapecode",
    "sobench",
    "svg",
    "visualwebbench",
)
INDEX = "instances.jsonl"
#: Folders of the default data set.
DEFAULT_FOLDERS = ("references", "structures")
#: Folders of data sets with files that are not data of instances.
NOT_DATA = frozenset({"harbour-library"})
#: What else is copied: documents and recorded answers to try.
OTHER = ("try",)


class BundleData(BuildHookInterface):  # type: ignore[type-arg]
    """Adds the files to a wheel and to a source distribution, whose wheels have them from there."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Name the files. Called for editable installs too, which get none.

        Args:
            version: "standard" or "editable".
            build_data: What hatchling builds from; ``force_include`` maps files to their places.
        """
        root = Path(self.root)
        if version != "standard" or (root / "src/i2s_sdk/examples").is_dir():  # a source distribution
            return
        repository = root.parents[1]
        files = bundled_files(repository / "examples") | {
            str(file): f"i2s_sdk/{file.relative_to(repository).as_posix()}"
            for file in _files(repository / "deploy")
        }
        parent = "src/" if self.target_name == "sdist" else ""
        build_data["force_include"].update({file: f"{parent}{place}" for file, place in files.items()})


def bundled_files(examples: Path) -> dict[str, str]:
    """Return the files of the bundled data sets, each with its place in the wheel.

    Args:
        examples: The folder ``examples`` of a checkout.

    Raises:
        FileNotFoundError: The folder has no data set: this is no checkout.
    """
    if not (examples / INDEX).is_file():
        raise FileNotFoundError(f"{examples / INDEX} is missing; build the wheel in a checkout")
    folders = [examples / name for name in OTHER]
    for name in DATA_SETS:
        below = DEFAULT_FOLDERS if name == "." else _folders(examples / name)
        folders += [examples / name / one for one in below]
    files = [examples / name / INDEX for name in DATA_SETS]
    files += [file for folder in folders for file in _files(folder)]
    return {str(file): f"i2s_sdk/examples/{file.relative_to(examples).as_posix()}" for file in files}


def _folders(data_set: Path) -> list[str]:
    return sorted(path.name for path in data_set.iterdir() if path.is_dir() and path.name not in NOT_DATA)


def _files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
