"""Which values of metrics are kept, and by which name."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from i2s_sdk.run.caches.entries import FolderEntries
from i2s_sdk.run.caches.scores import ComparedPair, ScoreCache
from i2s_wire.metrics.description import MetricDescription, MetricsDescription
from i2s_wire.metrics.profile import Profile
from i2s_wire.metrics.score import Direction, MetricFailure, MetricFailureKind, MetricResult, SizePolicy

PAIR = ComparedPair(b"reference", b"prediction", SizePolicy.PAD, Profile.PAPER)
EMS = MetricResult("ems", 0.1 + 0.2, parts={"block_emd": 1 / 3, "denominator": 7.0}, version="2")
NAMES = ("ems", "ssim")


def cache(folder: Path, service: str = "0.1.0", **versions: str) -> ScoreCache:
    return ScoreCache(FolderEntries(folder, 1 << 20), service, versions or {"ems": "2", "ssim": "2"})


def undefined(kind: MetricFailureKind) -> MetricResult:
    return MetricResult("ssim", failure=MetricFailure(kind, "too small"), version="2")


def test_a_value_that_is_kept_is_the_same_to_the_last_bit(tmp_path: Path) -> None:
    cache(tmp_path).keep(PAIR, [EMS])
    assert cache(tmp_path).known(PAIR, NAMES) == {"ems": EMS}
    assert cache(tmp_path).known(PAIR, ["ssim"]) == {}


@pytest.mark.parametrize("kind", MetricFailureKind, ids=lambda one: one.name)
def test_that_a_metric_is_not_defined_is_kept_and_no_other_failure(
    tmp_path: Path, kind: MetricFailureKind
) -> None:
    cache(tmp_path).keep(PAIR, [undefined(kind)])
    kept = {"ssim": undefined(kind)} if kind is MetricFailureKind.UNDEFINED else {}
    assert cache(tmp_path).known(PAIR, NAMES) == kept


@pytest.mark.parametrize(
    "other",
    [
        replace(PAIR, reference=b"other"),
        replace(PAIR, prediction=b"other"),
        replace(PAIR, reference=PAIR.prediction, prediction=PAIR.reference),
        replace(PAIR, size_policy=SizePolicy.RESIZE),
        replace(PAIR, profile=Profile.HELM),
    ],
    ids=["reference", "prediction", "exchanged", "policy", "profile"],
)
def test_a_value_is_of_its_pair_and_its_rules_alone(tmp_path: Path, other: ComparedPair) -> None:
    cache(tmp_path).keep(PAIR, [EMS])
    assert cache(tmp_path).known(other, NAMES) == {}


def test_another_version_of_a_metric_or_of_the_service_has_its_own_values(tmp_path: Path) -> None:
    cache(tmp_path).keep(PAIR, [EMS])
    assert cache(tmp_path, ems="3").known(PAIR, NAMES) == {}
    assert cache(tmp_path, service="0.2.0").known(PAIR, NAMES) == {}
    cache(tmp_path, ems="3").keep(PAIR, [EMS])
    assert cache(tmp_path, ems="3").known(PAIR, NAMES) == {}, "it is not of the service that was described"


@pytest.mark.parametrize("change", [{"versions": {"numpy": "3"}}, {"device": "cuda:0"}, {"version": "0.2"}])
def test_values_of_other_libraries_or_another_device_are_not_taken(
    tmp_path: Path, change: dict[str, Any]
) -> None:
    ems = MetricDescription(
        "ems", "", "", "2", Direction.HIGHER_IS_BETTER, 0.0, 1.0, False, (), (Profile.PAPER,), True, ""
    )
    described = MetricsDescription("metrics", "0.1", (ems,), {"numpy": "2"}, "cpu", 1, 1, 1, 1)
    entries = FolderEntries(tmp_path, 1 << 20)
    ScoreCache.of(entries, described, Profile.PAPER).keep(PAIR, [EMS])
    assert ScoreCache.of(entries, described, Profile.PAPER).known(PAIR, ["ems"]) == {"ems": EMS}
    other = ScoreCache.of(entries, replace(described, **change), Profile.PAPER)
    assert other.known(PAIR, ["ems"]) == {}


def test_a_metric_without_a_version_is_not_kept(tmp_path: Path) -> None:
    cache(tmp_path, ems="2").keep(PAIR, [replace(EMS, name="own", version="")])
    assert list(tmp_path.iterdir()) == []
