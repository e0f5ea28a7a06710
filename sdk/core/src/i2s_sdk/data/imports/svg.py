"""SVG data sets as they are released: svg-stack and its kin in Parquet, folders of SVG and images."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from i2s_sdk.data.hub import image_bytes
from i2s_sdk.data.imports.items import (
    Imported,
    ImportedItem,
    ImportRequest,
    lay_down,
    parquet_rows,
    read_bytes,
)
from i2s_sdk.errors import DataError

TASK = "svg"
#: Columns of Parquet files, whose names differ in case between the releases.
CODE, NAME, IMAGE = ("svg", "svg_text", "code"), ("filename", "id", "name"), ("image", "png")
#: Suffixes of the image beside an SVG file, in the order in which they are looked for.
IMAGES = (".png", ".webp", ".jpg", ".jpeg")


def import_svg(request: ImportRequest) -> Imported:
    """Make a data set of SVG images and what they look like.

    Sources are Parquet files with a column ``Svg`` and one ``image``, and folders with such files or with SVG
    files, each beside an image of its name; ``--images`` names a folder of images by the names of the items.

    Raises:
        UsageError: The output folder is not empty, or a package is missing.
        DataError: A source cannot be read, or no item can be used.
        WriteError: The data set cannot be written.
    """
    return lay_down(_items(request), request.out, ", ".join(request.sources))


def _items(request: ImportRequest) -> Iterator[ImportedItem]:
    for source in map(Path, request.sources):
        if not source.exists():
            raise DataError(source, 0, "is not there")
        files = sorted(source.rglob("*")) if source.is_dir() else [source]
        for file in files:
            if file.suffix == ".parquet":
                for number, columns in parquet_rows(file):
                    yield _item(f"{file.stem}-{number}", f"{file}:{number}", columns, request)
            elif file.suffix == ".svg" and file.is_file():
                name = file.relative_to(source).with_suffix("").as_posix() if source.is_dir() else file.stem
                yield _of_file(file, name, source if source.is_dir() else source.parent, request.images)


def _item(identity: str, where: str, columns: Mapping[str, Any], request: ImportRequest) -> ImportedItem:
    values = {name.lower(): value for name, value in columns.items() if value is not None}
    code = next((values[name] for name in CODE if name in values), None)
    name = str(next((values[one] for one in NAME if one in values), identity))
    try:
        if not isinstance(code, str):
            raise ValueError(f"the row has no column of {', '.join(CODE)}")
        column = next((values[one] for one in IMAGE if one in values), None)
        images = request.images
        image = image_bytes(column) if column is not None else _beside(images, Path(name).stem, images)
        return _found(name, where, image, code.encode("utf-8", "replace"))
    except ValueError as error:
        return ImportedItem(name, where, fault=str(error))


def _of_file(file: Path, name: str, root: Path, images: Path | None) -> ImportedItem:
    try:
        image = _beside(images or file.parent, file.stem, images or root)
        return _found(name, str(file), image, read_bytes(file, root))
    except ValueError as error:
        return ImportedItem(name, str(file), fault=str(error))


def _beside(folder: Path | None, stem: str, root: Path | None) -> bytes:
    """Return the image of a name in a folder, which lies in the folder of the source.

    Raises:
        ValueError: There is none.
    """
    paths = [folder / f"{stem}{suffix}" for suffix in IMAGES] if folder is not None else []
    path = next((path for path in paths if path.is_file()), None)
    if root is None or path is None:
        raise ValueError(f"there is no image {stem}.png; draw it with: i2s-sdk render svg {stem}.svg")
    return read_bytes(path, root)


def _found(name: str, where: str, image: bytes, code: bytes) -> ImportedItem:
    return ImportedItem(
        id=name,
        where=where,
        task=TASK,
        subset=TASK,
        files={"image": image},
        structure=code,
        provenance={"source": where},
    )
