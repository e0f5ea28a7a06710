"""A JSON Schema as inspect_ai has it, which knows fewer keywords."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from i2s_sdk.models.errors import ModelAccessError

if TYPE_CHECKING:
    from inspect_ai.model import ResponseSchema


def response_schema(schema: Mapping[str, object]) -> ResponseSchema:
    """Return the schema of an answer for inspect_ai.

    Raises:
        ModelAccessError: The schema has something that inspect_ai does not pass on.
    """
    from inspect_ai.model import ResponseSchema
    from inspect_ai.util import JSONSchema

    plain = {name: value for name, value in schema.items() if name != "$schema"}
    try:
        found = JSONSchema.model_validate(plain)
    except ValueError:  # pydantic's
        found = None
    if found is None or found.model_dump(exclude_unset=True) != plain:
        raise ModelAccessError(
            "inspect_ai passes on simple JSON Schemas alone, without $ref, $defs, oneOf, const and others; "
            "ask for JSON by the text of the question, as with --set sobench_mode=fenced"
        )
    return ResponseSchema(name="answer", json_schema=found)
