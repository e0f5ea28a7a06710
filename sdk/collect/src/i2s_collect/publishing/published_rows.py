"""Rows of published data sets, in the columns of those of Image2Struct, and recipes in their place."""

from __future__ import annotations

import base64
import hashlib
import json
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from i2s_sdk.errors import DataError
from i2s_sdk.instances.instance import Instance
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
    """An instance of a collected data set, with what is known of its origin.

    Attributes:
        instance: Its line.
        provenance: Where it comes from; see docs/collecting.md.
        structure: Content of the file of its ground truth; empty if it has none.
        picture: Content of its picture.
    """

    instance: Instance
    provenance: Mapping[str, Any]
    structure: bytes
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
        """SHA-256 of structure and picture, by which an instance that is held back can be proven later."""
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
    structure = b"" if instance.structure is None else _read(instance.structure)
    return PublishedItem(instance, provenance, structure, _read(instance.image))


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise DataError(path, 0, f"cannot be read: {error.strerror}") from None
