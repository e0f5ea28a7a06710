"""From the name of a model to the model."""

from __future__ import annotations

from pathlib import Path

from i2s_sdk.errors import UnknownNameError, UsageError
from i2s_sdk.models.model import Model
from i2s_sdk.models.oracle import Oracle
from i2s_sdk.models.replay import Replay

#: How models are named, with what each does.
MODELS = {
    "oracle": "the ground truth: the upper bound of every metric",
    "replay:FILE": "completions recorded before: JSON lines of id and completion",
}


def open_model(name: str) -> Model:
    """Return the model that a name means.

    Raises:
        UnknownNameError: There is no such model.
        UsageError: The name lacks a part.
        DataError: The file of a replay cannot be used.
    """
    kind, _, rest = name.partition(":")
    match kind, rest:
        case "oracle", "":
            return Oracle()
        case "replay", "":
            raise UsageError("model 'replay' needs a file: replay:completions.jsonl")
        case "replay", _:
            return Replay(Path(rest))
        case _:
            raise UnknownNameError("model", name, MODELS)
