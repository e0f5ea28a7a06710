"""What an item is, and parts of schemas that several items have."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from PIL import Image

Schema = Mapping[str, Any]

TEXT: Schema = {"type": "string", "minLength": 1}
TEXT_OR_NULL: Schema = {"type": ["string", "null"]}
NUMBER: Schema = {"type": "number"}
COUNT: Schema = {"type": "integer", "minimum": 0}
FLAG: Schema = {"type": "boolean"}
DATE: Schema = {"type": "string", "pattern": r"^\d{4}-\d{2}-\d{2}$"}
TIME: Schema = {"type": "string", "pattern": r"^\d{2}:\d{2}$"}


@dataclass(frozen=True, slots=True)
class Item:
    """An item.

    Attributes:
        id: Unique within the data set; the image is ID.png.
        subset: What is drawn: receipt, table, chart, form or screen.
        difficulty: "easy", "medium" or "hard".
        intent: What the user wants of the image.
        schema: JSON Schema of the answer.
        answer: The gold answer.
        labels: How its fields are compared.
        draw: Returns the image.
    """

    id: str
    subset: str
    difficulty: str
    intent: str
    schema: Schema
    answer: Any
    labels: Any
    draw: Callable[[], Image.Image]


def record(properties: Mapping[str, Any], optional: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Return the schema of an object that has no other properties."""
    return {
        "type": "object",
        "properties": {**properties, **(optional or {})},
        "required": list(properties),
        "additionalProperties": False,
    }


def many(items: Any, least: int = 0) -> dict[str, Any]:  # noqa: ANN401
    """Return the schema of a list."""
    return {"type": "array", "items": items, "minItems": least}


def one_of(*values: str) -> dict[str, Any]:
    """Return the schema of one of several texts."""
    return {"type": "string", "enum": list(values)}


def labelled(value: Any, word: str = "exact", **other: str) -> Any:  # noqa: ANN401
    """Return labels in the shape of a value.

    Args:
        value: The gold answer.
        word: Label of all leaves that have no other.
        other: Labels of the fields of these names, wherever they are, and of all below them.
    """
    if isinstance(value, Mapping):
        return {
            name: labelled(one, other.get(name, word), **(other if name not in other else {}))
            for name, one in value.items()
        }
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [labelled(one, word, **other) for one in value]
    return word
