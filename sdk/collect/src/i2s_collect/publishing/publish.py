"""The published form of a collected data set: Parquet rows, data card, Croissant file, recipes."""

from __future__ import annotations

import base64
import hashlib
import io
import json
import uuid
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from importlib.resources import files
from pathlib import Path
from typing import Any

from jinja2 import Environment, StrictUndefined

from i2s_collect.collecting import COLLECTION
from i2s_sdk.data.folder import INDEX, read_folder
from i2s_sdk.data.format_2 import new_folder
from i2s_sdk.errors import DataError
from i2s_sdk.instances.instance import Instance
from i2s_sdk.json_text import read_json
from i2s_sdk.tasks.registry import task_spec

#: Columns in their order; all hold texts, but ``image``.
COLUMNS = (
    "structure",
    "text",
    "image",
    "download_url",
    "instance_name",
    "date",
    "additional_info",
    "date_scrapped",
    "file_filters",
    "compilation_info",
    "rendering_filters",
    "assets",
    "category",
    "uuid",
    "length",
    "difficulty",
    "licence",
    "attribution",
    "source_version",
    "source",
    "collected",
    "contaminated_after",
    "provenance",
)
#: Number of instances in each hundred that are held back.
HELD_BACK = 10

#: Fields of the provenance of each collected instance.
PROVENANCE = frozenset(
    {
        *("source", "id", "version", "url", "member", "bytes", "licence", "attribution", "owner", "date"),
        *("collected", "collector", "engine", "filters", "notes", "length"),
    }
)

_NAMESPACE = uuid.UUID("5c0c7a0e-2d3f-5b7e-9a55-6a3d4e1f9b21")


@dataclass(frozen=True, slots=True)
class PublishedItem:
    """An instance of a collected data set, with what is known of its origin."""

    #: Its line.
    instance: Instance
    #: Where it comes from; see docs/collecting.md.
    provenance: Mapping[str, Any]
    #: Content of the file of its ground truth; empty if it has none.
    structure: bytes
    #: Content of its image.
    picture: bytes

    @property
    def uuid(self) -> str:
        """UUIDv5 of its origin, the same in every collection."""
        origin = [self.provenance[name] for name in ("source", "id", "version", "member", "bytes")]
        origin += [self.provenance["place"]] if "place" in self.provenance else []
        return str(uuid.uuid5(_NAMESPACE, json.dumps([*origin, self.instance.subset])))

    @property
    def redistributable(self) -> bool:
        """Whether its licence permits to publish its files."""
        return self.provenance["licence"]["redistributable"] is True

    @property
    def is_held_back(self) -> bool:
        """Whether it is held back, as about a tenth is; decided by a hash of its origin."""
        return int(hashlib.sha256(self.uuid.encode()).hexdigest()[:8], 16) % 100 < HELD_BACK

    @property
    def sha256(self) -> str:
        """SHA-256 of structure and image, by which an instance that is held back can be proven later."""
        return hashlib.sha256(
            hashlib.sha256(self.structure).digest() + hashlib.sha256(self.picture).digest()
        ).hexdigest()

    def row(self, published: str) -> dict[str, Any]:
        """Return its row.

        Args:
            published: Day of publication, after which models may have seen it.
        """
        found, filters = self.provenance, dict(self.provenance["filters"])
        is_site = task_spec(self.instance.task).structure_is_site
        structure = base64.b64encode(self.structure).decode() if is_site else self.structure.decode("utf-8")
        return {
            "structure": structure,
            "text": "",
            "image": {"bytes": self.picture, "path": f"{self.uuid}.png"},
            "download_url": found["url"],
            "instance_name": self.instance.id,
            "date": found["date"],
            "additional_info": json.dumps(
                {"id": found["id"], "member": found["member"], "bytes": found["bytes"]}
            ),
            "date_scrapped": found["collected"],
            "file_filters": json.dumps(found["notes"], sort_keys=True),
            "compilation_info": json.dumps(found["engine"], sort_keys=True),
            "rendering_filters": json.dumps(filters, sort_keys=True),
            "assets": json.dumps([asset.name for asset in self.instance.assets]),
            "category": self.instance.subset,
            "uuid": self.uuid,
            "length": str(found["length"]),
            "difficulty": self.instance.difficulty,
            "licence": json.dumps(found["licence"], sort_keys=True),
            "attribution": json.dumps(found["attribution"], sort_keys=True, ensure_ascii=False),
            "source_version": found["version"],
            "source": found["source"],
            "collected": found["collected"],
            "contaminated_after": published,
            "provenance": json.dumps(found, sort_keys=True, ensure_ascii=False),
        }

    def recipe(self) -> dict[str, Any]:
        """Return how it is made again by whoever may not be given its files; see ``collect.recipes``."""
        return {
            "uuid": self.uuid,
            "name": self.instance.id,
            "task": self.instance.task,
            "subset": self.instance.subset,
            "difficulty": self.instance.difficulty,
            "structure_sha256": hashlib.sha256(self.structure).hexdigest(),
            "picture_sha256": hashlib.sha256(self.picture).hexdigest(),
            "provenance": dict(self.provenance),
        }


