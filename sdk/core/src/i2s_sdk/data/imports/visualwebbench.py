"""VisualWebBench as published at Hugging Face: Parquet files of seven configurations, split ``test``.

Columns of all configurations are ``id``, ``task_type``, ``website``, ``image`` and ``image_size``; the
others depend on the task. An item of element_ground or action_ground becomes three instances: the choice of a
letter, and the box and the point, for which the model is shown the image without letters.

Source: the data set card of visualwebbench/VisualWebBench.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from i2s_sdk.data.hub import PREFIX, image_bytes
from i2s_sdk.data.imports.items import Imported, ImportedItem, ImportRequest, lay_down, parquet_rows
from i2s_sdk.errors import DataError, UsageError, require_package
from i2s_sdk.instances.images import PILLOW_PIXELS, read_header
from i2s_sdk.json_text import read_json

#: The configurations, which are named as the tasks.
CONFIGURATIONS = (
    "web_caption",
    "webqa",
    "heading_ocr",
    "element_ocr",
    "element_ground",
    "action_prediction",
    "action_ground",
)
SPLIT = "test"
LICENCE = "Apache-2.0"  # by the data set card

_GROUNDING = ("element_ground", "action_ground")
_TEXTS = ("website", "question", "elem_desc", "instruction")
_PIXELS_FROM = 2.0  # boxes with a greater coordinate are in pixels


def import_visualwebbench(request: ImportRequest) -> Imported:
    """Make a data set of VisualWebBench as it is published.

    Sources are folders with the Parquet files of a copy, anywhere below them, or such files; or
    ``hf:OWNER/NAME``, which is downloaded. Tasks are configurations; a grounding task brings its two forms.

    Raises:
        UsageError: The output folder is not empty, a package is missing, or a task has no configuration.
        DataError: A source cannot be read, or no row can be used.
        WriteError: The data set cannot be written.
    """
    for task in request.tasks:
        if task not in CONFIGURATIONS:
            raise UsageError(f"VisualWebBench has no task {task!r}; there are: {', '.join(CONFIGURATIONS)}")
    wanted = request.tasks or CONFIGURATIONS
    return lay_down(_items(request.sources, wanted), request.out, ", ".join(request.sources))


def _items(sources: Sequence[str], wanted: Sequence[str]) -> Iterator[ImportedItem]:
    """Yield the items of the rows."""
    for source in sources:
        rows = _hub_rows(source, wanted) if source.startswith(PREFIX) else _local_rows(Path(source), wanted)
        for label, number, named, columns in rows:
            where = f"{label}:{number}"
            task = named or str(columns.get("task_type"))
            if not named and task in CONFIGURATIONS and task not in wanted:
                continue
            try:
                if task not in CONFIGURATIONS:
                    raise ValueError(f"task_type {task!r} is none of {', '.join(CONFIGURATIONS)}")
                items = list(_items_of(columns, task, where))
            except (TypeError, ValueError) as error:
                items = [ImportedItem("", where, fault=str(error))]
            yield from items


#: Label of the table, number of the row, configuration if the table says it, columns.
_Row = tuple[str, int, str, Mapping[str, Any]]


def _local_rows(source: Path, wanted: Sequence[str]) -> Iterator[_Row]:
    """Yield the rows of Parquet files; the folders say which files belong to which configuration."""
    files = [source] if source.is_file() else sorted(source.rglob("*.parquet"))
    if not files:
        raise DataError(source, 0, "holds no Parquet file of VisualWebBench")
    for file in files:
        named = next((part for part in reversed(file.parts) if part in CONFIGURATIONS), "")
        if named and named not in wanted:
            continue
        for number, columns in parquet_rows(file):
            yield str(file), number, named, columns


def _hub_rows(source: str, wanted: Sequence[str]) -> Iterator[_Row]:
    require_package("datasets", "hub", f"data set {source!r}")
    import datasets  # type: ignore[import-untyped]

    for task in wanted:
        label = f"{source}/{task}"
        try:
            rows = datasets.load_dataset(source.removeprefix(PREFIX), task, split=SPLIT)
        except Exception as error:
            # The library raises errors of its own, of the hub's client, of pyarrow and of the system.
            said = " ".join(str(error).split())[:300] or type(error).__name__
            raise DataError(Path(label), 0, f"cannot be loaded: {said}") from None
        for column in ("image", "raw_image"):
            if column in rows.column_names:
                # The files are taken as they are; decoding and encoding again would make others of them.
                rows = rows.cast_column(column, datasets.Image(decode=False))
        for number, columns in enumerate(rows, start=1):
            yield label, number, task, columns


def _items_of(columns: Mapping[str, Any], task: str, where: str) -> Iterator[ImportedItem]:
    """Yield the items of a row."""
    given = str(columns.get("id", ""))
    if not given:
        raise ValueError("the row has no id")
    identity = given if given.startswith(task) else f"{task}_{given}"
    image = image_bytes(columns.get("image"))
    files = {"image": image}
    inputs: dict[str, Any] = {name: columns[name] for name in _TEXTS if isinstance(columns.get(name), str)}
    if columns.get("bbox") is not None:
        inputs["bbox"] = _ratios(_list(columns["bbox"]), image)
    if task in _GROUNDING:
        inputs["options"] = [_ratios(_list(one), image) for one in _list(columns.get("options"))]
        files["raw_image"] = image_bytes(columns.get("raw_image"))
    elif columns.get("options") is not None:
        inputs["options"] = [str(one) for one in _list(columns["options"])]
    target = _target(columns.get("answer"), task)
    provenance = {"source": f"VisualWebBench, {inputs.get('website') or 'website unknown'}"}
    item = ImportedItem(identity, where, task, SPLIT, inputs, files, target, LICENCE, provenance)
    yield item
    if "raw_image" in files:
        for form in ("box", "point"):
            plain = {"image": files["raw_image"]}
            yield replace(item, id=f"{identity}-{form}", task=f"{task}_{form}", files=plain)


def _list(value: object) -> list[Any]:
    """Return a list, which may stand in its column as JSON."""
    items = read_json(value) if isinstance(value, str) else value
    if not isinstance(items, list):
        raise ValueError(f"{repr(value)[:60]} is not a list")
    return items


def _ratios(box: Sequence[Any], image: bytes) -> list[float]:
    """Return a box in ratios of the image, whose pixels it may be in."""
    numbers = [float(one) for one in box]
    if len(numbers) != 4:
        raise ValueError(f"{numbers} is no box of four numbers")
    if max(map(abs, numbers)) <= _PIXELS_FROM:
        return numbers
    header = read_header(image, PILLOW_PIXELS)
    sides = (header.width, header.height, header.width, header.height)
    return [number / side for number, side in zip(numbers, sides, strict=True)]


def _target(answer: object, task: str) -> object:
    if task == "webqa":
        golds = answer if isinstance(answer, list) else [answer]
        return [str(gold) for gold in golds]
    if task in (*_GROUNDING, "action_prediction"):
        letter = isinstance(answer, str) and len(answer) == 1 and answer.isalpha()
        return ord(str(answer).upper()) - ord("A") if letter else int(str(answer))
    if not isinstance(answer, str):
        raise ValueError(f"answer {repr(answer)[:60]} is not a text")
    return answer
