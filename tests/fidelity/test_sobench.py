"""What the released code of SO-Bench counts, recorded: fields in profile ``helm``, through the scorer."""

import json
from pathlib import Path
from typing import Any

import pytest

from i2s_sdk.scoring.scorer import Scorable
from i2s_sdk.tasks.registry import open_task
from i2s_sdk.tasks.sobench.field_match import match_fields
from i2s_wire.metrics.profile import Profile

pytestmark = pytest.mark.fidelity

SHARED = Path(__file__).parents[2].parent / "shared/companions/vectors/sobench_match_vectors.json"


@pytest.fixture(scope="module")
def vectors() -> list[dict[str, Any]]:
    if not SHARED.is_file():
        pytest.skip("the folder of recorded vectors is not here")
    found: list[dict[str, Any]] = json.loads(SHARED.read_text(encoding="utf-8"))
    return found


def _by_kind(pred: Any, gold: Any, label: Any) -> dict[str, int]:
    nodes = list(match_fields(pred, gold, label, Profile.HELM).walk())
    right = [node.gold for node in nodes if node.matched]
    return {
        "total": sum(node.counted for node in nodes),
        "list": sum(isinstance(one, list) for one in right),
        "dict": sum(isinstance(one, dict) for one in right),
        "num": sum(isinstance(one, int | float) for one in right),
        "str": sum(isinstance(one, str) for one in right),
        "match": len(right),
    }


def test_counts_are_those_of_the_released_code(vectors: list[dict[str, Any]]) -> None:
    assert {
        vector["name"]: _by_kind(vector["pred"], vector["gt"], vector["labels"]) for vector in vectors
    } == {vector["name"]: vector["expect"] for vector in vectors}


def test_the_scorer_has_the_same_counts(vectors: list[dict[str, Any]]) -> None:
    task = open_task("sobench", Profile("reference"))
    (scorer,) = task.scorers
    for vector in vectors:
        structure = task.structure_from(f"```json\n{json.dumps(vector['pred'])}\n```")
        target = {"answer": vector["gt"], "labels": vector["labels"]}
        values = scorer.score(Scorable("a", structure.code, {"schema": {}}, target))
        matches, total = values.parts["fma"]
        assert (total, matches) == (vector["expect"]["total"], vector["expect"]["match"]), vector["name"]
        assert values.metrics["fsma"] == (matches == total), vector["name"]
