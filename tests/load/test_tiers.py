"""Attacks have the same verdicts and pictures in every tier and for every user, or it is said why not."""

from __future__ import annotations

import pytest
from load_parts import chosen_attacks

from load_runs import quiet_verdicts
from verdict_differences import (
    EXPLAINED,
    differences_of_tiers,
    needless,
    read_explanations,
    read_records,
    unexplained,
)


def test_what_differs_between_tiers_is_explained() -> None:
    files = [quiet_verdicts(name) for name, part in chosen_attacks().items() if part.has_verdicts]
    if not files:
        pytest.skip("I2S_LOAD_PARTS chooses no attacks that have verdicts")
    records, explanations = read_records(*files), read_explanations()
    found = differences_of_tiers(records)
    missing = unexplained(found, explanations)
    assert missing == [], f"not in {EXPLAINED}:\n" + "\n".join(map(str, missing))
    assert list(needless(found, explanations, records)) == []
