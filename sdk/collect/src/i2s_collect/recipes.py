"""Recipes of instances whose files may not be published: where each was found, and what must come out.

A recipe is an object of JSON, one a line: "uuid", "name" (id of the instance), "task", "subset",
"difficulty", "structure_sha256", "picture_sha256" and the "provenance" of the instance as docs/collecting.md
describes it. Recipes come from strangers: nothing in one is trusted before it was checked.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from i2s_collect.candidates import Licence, SourceDocument
from i2s_collect.caps import instance_id
from i2s_collect.difficulty import DIFFICULTIES
from i2s_collect.publishing.published_rows import PROVENANCE
from i2s_collect.visiting import key_of_piece
from i2s_sdk.errors import DataError
from i2s_sdk.json_text import read_json

#: The largest file of recipes that is read, in bytes.
MAX_BYTES = 500_000_000

_SHA256 = re.compile(r"[0-9a-f]{64}")
_TEXTS = ("name", "task", "subset", "difficulty", "structure_sha256", "picture_sha256")
_PROVENANCE_TEXTS = ("source", "id", "version", "url", "member", "owner", "date", "collected", "collector")


@dataclass(frozen=True, slots=True)
class Recipe:
    """How an instance is made again.

    Attributes:
        document: Document of which it is a piece, at the version that was collected.
        task: Name of the task.
        subset: Subset of the instance.
        member: File of the document that the piece was cut from.
        span: First byte in ``member``, and the one after the last.
        difficulty: Difficulty of the instance.
        structure: SHA-256 of the structure, in hexadecimal.
        picture: SHA-256 of the picture, in hexadecimal.
        provenance: Provenance as the line of the instance has it.
    """

    document: SourceDocument
    task: str
    subset: str
    member: str
    span: tuple[int, int]
    difficulty: str
    structure: str
    picture: str
    provenance: Mapping[str, Any]

    @property
    def source(self) -> str:
        """Name of the source."""
        return str(self.provenance["source"])

    @property
    def place(self) -> str:
        """Where the piece stands in the file, if bytes do not say it."""
        return str(self.provenance.get("place", ""))

    @property
    def key(self) -> str:
        """What identifies the piece, as ``piece_key`` returns it."""
        return key_of_piece(self.document, self.subset, self.member, self.span, self.place)

    @property
    def name(self) -> str:
        """Id of the instance."""
        return instance_id(self.document, self.subset, self.key)


def read_recipes(path: Path) -> tuple[Recipe, ...]:
    """Return the recipes of a file, all of one source and task, in their order.

    Raises:
        DataError: The file cannot be read, a line is no recipe, or one names another source, task or an
            instance that an earlier line names.
    """
    try:
        if path.stat().st_size > MAX_BYTES:
            raise DataError(path, 0, f"has more than {MAX_BYTES} bytes")
        lines = path.read_bytes().split(b"\n")
    except OSError as error:
        raise DataError(path, 0, f"cannot be read: {error.strerror}") from None
    found: dict[str, Recipe] = {}
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            recipe = _recipe(read_json(line))
        except (ValueError, KeyError, TypeError) as error:
            what = f"has no {error}" if isinstance(error, KeyError) else str(error)
            raise DataError(path, number, f"is no recipe: {what}"[:300]) from None
        first = next(iter(found.values()), recipe)
        if (recipe.source, recipe.task) != (first.source, first.task):
            raise DataError(path, number, "is of another source or task than the first line")
        if recipe.name in found:
            raise DataError(path, number, f"{recipe.name!r} stands there twice")
        found[recipe.name] = recipe
    if not found:
        raise DataError(path, 0, "holds no recipe")
    return tuple(found.values())


def _recipe(line: Any) -> Recipe:  # noqa: ANN401 - what JSON holds
    """Return the recipe of a line.

    Raises:
        ValueError: A value is not what it must be.
        KeyError: One is missing.
        TypeError: A value is of another type.
    """
    if not isinstance(line, dict):
        raise ValueError("it is no object")
    _check_texts(line, _TEXTS)
    found = line["provenance"]
    if not isinstance(found, dict):
        raise ValueError("'provenance' is no object")
    if missing := sorted(PROVENANCE - set(found)):
        raise KeyError(f"provenance.{missing[0]}")
    _check_texts(found, _PROVENANCE_TEXTS)
    if type(found["length"]) is not int:
        raise ValueError("'length' is no number")
    if not all(isinstance(found[name], dict) for name in ("engine", "filters", "notes")):
        raise ValueError("'engine', 'filters' or 'notes' is no object")
    for name in ("structure_sha256", "picture_sha256"):
        if not _SHA256.fullmatch(line[name]):
            raise ValueError(f"{name!r} is no SHA-256")
    if line["difficulty"] not in ("", *DIFFICULTIES):
        raise ValueError(f"'difficulty' is none of {', '.join(DIFFICULTIES)}")
    recipe = Recipe(
        document=_document(found, line["subset"]),
        task=line["task"],
        subset=line["subset"],
        member=found["member"],
        span=_span(found["bytes"]),
        difficulty=line["difficulty"],
        structure=line["structure_sha256"],
        picture=line["picture_sha256"],
        provenance=found,
    )
    if line["name"] != recipe.name:
        raise ValueError("'name' is not that of an instance of this origin")
    return recipe


def _document(found: Mapping[str, Any], subset: str) -> SourceDocument:
    licence, attribution = found["licence"], found["attribution"]
    if not isinstance(licence, dict) or not isinstance(attribution, dict):
        raise ValueError("'licence' or 'attribution' is no object")
    _check_texts(licence, ("name", "url"))
    _check_texts(attribution, ("title", "url"))
    return SourceDocument(
        key=found["id"],
        day=date.fromisoformat(found["date"]),
        owner=found["owner"],
        licence=Licence(licence["name"], licence["url"], licence["redistributable"] is True),
        title=attribution["title"],
        authors=_texts(attribution["authors"], "authors"),
        url=attribution["url"],
        detail={"subset": subset},
        version=found["version"],
    )


def _check_texts(value: Mapping[str, Any], names: Sequence[str]) -> None:
    for name in names:
        if not isinstance(value[name], str):
            raise ValueError(f"{name!r} is no text")


def _texts(value: object, name: str) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        raise ValueError(f"{name!r} is no list of texts")
    return tuple(value)


def _span(value: object) -> tuple[int, int]:
    if not isinstance(value, list) or len(value) != 2 or not all(type(one) is int for one in value):
        raise ValueError("'bytes' is no pair of numbers")
    return value[0], value[1]
