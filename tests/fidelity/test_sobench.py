"""Field matching of SO-Bench, against recorded counts of the released code."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from i2s_sdk.profile import Profile
from i2s_sdk.tasks.sobench.field_match import match_fields

pytestmark = pytest.mark.fidelity

SHARED = Path(__file__).parents[2].parent / "shared/companions/vectors/sobench_match_vectors.json"


def _counts(pred: Any, gold: Any, label: Any) -> dict[str, int]:
    nodes = list(match_fields(pred, gold, label, Profile.HELM).walk())
    right = [one.gold for one in nodes if one.matched]
    return {
        "total": sum(one.counted for one in nodes),
        "list": sum(isinstance(one, list) for one in right),
        "dict": sum(isinstance(one, dict) for one in right),
        "num": sum(isinstance(one, int | float) for one in right),
        "str": sum(isinstance(one, str) for one in right),
        "match": len(right),
    }


def test_counts_are_those_of_the_released_code() -> None:
    if not SHARED.is_file():
        pytest.skip("no shared folder beside this checkout")
    vectors = json.loads(SHARED.read_text(encoding="utf-8"))
    assert {one["name"]: _counts(one["pred"], one["gt"], one["labels"]) for one in vectors} == {
        one["name"]: one["expect"] for one in vectors
    }
