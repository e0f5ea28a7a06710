"""What a model is asked: the system text and the message."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

#: The system text of profile ``paper``, in words of this project.
SYSTEM = """\
You read images and write what they show as one JSON value that is valid under a JSON Schema.

You get an image, a JSON Schema, and the intent of the user, which says what the data is for. Work as \
follows.

Content
- Take every value from the image. Do not guess, and do not add knowledge that the image does not show.
- Write texts as they stand in the image: same words, spelling, case and punctuation.
- If the intent asks for a part of the image, or for one of several objects in it, answer for that part \
alone.
- Keep the order of the image in lists: from top to bottom, then from left to right, unless the schema or \
the intent asks for another one.

Schema
- The answer must be valid under the schema: types, formats, enumerations, patterns, and bounds of numbers, \
texts and lists.
- Write every required property. Write no property that the schema does not declare.
- Leave an optional property out if the image does not show its value.

Placeholders
If the image does not show the value of a required property, or it cannot be read, write a placeholder:
- the default of the schema, if it has one; else its const, or the first value of its enum;
- else, by type: for a text "#", repeated until minLength is reached; for a text in the format of a date or \
a time, the first of 1970-01-01 in that format; for a number 0, or the bound nearest to 0 if 0 is not \
allowed; for a boolean false; for null null;
- for a list exactly minItems placeholders of its items; for an object all its required properties, each \
with its placeholder.

Form
- Answer with the JSON value alone, in one fenced code block that begins with ```json and ends with ```.
- Write no comment and no explanation, before, inside or after it.
"""

#: The same for the server's structured mode, which fences nothing.
SYSTEM_STRUCTURED = (
    SYSTEM.partition("\nForm\n")[0] + "\nForm\n- Answer with the JSON value alone, without explanation.\n"
)

_SCHEMA = "JSON Schema:\n```json\n{schema}\n```\n\n"
_INTENT = "User Intent: {intent}\n\n"
_REQUEST = (
    "Analyse the image by the JSON Schema and answer with the JSON value in a fenced code block (```json)."
)
_REQUEST_STRUCTURED = "Analyse the image and answer with the JSON value."


def message(schema: Any, intent: str, *, structured: bool) -> str:  # noqa: ANN401 - a JSON value
    """Return the text before the image.

    Args:
        schema: JSON Schema of the answer.
        intent: What the user wants; empty if nothing is known of it.
        structured: Whether the server is given the schema; then the text does not have it.
    """
    wanted = _INTENT.replace("{intent}", intent) if intent else ""
    if structured:
        return wanted + _REQUEST_STRUCTURED
    written = json.dumps(schema, indent=2, ensure_ascii=False)
    return _SCHEMA.replace("{schema}", written) + wanted + _REQUEST


def message_texts(*, structured: bool) -> tuple[str, ...]:
    """Return the texts of a message that are the same for all instances."""
    return (_INTENT, _REQUEST_STRUCTURED) if structured else (_SCHEMA, _INTENT, _REQUEST)


def schema_for_server(schema: Any) -> Mapping[str, object]:  # noqa: ANN401
    """Return a schema as servers take it: an object."""
    return schema if isinstance(schema, dict) else {} if schema else {"not": {}}
