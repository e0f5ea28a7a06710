"""Reads the JSON text of an answer from a completion, and its value from that text."""

from __future__ import annotations

from typing import Any

from i2s_sdk.json_text import read_json, read_strict_json
from i2s_sdk.tasks.fences import fenced_blocks
from i2s_sdk.tasks.structure import NoStructure, Origin, Structure
from i2s_wire.metrics.profile import Profile

#: Info strings of fences that hold JSON; a fence without one may hold it too.
_LANGUAGES = frozenset({"json", ""})
_FENCE = "```"
#: A marker that some models write behind their answer.
_TURN_END = "<turn_end>"


def extract(completion: str, profile: Profile) -> Structure | NoStructure:
    """Return the JSON text of a completion, which is trimmed first, or why it has none.

    ``reference`` removes every trailing character that occurs in "<turn_end>", takes what stands between the
    first two "```", letters up to a line feed at its beginning left out, else all, and reads it as Python's
    json module does: NaN and Infinity are numbers, and of two fields of one name the later one counts.

    ``paper`` removes a trailing "<turn_end>", takes the first fenced block of JSON that can be read, else
    all, and reads strict JSON (RFC 8259): NaN, Infinity, a number beyond the range of floating point numbers
    and an object that has a name twice are faults.

    In both, nesting is bounded (``json_text.MAX_DEPTH``), and so are the digits of an integer
    (``sys.get_int_max_str_digits``).
    """
    if profile is Profile.HELM:
        return _found(*_released_block(completion.strip().rstrip(_TURN_END)), profile)
    text = completion.strip().removesuffix(_TURN_END).rstrip()
    if not text:
        return NoStructure("the completion is empty")
    blocks = [one for one in fenced_blocks(text, _LANGUAGES) if one.info in _LANGUAGES]
    blocks = [one for one in blocks if one.content.strip()]
    found: Structure | NoStructure | None = None
    for block in blocks:
        origin = Origin.FENCE if block.closed else Origin.UNCLOSED_FENCE
        read = _found(block.content.strip(), origin, profile)
        if isinstance(read, Structure):
            return read
        found = found or read
    whole = _found(text, Origin.BARE, profile)
    return whole if isinstance(whole, Structure) or found is None else found


def _released_block(text: str) -> tuple[str, Origin]:
    """Return what stands between the first two fences, or the whole text if there are not two."""
    _, opened, rest = text.partition(_FENCE)
    content, closed, _ = rest.partition(_FENCE)
    if not (opened and closed):
        return text, Origin.BARE
    header, line_feed, body = content.partition("\n")
    named = bool(line_feed) and (not header or (header.isascii() and header.isalpha()))
    return (body if named else content).strip(), Origin.FENCE


def _found(text: str, origin: Origin, profile: Profile) -> Structure | NoStructure:
    try:
        read_answer(text, profile)
    except ValueError as error:
        return NoStructure(f"the answer is not JSON: {error}")
    return Structure(text.strip(), origin)


def read_answer(text: str, profile: Profile) -> Any:  # noqa: ANN401 - what JSON holds
    """Return the value of a JSON text, as ``extract`` describes for each profile.

    Raises:
        ValueError: It is not JSON, or beyond a bound; the message is a sentence about it.
    """
    return read_json(text) if profile is Profile.HELM else read_strict_json(text)
