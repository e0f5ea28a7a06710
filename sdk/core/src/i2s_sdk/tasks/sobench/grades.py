"""Graded answers of SO-Bench: tokens are the leaves of the JSON of the answer."""

from __future__ import annotations

import json
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import replace
from random import Random
from typing import Any

from i2s_sdk.instances.instance import Content
from i2s_sdk.tasks.graded import FEWEST_TOKENS, SPELLING, Change, Grade, Rung, another_token

_Path = tuple[str | int, ...]


def _leaves(value: Any, path: _Path = ()) -> Iterator[_Path]:  # noqa: ANN401 - JSON
    if isinstance(value, dict):
        for name, one in value.items():
            yield from _leaves(one, (*path, name))
    elif isinstance(value, list):
        for at, one in enumerate(value):
            yield from _leaves(one, (*path, at))
    elif path:
        yield path


def _with_answer(content: Content, answer: object) -> Content:
    return replace(content, target={**content.target, "answer": answer})


def _wrong(content: Content, chance: Random) -> Content | None:
    answer = deepcopy(content.target["answer"])
    leaves = list(_leaves(answer))
    if not leaves:
        return None
    *way, last = chance.choice(leaves)
    holder = answer
    for step in way:
        holder = holder[step]
    value = holder[last]
    if isinstance(value, bool) or value is None:
        holder[last] = not value
    elif isinstance(value, int | float):
        holder[last] = value + 1
    else:
        holder[last] = another_token(value, chance)
    return _with_answer(content, answer)


def _without(share: float) -> Change:
    def without(content: Content, chance: Random) -> Content | None:
        answer = content.target["answer"]
        leaves = list(_leaves(answer))
        number = round(share * len(leaves))
        if not FEWEST_TOKENS <= number < len(leaves):
            return None
        last = len(leaves) - number
        start = last if share >= 0.5 else chance.randint(0, last)
        return _with_answer(content, _pruned(answer, frozenset(leaves[start : start + number])))

    return without


def _pruned(value: Any, left_out: frozenset[_Path], path: _Path = ()) -> Any:  # noqa: ANN401 - JSON
    if isinstance(value, dict):
        return {k: _pruned(v, left_out, (*path, k)) for k, v in value.items() if (*path, k) not in left_out}
    if isinstance(value, list):
        kept = (at for at in range(len(value)) if (*path, at) not in left_out)
        return [_pruned(value[at], left_out, (*path, at)) for at in kept]
    return value


def _reversed(value: Any) -> Any:  # noqa: ANN401 - JSON
    if isinstance(value, dict):
        return {name: _reversed(one) for name, one in reversed(value.items())}
    return [_reversed(one) for one in value] if isinstance(value, list) else value


def _in_another_spelling(content: Content, _: Random) -> Content | None:
    """Return an answer whose members stand in another order."""
    answer = content.target["answer"]
    other = _reversed(answer)
    return None if json.dumps(other) == json.dumps(answer) else _with_answer(content, other)


GRADES = (
    Grade(Rung.ONE_WRONG, Rung.ONE_WRONG, _wrong),
    Grade(Rung.TENTH_MISSING, Rung.TENTH_MISSING, _without(0.1)),
    Grade(Rung.HALF_MISSING, Rung.HALF_MISSING, _without(0.5)),
    Grade(SPELLING, Rung.EQUIVALENT, _in_another_spelling),
)
