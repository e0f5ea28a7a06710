"""What the names of columns mean."""

from __future__ import annotations

import pytest

from i2s_sdk.report.terms import about_metric
from i2s_sdk.scoring.scorer import Metric
from i2s_sdk.tasks.metrics import metrics_of
from i2s_sdk.tasks.registry import SPECS, open_task
from i2s_wire.metrics.profile import Profile


@pytest.mark.parametrize("profile", list(Profile))
def test_every_metric_of_every_task_says_what_it_measures(profile: Profile) -> None:
    silent = [
        (task, one.name) for task in SPECS for one in metrics_of(open_task(task, profile)) if not one.summary
    ]
    assert silent == []


def test_of_a_distance_it_is_said_that_lower_is_better() -> None:
    distance = Metric("omr_ned", summary="A distance.", lower_is_better=True)
    assert about_metric(distance) == "A distance. Lower is better, 0 at best."
    similarity = Metric("ems", summary="A similarity.")
    assert about_metric(similarity) == "A similarity. Higher is better, at most 1."
