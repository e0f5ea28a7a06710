"""Schemas of what a line of a data set gives a task: JSON Schema, draft 2020-12.

A property of ``inputs`` with the format "file" is the path of a file, relative to the data set.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

#: A part of a schema.
Schema = Mapping[str, Any]

#: A file of the data set.
FILE: Schema = {"type": "string", "minLength": 1, "format": "file"}

#: Files that an answer may use: names within the archive of the target, or files of the data set.
ASSETS: Schema = {
    "type": ["array", "null"],
    "items": {
        "type": ["string", "object"],
        "properties": {"name": {"type": "string"}, "path": {"type": "string"}},
        "required": ["name", "path"],
        "additionalProperties": False,
    },
}

#: A target that is a file, with its text if that is known.
STRUCTURE: Schema = {
    "type": ["object", "null"],
    "properties": {"structure": {"type": ["string", "null"]}, "text": {"type": ["string", "null"]}},
    "additionalProperties": False,
}


def fields(required: Mapping[str, Schema], optional: Mapping[str, Schema] | None = None) -> Schema:
    """Return the schema of an object with these properties and no others."""
    return {
        "type": "object",
        "properties": {**required, **(optional or {})},
        "required": list(required),
        "additionalProperties": False,
    }


#: What a model is given that is shown an image and may use files.
IMAGE_AND_ASSETS = fields({"image": FILE}, {"assets": ASSETS})


def file_names(inputs: Schema) -> tuple[str, ...]:
    """Return the properties of ``inputs`` that are files."""
    properties: Mapping[str, Schema] = inputs.get("properties", {})
    return tuple(name for name, one in properties.items() if one.get("format") == "file")


def without_files(inputs: Schema) -> Schema:
    """Return the schema of ``inputs`` for a sample whose files are not at hand: none of them is required."""
    files = file_names(inputs)
    return {**inputs, "required": [name for name in inputs.get("required", ()) if name not in files]}
