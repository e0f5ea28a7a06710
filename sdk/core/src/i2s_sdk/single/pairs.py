"""Which pictures are compared with which: pairs of files of two folders."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from i2s_sdk.errors import DataError

SUFFIXES = (".png", ".jpg", ".jpeg", ".webp")


@dataclass(frozen=True, slots=True)
class PicturePair:
    """One comparison; ``name`` is relative to the folders."""

    name: str
    reference: Path
    prediction: Path


@dataclass(frozen=True, slots=True)
class Pairs:
    """What two folders have in common.

    Attributes:
        found: Pairs, sorted by name.
        missing: Names of references that have no prediction.
        unmatched: Names of predictions that have no reference.
    """

    found: tuple[PicturePair, ...]
    missing: tuple[str, ...] = ()
    unmatched: tuple[str, ...] = ()


def find_pairs(reference: Path, prediction: Path) -> Pairs:
    """Return the pairs of two folders, or of one picture and a folder of predictions of it.

    Files are matched by their name relative to the folder; if a picture has another suffix in the other
    folder, by the name without it, as long as only one file there has it.

    Raises:
        DataError: A folder holds no picture, or a prediction is a file and the reference a folder.
    """
    if reference.is_dir() and not prediction.is_dir():
        raise DataError(prediction, 0, f"is no folder, but {reference} is; give two folders or two pictures")
    predictions = pictures(prediction)
    if not reference.is_dir():
        return Pairs(tuple(PicturePair(name, reference, path) for name, path in predictions.items()))
    references = pictures(reference)
    by_stem = _by_stem(predictions)
    found: list[PicturePair] = []
    missing: list[str] = []
    taken: set[str] = set()
    for name, path in references.items():
        match = name if name in predictions else by_stem.get(_stem(name))
        if match is None or (match != name and match in references):
            missing.append(name)
        else:
            found.append(PicturePair(name, path, predictions[match]))
            taken.add(match)
    unmatched = tuple(name for name in predictions if name not in taken)
    return Pairs(tuple(found), tuple(missing), unmatched)


def pictures(folder: Path) -> dict[str, Path]:
    """Return the pictures of a folder and those below it, by relative name, sorted.

    Raises:
        DataError: There are none.
    """
    found = {
        path.relative_to(folder).as_posix(): path
        for path in sorted(folder.rglob("*"))
        if path.suffix.lower() in SUFFIXES and path.is_file()
    }
    if not found:
        raise DataError(folder, 0, f"holds no picture ({', '.join(SUFFIXES)})")
    return found


def _by_stem(names: Sequence[str] | dict[str, Path]) -> dict[str, str]:
    counts = Counter(_stem(name) for name in names)
    return {_stem(name): name for name in names if counts[_stem(name)] == 1}


def _stem(name: str) -> str:
    return str(PurePosixPath(name).with_suffix(""))