def read_item(instance: Instance, index: Path) -> PublishedItem:
    """Return an instance with its files.

    Args:
        instance: Its line.
        index: File that has the line.

    Raises:
        DataError: A file cannot be read, or the line has no provenance of a collection.
    """
    provenance = instance.provenance
    if missing := sorted(PROVENANCE - set(provenance)):
        raise DataError(
            index,
            0,
            f"{instance.id!r} was not collected by this program: its provenance has no {missing[0]!r}",
        )
    if instance.image is None:
        raise DataError(index, 0, f"{instance.id!r} has no picture")
    structure = b"" if instance.structure is None else _read_file(instance.structure)
    return PublishedItem(instance, provenance, structure, _read_file(instance.image))


def _read_file(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise DataError(path, 0, f"cannot be read: {error.strerror}") from None


_SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"))


def card(
    name: str,
    source: str,
    window: tuple[str, str],
    counts: Mapping[str, Mapping[str, int]],
    summary: Mapping[str, Any],
    thresholds: Mapping[str, Any],
    canary: str,
    published: str,
) -> str:
    """Return the card.

    Args:
        name: Name of the data set.
        source: Name of the source.
        window: First and last day of first publication of the instances.
        counts: Counts of each subset: "published", "recipes" and "held back".
        summary: Summary of the collection: what was dropped and why.
        thresholds: Thresholds of difficulties, by subset.
        canary: A text that stands nowhere else, for finding the data set in training data.
        published: Day of publication.
    """
    # It is Markdown, so nothing is escaped; names come from the options and closed lists of this program.
    environment = Environment(undefined=StrictUndefined, keep_trailing_newline=True, autoescape=False)  # noqa: S701
    template = environment.from_string(files(__package__).joinpath("card.md").read_text(encoding="utf-8"))
    total = sum(count["published"] for count in counts.values())
    return template.render(
        name=name,
        source=source,
        window=window,
        counts=counts,
        dropped=sorted(summary.get("dropped", {}).items()),
        thresholds=json.dumps(thresholds, indent=2, sort_keys=True),
        canary=canary,
        published=published,
        size=next((text for most, text in _SIZES if total < most), "100K<n<1M"),
    )


_CONTEXT: Mapping[str, Any] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "citeAs": "cr:citeAs",
    "column": "cr:column",
    "conformsTo": "dct:conformsTo",
    "cr": "http://mlcommons.org/croissant/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "equivalentProperty": "cr:equivalentProperty",
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "extract": "cr:extract",
    "field": "cr:field",
    "fileProperty": "cr:fileProperty",
    "fileObject": "cr:fileObject",
    "fileSet": "cr:fileSet",
    "format": "cr:format",
    "includes": "cr:includes",
    "isLiveDataset": "cr:isLiveDataset",
    "jsonPath": "cr:jsonPath",
    "key": "cr:key",
    "md5": "cr:md5",
    "parentField": "cr:parentField",
    "path": "cr:path",
    "recordSet": "cr:recordSet",
    "references": "cr:references",
    "regex": "cr:regex",
    "repeated": "cr:repeated",
    "replace": "cr:replace",
    "samplingRate": "cr:samplingRate",
    "sc": "https://schema.org/",
    "separator": "cr:separator",
    "source": "cr:source",
    "subField": "cr:subField",
    "transform": "cr:transform",
}


