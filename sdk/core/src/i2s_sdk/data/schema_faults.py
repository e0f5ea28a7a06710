"""What is wrong with the inputs or the target of a line, by the schemas of its task."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from i2s_sdk.tasks.registry import task_spec
from i2s_sdk.tasks.schemas import without_files

if TYPE_CHECKING:
    from jsonschema import Draft202012Validator

#: Characters of a message, which quotes the value that is wrong.
_SHOWN = 200


def inputs_fault(task: str, inputs: object, *, with_files: bool = True) -> str:
    """Return what is wrong with inputs, empty for nothing.

    Args:
        task: Its name.
        inputs: Inputs as the line has them.
        with_files: Whether the files of an instance are required; a completion can be scored without.
    """
    return _fault(_validator(task, "inputs" if with_files else "inputs without files"), "inputs", inputs)


def target_fault(task: str, target: object) -> str:
    """Return what is wrong with a target, empty for nothing; a missing one (None) is nothing wrong."""
    return "" if target is None else _fault(_validator(task, "target"), "target", target)


@cache
def _validator(task: str, of: str) -> Draft202012Validator:
    from jsonschema import Draft202012Validator  # takes a tenth of a second

    spec = task_spec(task)
    schema = {
        "inputs": spec.inputs,
        "target": spec.target,
        "inputs without files": without_files(spec.inputs),
    }
    return Draft202012Validator(schema[of])


def _fault(validator: Draft202012Validator, field: str, value: object) -> str:
    from jsonschema.exceptions import best_match

    error = best_match(validator.iter_errors(value))
    if error is None:
        return ""
    where = error.json_path.replace("$", field, 1)
    said = error.message if len(error.message) <= _SHOWN else f"{error.message[:_SHOWN]}…"
    return f"{where}: {said}"
