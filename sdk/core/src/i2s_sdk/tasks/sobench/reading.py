"""Reads the JSON text of an answer from a completion, and its value from that text."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from i2s_sdk.json_text import read_json, read_strict_json
from i2s_sdk.reading import fenced_blocks
from i2s_sdk.reading.json_values import mended_json
from i2s_sdk.reading.wrappers import unmarked, unwrapped_json
from i2s_sdk.tasks.repair import Repair, RepairKind
from i2s_sdk.tasks.structure import NO_CHOICE, BlockChoice, NoStructure, Origin, Structure
from i2s_wire.metrics.profile import Profile

#: Info strings of fences that hold JSON; a fence without one may hold it too.
_LANGUAGES = frozenset({"json", "jsonc", "json5", ""})
_OPENING = re.compile(r"[\[{]")
#: The beginning of JSON, or of Python's notation of it, and no bracket of prose.
_BEGINS_VALUE = re.compile(r"[\[{]\s*[\"'\[{]")
#: The most places of an answer where JSON may begin.
_MOST_PLACES = 64
_FENCE = "```"
#: A marker that some models write behind their answer.
_TURN_END = "<turn_end>"


def extract(text: str, profile: Profile) -> Structure | NoStructure:
    """Return the JSON text of an answer, which is trimmed first, or why it has none.

    ``reference`` removes every trailing character that occurs in "<turn_end>", takes what stands between the
    first two "```", letters up to a line feed at its beginning left out, else all, and reads it as Python's
    json module does: NaN and Infinity are numbers, and of two fields of one name the later one counts.

    ``paper`` takes the last fenced block of JSON that can be read, complete ones first, else all, else the
    last object, or else list, that stands within the text; marks of code and emphasis around all of it, and a
    JSON text that it is written as, are taken off. It reads strict JSON (RFC 8259): NaN, Infinity, a
    number beyond the range of floating point numbers and an object that has a name twice are faults. Faults
    with one reading (``json_values``) are a recorded repair.

    In both, nesting is bounded (``json_text.MAX_DEPTH``), and so are the digits of an integer
    (``sys.get_int_max_str_digits``).

    Args:
        text: Answer without reasoning; of ``reference`` the completion.
        profile: Profile whose rules are followed.
    """
    if profile is Profile.HELM:
        return _found(*_released_block(text.strip().rstrip(_TURN_END)), profile)
    text = text.strip()
    text = text if _FENCE in text else unmarked(text)
    if text.startswith('"') and (held := unwrapped_json(text))[:1] in ("{", "[", "`"):
        text = held
    if not text:
        return NoStructure("the completion is empty")
    faults: list[NoStructure] = []
    for candidate, origin, choice in _candidates(text):
        read = _found(candidate, origin, profile, choice)
        if isinstance(read, Structure):
            return read
        faults.append(read)
    return faults[0]


def _candidates(text: str) -> Iterator[tuple[str, Origin, BlockChoice]]:
    """Yield the texts that may be the JSON of an answer, in the order in which they are tried."""
    blocks = fenced_blocks(text)
    last_first = [
        (number, block) for number, block in enumerate(blocks, start=1) if block.language in _LANGUAGES
    ]
    last_first.sort(key=lambda one: (not one[1].closed, -one[0]))
    for number, block in last_first:
        origin = Origin.FENCE if block.closed else Origin.UNCLOSED_FENCE
        yield block.content.strip(), origin, BlockChoice.among(len(blocks), (number,))
    yield text, Origin.BARE, NO_CHOICE
    within = _within(text)
    for is_of_rank in (_is_object, _has_objects, _always):
        last = next((one for one in reversed(within) if is_of_rank(one)), None)
        if last is not None:
            yield last, Origin.BARE, NO_CHOICE
    first, end = text.find("{"), text.rfind("}")
    if not within and 0 <= first < end:
        yield text[first : end + 1], Origin.BARE, NO_CHOICE


def _is_object(text: str) -> bool:
    return text.startswith("{")


def _has_objects(text: str) -> bool:
    return "{" in text


def _always(text: str) -> bool:
    return True


def _within(text: str) -> list[str]:
    """Return the objects and lists of JSON that stand within a text, in order.

    None is looked for behind the beginning of one that cannot be read: it may be a part of that, as of an
    answer that was cut off.
    """
    texts: list[str] = []
    decoder = json.JSONDecoder(strict=False)
    position = 0
    for _ in range(_MOST_PLACES):
        place = _OPENING.search(text, position)
        if place is None:
            break
        try:
            _, position = decoder.raw_decode(text, place.start())
        except (ValueError, RecursionError):
            if _BEGINS_VALUE.match(text, place.start()):
                break
            position = place.end()
        else:
            texts.append(text[place.start() : position])
    return texts


def _released_block(text: str) -> tuple[str, Origin]:
    """Return what stands between the first two fences, or the whole text if there are not two."""
    _, opened, rest = text.partition(_FENCE)
    content, closed, _ = rest.partition(_FENCE)
    if not (opened and closed):
        return text, Origin.BARE
    header, line_feed, body = content.partition("\n")
    named = bool(line_feed) and (not header or (header.isascii() and header.isalpha()))
    return (body if named else content).strip(), Origin.FENCE


def _found(
    text: str,
    origin: Origin,
    profile: Profile,
    choice: BlockChoice = NO_CHOICE,
) -> Structure | NoStructure:
    try:
        read_answer(text, profile)
    except ValueError as error:
        mended, names = mended_json(text) if profile is Profile.PAPER else (text, ())
        if not names or not _is_readable(mended, profile):
            return NoStructure(f"the answer is not JSON: {error}")
        repair = Repair(RepairKind.MEND_JSON, ", ".join(names), str(error))
        return Structure(mended.strip(), origin, (repair,), choice)
    return Structure(text.strip(), origin, choice=choice)


def _is_readable(text: str, profile: Profile) -> bool:
    try:
        read_answer(text, profile)
    except ValueError:
        return False
    return True


def read_answer(text: str, profile: Profile) -> Any:  # noqa: ANN401 - what JSON holds
    """Return the value of a JSON text, as ``extract`` describes for each profile.

    Raises:
        ValueError: It is not JSON, or beyond a bound; the message is a sentence about it.
    """
    return read_json(text) if profile is Profile.HELM else read_strict_json(text)
