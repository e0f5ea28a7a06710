"""Attacks have the same verdicts and images in every tier, user and place, or it is said why not."""

from __future__ import annotations

from concurrent.futures import Future
from pathlib import Path

from load_parts import attack_parts
from load_runs import keep_verdicts, quiet_verdicts
from verdict_differences import (
    EXPLAINED,
    differences_of_tiers,
    needless,
    read_explanations,
    read_records,
    unexplained,
)


def test_what_differs_between_places_is_explained(recordings: dict[str, Future[Path]]) -> None:
    files = [recording.result() for recording in recordings.values()]
    for name, part in attack_parts().items():
        if part.has_verdicts:
            keep_verdicts(name, part)
            files.append(quiet_verdicts(name))
    records, explanations = read_records(*files), read_explanations()
    found = differences_of_tiers(records)
    missing = unexplained(found, explanations)
    assert missing == [], f"not in {EXPLAINED}:\n" + "\n".join(map(str, missing))
    assert list(needless(found, explanations, records)) == []
