"""What of an instance a report needs to show a sample, cut to a bounded size."""

from __future__ import annotations

from typing import Any

from i2s_sdk.scoring.scorer import Scorable

_INPUTS = ("question", "elem_desc", "instruction", "bbox", "options")
_CHARACTERS = 2000
_ENTRIES = 16


def shown_detail(sample: Scorable) -> dict[str, Any]:
    """Return the inputs and the target of a sample that a report shows, as a JSON object."""
    inputs = {name: bounded(sample.inputs[name]) for name in _INPUTS if name in sample.inputs}
    return {**inputs, "target": bounded(sample.target)}


def bounded(value: Any) -> Any:  # noqa: ANN401 - a JSON value
    """Return a JSON value with long texts and long lists cut off; what is no text, number or list is None."""
    match value:
        case str():
            return value if len(value) <= _CHARACTERS else value[: _CHARACTERS - 1] + "…"
        case list() | tuple():
            return [bounded(one) for one in value[:_ENTRIES]]
        case bool() | int() | float():
            return value
    return None
