"""Hostile schemas and answers, in the worker process that scores them: a reason or the right value."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio

from i2s_sdk.scoring.scorer import MetricValues, NotUsable, Scorable, ScorerLimits
from i2s_sdk.scoring.workers import ScorerWorkers
from i2s_sdk.tasks.sobench.scorer import LIMITS, StructuredOutputScorer
from i2s_wire.metrics.profile import Profile

pytestmark = pytest.mark.slow
_CHAIN: dict[str, Any] = {"a0": {"type": "string"}}
for _i in range(1, 40):
    _CHAIN[f"a{_i}"] = {"anyOf": [{"$ref": f"#/$defs/a{_i - 1}"}, {"$ref": f"#/$defs/a{_i - 1}"}]}

#: Structure, schema, gold answer: what follows from them alone is too much to compute.
TOO_MUCH: dict[str, tuple[str, Any, Any]] = {
    "a pattern that explodes": (json.dumps("a" * 40 + "!"), {"pattern": "^(a+)+$"}, "a"),
    "references that double": ("1", {"$defs": _CHAIN, "$ref": "#/$defs/a39"}, 1),
    "unique items of every kind": (
        json.dumps([{"a": [i]} for i in range(20_000)]),
        {"uniqueItems": True},
        [],
    ),
}
#: The same with whether the schema holds and how many fields match of how many, in profile reference.
VALUES: dict[str, tuple[str, Any, Any, float, tuple[float, float]]] = {
    "a megabyte of lists": (f"[{'[],' * 330_000}[]]", {"type": "object"}, ["a"], 0.0, (0.0, 1.0)),
    "a megabyte of text": (json.dumps("a" * 990_000), {"type": "string"}, "a", 1.0, (0.0, 1.0)),
    "many words": (json.dumps("a " * 495_000), {"type": "string"}, "a", 1.0, (0.0, 1.0)),
    "as deep as answers can be": ("[" * 100 + "]" * 100, {"type": "array"}, [[[]]], 1.0, (0.0, 3.0)),
    "a loop of references": ("1", {"$ref": "#"}, 1, 0.0, (1.0, 1.0)),
    "a remote reference": ("1", {"$ref": "http://127.0.0.1:9/a.json"}, 1, 0.0, (1.0, 1.0)),
    "two fields of one name": ('{"a": 1, "a": 2}', {}, {"a": 2}, 1.0, (2.0, 2.0)),
    "no number": ('{"a": NaN}', {}, {"a": 1}, 1.0, (0.0, 2.0)),
    "infinity": ("-Infinity", {"type": "number"}, 1, 1.0, (0.0, 1.0)),
    "a number without bounds": ("1e400", {"maximum": 5}, 1, 0.0, (0.0, 1.0)),
    "a large integer": ("9" * 4_000, {"type": "integer"}, 0.5, 1.0, (0.0, 1.0)),
    "a lone surrogate": ('"\\ud800"', {"type": "string", "maxLength": 1}, "\ud800", 1.0, (1.0, 1.0)),
    "a name that is a lone surrogate": ('{"\\udfff": 1}', {}, {"a": 1}, 1.0, (0.0, 1.0)),
}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def workers() -> AsyncIterator[ScorerWorkers]:
    made = ScorerWorkers(processes=1)
    yield made
    await made.close()


async def _score(
    workers: ScorerWorkers, structure: str, schema: Any, gold: Any, profile: Profile = Profile.HELM
) -> MetricValues | NotUsable:
    sample = Scorable("a", structure, {"schema": schema}, {"answer": gold, "labels": "fuzzy"})
    return await workers.score(StructuredOutputScorer(profile), sample)


def test_the_limits_are_those_of_this_scorer() -> None:
    assert ScorerLimits(cpu_seconds=2.0, memory_bytes=512 << 20) == LIMITS
    assert StructuredOutputScorer(Profile.PAPER).in_worker


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize("name", TOO_MUCH)
async def test_what_takes_too_much_is_not_usable_with_the_reason(workers: ScorerWorkers, name: str) -> None:
    found = await _score(workers, *TOO_MUCH[name])
    assert isinstance(found, NotUsable)
    assert "takes more than 2 s of CPU time" in found.reason


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize("name", VALUES)
async def test_what_can_be_computed_has_its_values(workers: ScorerWorkers, name: str) -> None:
    structure, schema, gold, valid, (matches, total) = VALUES[name]
    found = await _score(workers, structure, schema, gold)
    assert isinstance(found, MetricValues)
    assert found.metrics["followed_schema"] == valid
    assert found.parts["fma"] == (matches, total)
    assert len(json.dumps(found.detail)) < 1 << 16
    json.dumps(found.detail, ensure_ascii=False).encode("utf-8")


@pytest.mark.asyncio(loop_scope="module")
async def test_the_next_sample_is_scored(workers: ScorerWorkers) -> None:
    found = await _score(workers, '{"a": 1}', {}, {"a": 1}, Profile.PAPER)
    assert isinstance(found, MetricValues)
    assert set(found.metrics.values()) == {1.0}