def croissant(
    name: str, description: str, published: str, version: str, files: Mapping[str, tuple[str, str, int]]
) -> dict[str, Any]:
    """Return the description.

    Args:
        name: Name of the data set.
        description: A sentence.
        published: Day of publication, as 2026-11-30.
        version: Version, such as 1.0.0.
        files: Files of each subset: path of the Parquet file, its SHA-256 and its size in bytes.
    """
    return {
        "@context": _CONTEXT,
        "@type": "sc:Dataset",
        "name": name,
        "conformsTo": "http://mlcommons.org/croissant/1.0",
        "description": description,
        "datePublished": published,
        "version": version,
        "license": "other",
        "distribution": [
            {
                "@type": "cr:FileObject",
                "@id": subset,
                "name": subset,
                "contentUrl": path,
                "contentSize": f"{size} B",
                "encodingFormat": "application/x-parquet",
                "sha256": digest,
            }
            for subset, (path, digest, size) in files.items()
        ],
        "recordSet": [
            {
                "@type": "cr:RecordSet",
                "@id": f"{subset}-instances",
                "name": f"{subset}-instances",
                "field": [_field(subset, column) for column in COLUMNS],
            }
            for subset in files
        ],
    }


def _field(subset: str, column: str) -> dict[str, Any]:
    source: dict[str, Any] = {"fileObject": {"@id": subset}, "extract": {"column": column}}
    if column == "image":
        source["transform"] = {"jsonPath": "bytes"}
    return {
        "@type": "cr:Field",
        "@id": f"{subset}-instances/{column}",
        "name": column,
        "dataType": "sc:ImageObject" if column == "image" else "sc:Text",
        "source": source,
    }


@dataclass(frozen=True, slots=True)
class Published:
    """The files that were written."""

    #: Counts of each subset: "published", "recipes" and "held back".
    counts: Mapping[str, Mapping[str, int]]
    #: The text that stands nowhere else.
    canary: str
    #: Relative paths.
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
        UsageError: The output folder is not empty.
        WriteError: It cannot be written.
    """
    summary, thresholds = _read_json(folder, "summary.json"), _read_json(folder, "thresholds.json")
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


def _read_json(folder: Path, name: str) -> dict[str, Any]:
    path = folder / COLLECTION / name
    try:
        stored = read_json(path.read_bytes())
    except (OSError, ValueError):
        stored = None
    if not isinstance(stored, dict):
        raise DataError(
            path, 0, "is not there or no JSON object; `i2s-sdk collect` makes it with the data set"
        )
    return stored


def _lines(path: Path, lines: Sequence[Mapping[str, Any]]) -> None:
    content = "".join(json.dumps(line, sort_keys=True, ensure_ascii=False) + "\n" for line in lines)
    path.write_text(content, encoding="utf-8")


def _parquet(items: Sequence[PublishedItem], day: date) -> bytes:
    """Return rows as a Parquet file whose images Hugging Face's package takes as such."""
    import pyarrow as arrow  # type: ignore[import-untyped]
    from pyarrow import parquet

    image = arrow.struct([("bytes", arrow.binary()), ("path", arrow.string())])
    features = {
        name: {"_type": "Image"} if name == "image" else {"dtype": "string", "_type": "Value"}
        for name in COLUMNS
    }
    schema = arrow.schema(
        [(name, image if name == "image" else arrow.string()) for name in COLUMNS],
        metadata={"huggingface": json.dumps({"info": {"features": features}})},
    )
    table = arrow.Table.from_pylist([item.row(day.isoformat()) for item in items], schema=schema)
    buffer = io.BytesIO()
    parquet.write_table(table, buffer, compression="zstd")
    return buffer.getvalue()
