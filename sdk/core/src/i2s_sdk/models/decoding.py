"""Further options of a call that decide its answer, and which providers can send them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from i2s_sdk.errors import UsageError
from i2s_sdk.json_text import read_strict_json

#: The options, by the field of ModelOptions, with their names on the command line.
FLAGS: Mapping[str, str] = {
    "top_p": "--top-p",
    "seed": "--model-seed",
    "stop": "--stop",
    "reasoning_effort": "--reasoning-effort",
    "extra_body": "--extra-body",
}

#: Fields of a request that it has from the model and the question.
_OURS = frozenset({"model", "messages", "contents", "stream", "n"})


def chosen(options: Any) -> dict[str, Any]:  # noqa: ANN401 - ModelOptions, which imports this module
    """Return the further options that were given, as they are sent to a program and kept with a run."""
    given = {name: getattr(options, name) for name in FLAGS}
    found = {name: value for name, value in given.items() if value not in (None, (), "", {})}
    return {name: list(value) if isinstance(value, tuple) else value for name, value in found.items()}


def check(options: Any) -> None:  # noqa: ANN401 - as above
    """Check the values of further options.

    Raises:
        UsageError: A value has no meaning.
    """
    if options.top_p is not None and not 0 < options.top_p <= 1:
        raise UsageError(f"--top-p {options.top_p} is not above 0 and at most 1")
    if options.top_p is not None and not options.temperature_chosen:
        raise UsageError("--top-p needs --temperature: at the default, 0, nothing is drawn")
    if "" in options.stop:
        raise UsageError("--stop with an empty text would end every answer at once")
    taken = sorted(_OURS & set(options.extra_body))
    if taken:
        raise UsageError(f"--extra-body has {', '.join(taken)}, which the model and the question decide")


def require_taken(provider: Any, options: Any) -> None:  # noqa: ANN401 - as above, and a Provider
    """Check that a provider can send the further options that were given.

    Raises:
        UsageError: It cannot send one; names it.
    """
    takes = provider.decoding
    refused = [FLAGS[name] for name in chosen(options) if name not in takes]
    if refused:
        can = ", ".join(FLAGS[name] for name in FLAGS if name in takes) or "none of these options"
        name = f"{provider.vendor}/{provider.model}"
        raise UsageError(f"model {name!r} cannot be given {', '.join(refused)}; it takes {can}")


def require_one_of_two(name: str, options: Any) -> None:  # noqa: ANN401 - as above
    """Check the options of a model that refuses top_p together with a temperature, as those of Anthropic do.

    Raises:
        UsageError: Both are given.
    """
    if options.top_p is not None and options.temperature is not None:
        raise UsageError(f"model {name!r} takes one of the two: give --top-p with --temperature none")


def parse_extra_body(text: str) -> dict[str, Any]:
    """Return the fields that a JSON text of ``--extra-body`` has.

    Raises:
        UsageError: It is no JSON object.
    """
    try:
        value = read_strict_json(text)
    except ValueError as error:
        raise UsageError(f"--extra-body is not JSON: {error}") from None
    if not isinstance(value, dict):
        raise UsageError("--extra-body is no JSON object such as '{\"top_k\": 20}'")
    return value
