"""Writes a collected data set in the form in which it is published."""

from __future__ import annotations

import hashlib
import io
import json
import uuid
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from i2s_collect.collecting import COLLECTION
from i2s_collect.publishing.card import card
from i2s_collect.publishing.croissant import croissant
from i2s_collect.publishing.published_rows import COLUMNS, PublishedItem, read_item
from i2s_sdk.data.folder import INDEX, read_folder
from i2s_sdk.data.new_folder import new_folder
from i2s_sdk.errors import DataError, UsageError
from i2s_sdk.json_text import read_json
from i2s_wire.installation import install_command


@dataclass(frozen=True, slots=True)
class Published:
    """What was written.

    Attributes:
        counts: Counts of each subset: "published", "recipes" and "held back".
        canary: The text that stands nowhere else.
        files: Relative paths.
    """

    counts: Mapping[str, Mapping[str, int]]
    canary: str
    files: tuple[str, ...]


def publish(
    folder: Path, out: Path, name: str, *, day: date, withdrawn: frozenset[str] = frozenset()
) -> Published:
    """Write a collected data set as Parquet files with a card, a Croissant file and recipes; nothing is sent.

    Args:
        folder: Folder of the data set, which ``collect`` has made.
        out: Folder that is written; must not exist, or be empty.
        name: Name of the published data set, such as "owner/pages-2026-10".
        day: Day of publication.
        withdrawn: Ids of documents and instances that must not be published.

    Raises:
        DataError: The data set was not made by ``collect``, or a file is damaged.
        UsageError: The output folder is not empty, or pyarrow is missing.
        WriteError: It cannot be written.
    """
    summary, thresholds = _read(folder, "summary.json"), _read(folder, "thresholds.json")
    index = folder / INDEX
    by_subset: defaultdict[str, list[PublishedItem]] = defaultdict(list)
    for instance in read_folder(folder).instances:
        item = read_item(instance, index)
        if instance.id not in withdrawn and item.provenance["id"] not in withdrawn:
            by_subset[instance.subset].append(item)
    if not by_subset:
        raise DataError(index, 0, "holds no instance that may be published")
    days = sorted(item.provenance["date"] for items in by_subset.values() for item in items)
    source = next(iter(by_subset.values()))[0].provenance["source"]
    canary = str(uuid.uuid5(uuid.NAMESPACE_OID, hashlib.sha256(index.read_bytes()).hexdigest()))
    counts: dict[str, dict[str, int]] = {}
    described: dict[str, tuple[str, str, int]] = {}
    recipes: list[dict[str, Any]] = []
    held_back: list[dict[str, Any]] = []
    with new_folder(out):
        for subset, items in sorted(by_subset.items()):
            shown = [item for item in items if not item.is_held_back]
            free = [item for item in shown if item.redistributable]
            recipes += [item.recipe() for item in shown if not item.redistributable]
            held_back += [{"subset": subset, "sha256": item.sha256} for item in items if item.is_held_back]
            counts[subset] = {
                "published": len(free),
                "recipes": len(shown) - len(free),
                "held back": len(items) - len(shown),
            }
            content = _parquet(free, day)
            path = f"{subset}/validation-00000-of-00001.parquet"
            (out / subset).mkdir()
            (out / path).write_bytes(content)
            described[subset] = (path, hashlib.sha256(content).hexdigest(), len(content))
        _lines(out / "recipes.jsonl", recipes)
        _lines(out / "held-back.jsonl", held_back)
        text = f"Instances of Image2Struct from {source}, first published from {days[0]} to {days[-1]}."
        about = croissant(name, text, day.isoformat(), "1.0.0", described)
        (out / "croissant.json").write_text(json.dumps(about, indent=2) + "\n", encoding="utf-8")
        window = (days[0], days[-1])
        shown_card = card(name, source, window, counts, summary, thresholds, canary, day.isoformat())
        (out / "README.md").write_text(shown_card, encoding="utf-8")
    files = tuple(sorted(path.relative_to(out).as_posix() for path in out.rglob("*") if path.is_file()))
    return Published(counts, canary, files)


def _read(folder: Path, name: str) -> dict[str, Any]:
    path = folder / COLLECTION / name
    try:
        found = read_json(path.read_bytes())
    except (OSError, ValueError):
        found = None
    if not isinstance(found, dict):
        raise DataError(
            path, 0, "is not there or no JSON object; `i2s-sdk collect` makes it with the data set"
        )
    return found


def _lines(path: Path, found: Sequence[Mapping[str, Any]]) -> None:
    content = "".join(json.dumps(one, sort_keys=True, ensure_ascii=False) + "\n" for one in found)
    path.write_text(content, encoding="utf-8")


def _parquet(items: Sequence[PublishedItem], day: date) -> bytes:
    """Return rows as a Parquet file whose pictures Hugging Face's package takes as such."""
    try:
        import pyarrow as arrow  # type: ignore[import-untyped]
        from pyarrow import parquet
    except ImportError:
        raise UsageError(
            f"publishing needs the package pyarrow: {install_command('i2s-sdk[collect]')}"
        ) from None
    picture = arrow.struct([("bytes", arrow.binary()), ("path", arrow.string())])
    features = {
        name: {"_type": "Image"} if name == "image" else {"dtype": "string", "_type": "Value"}
        for name in COLUMNS
    }
    schema = arrow.schema(
        [(name, picture if name == "image" else arrow.string()) for name in COLUMNS],
        metadata={"huggingface": json.dumps({"info": {"features": features}})},
    )
    table = arrow.Table.from_pylist([item.row(day.isoformat()) for item in items], schema=schema)
    buffer = io.BytesIO()
    parquet.write_table(table, buffer, compression="zstd")
    return buffer.getvalue()
