"""ShapeCodeBench as published, and new items of it from a seed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from random import Random
from typing import Any

from i2s_sdk.data.imports.items import (
    Imported,
    ImportedItem,
    ImportRequest,
    lay_down,
    read_bytes,
)
from i2s_sdk.errors import DataError
from i2s_sdk.files import reading
from i2s_sdk.json_text import read_json
from i2s_sdk.tasks.shapecode.program import SHAPES, SIDE, Shape, draw, png, read_program
from i2s_sdk.tasks.shapecode.spec import DIFFICULTIES

TASK = "shapecode"
#: The list of items in the published layout; their images are named in it, relative to its folder.
INDEX = "tasks.json"
LICENCE = "CC-BY-4.0"
#: Number of shapes, extent in pixels and width of strokes of new items: the ranges of the published ones.
_RANGES: Mapping[str, tuple[tuple[int, int], tuple[int, int], tuple[int, int]]] = {
    "easy": ((1, 3), (64, 160), (2, 6)),
    "medium": ((3, 6), (32, 128), (2, 8)),
    "hard": ((6, 10), (16, 128), (1, 10)),
}


def import_shapecodebench(request: ImportRequest) -> Imported:
    """Make a data set of ShapeCodeBench: of ``tasks.json``, or a folder with it, and the images named in it.

    Raises:
        UsageError: The output folder is not empty.
        DataError: A source cannot be read, or no item can be used.
        WriteError: The data set cannot be written.
    """
    return lay_down(_items(map(Path, request.sources)), request.out, request.sources[0])


def _items(sources: Iterator[Path]) -> Iterator[ImportedItem]:
    for source in sources:
        index = source / INDEX if source.is_dir() else source
        try:
            with reading(index):
                rows = read_json(index.read_bytes())
        except ValueError as error:
            raise DataError(index, 0, f"is not JSON: {error}") from None
        if not isinstance(rows, list):
            raise DataError(index, 0, "is no list of items")
        for number, row in enumerate(rows, start=1):
            try:
                yield _published(row, index.parent, f"{index}: item {number}")
            except (KeyError, TypeError, ValueError) as error:
                yield ImportedItem(str(number), f"{index}: item {number}", fault=f"{error}")


def _published(row: Mapping[str, Any], folder: Path, where: str) -> ImportedItem:
    program = str(row["program"])
    image = read_bytes(folder / str(row["image"]), folder)
    read_program(program)
    return _item(str(row["id"]), str(row["difficulty"]), program, image, where, LICENCE)


def _item(
    identity: str, difficulty: str, program: str, image: bytes, where: str, licence: str
) -> ImportedItem:
    return ImportedItem(
        id=identity,
        where=where,
        task=TASK,
        subset=difficulty,
        files={"image": image},
        target={"program": program},
        licence=licence,
        provenance={"benchmark": "ShapeCodeBench", "id": identity},
    )


def make_shapecode(out: Path, *, seed: int, count: int) -> Imported:
    """Make a data set of new items, which nobody has seen: their programs are drawn from the seed.

    Args:
        out: Its folder, which must not exist or be empty.
        seed: Decides all programs; the same seed gives the same ones.
        count: Number of items of each difficulty. More of them begin with the same items.

    Raises:
        UsageError: The folder is not empty.
        WriteError: It cannot be written.
    """
    return lay_down(_made(seed, count), out, f"seed {seed}")


def _made(seed: int, count: int) -> Iterator[ImportedItem]:
    for difficulty in DIFFICULTIES:
        for number in range(count):
            identity = f"made-{seed}-{difficulty}-{number:05d}"
            shapes = new_program(identity, difficulty)
            program = "\n".join(map(str, shapes))
            yield _item(identity, difficulty, program, png(draw(shapes)), identity, "CC0-1.0")


def new_program(identity: str, difficulty: str) -> tuple[Shape, ...]:
    """Return a program; each of its shapes changes the image.

    Args:
        identity: Decides it.
        difficulty: "easy", "medium" or "hard".
    """
    chance = Random(f"shapecode {identity}")  # noqa: S311 - no secrets
    numbers, extents, strokes = _RANGES[difficulty]
    wanted, before = chance.randint(*numbers), b""
    shapes: tuple[Shape, ...] = ()
    while len(shapes) < wanted:
        more = (*shapes, _new_shape(chance, difficulty, extents, strokes))
        after = draw(more).tobytes()
        if not shapes or after != before:
            shapes, before = more, after
    return shapes


def _new_shape(chance: Random, difficulty: str, extents: tuple[int, int], strokes: tuple[int, int]) -> Shape:
    name = chance.choice(list(SHAPES))
    extent = chance.randint(*extents)
    margin = extent if name.endswith("circle") else extent // 2
    # Easy shapes lie within the image; others may be cut off by its edge.
    reach = (margin, SIDE - 1 - margin) if difficulty == "easy" else (0, SIDE - 1)
    stroke = 0 if name.startswith("filled") else chance.randint(*strokes)
    return Shape(name, chance.randint(*reach), chance.randint(*reach), extent, stroke)
