"""The reward of each task with default arguments, and what a claim of a figure counts in it."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from i2s_sdk.errors import UnknownNameError
from i2s_sdk.run.storage.record import Outcome, Record, SampleInstance, SampleRendering, SampleScore
from i2s_sdk.tasks.metrics import metrics_of
from i2s_sdk.tasks.registry import SPECS, open_task
from i2s_training.completion_scorer import RoundTripResult
from i2s_training.reward import RoundTripReward
from i2s_wire.metrics.profile import Profile
from i2s_wire.render.rendering import Verdict

ELEMENTS = ("text", "text_place", "kind", "color", "layout", "data")


def judged(task: str, metrics: Mapping[str, float | None]) -> RoundTripResult:
    rendering = SampleRendering(usable=True, verdict=Verdict.RENDERED, width=10, height=10)
    score = SampleScore(Outcome.SCORED, metrics=metrics)
    return RoundTripResult(Record(SampleInstance("a", task, "", ""), rendering=rendering, score=score))


@pytest.mark.parametrize("profile", Profile)
@pytest.mark.parametrize("task", SPECS)
def test_a_reward_with_default_arguments_asks_for_metrics_that_samples_of_its_task_have(
    task: str, profile: Profile
) -> None:
    reward = RoundTripReward(task, profile=profile)
    known = {metric.name for metric in metrics_of(open_task(task, profile))}
    assert set(reward.metrics) <= known
    values = dict.fromkeys(reward.metrics, 0.5)
    assert reward.value(judged(task, values)) == pytest.approx(0.5)


def test_the_main_metric_of_charts_is_the_mean_of_the_scores_of_elements() -> None:
    reward = RoundTripReward("chart")
    assert reward.__name__ == "chart_elements"
    values = {**dict.fromkeys(ELEMENTS, 0.0), "text": 0.6, "objects_in_image": 1.0}
    assert reward.value(judged("chart", values)) == pytest.approx(0.1)


def test_objects_that_an_image_does_not_show_earn_no_more_than_those_that_it_shows() -> None:
    claimed = {"chartmimic_text": 1.0, "text": 1.0, "ssim": 0.9, "objects_in_image": 0.25}
    published = RoundTripReward("chart", weights={"chartmimic_text": 1.0}, profile="helm")
    assert published.value(judged("chart", claimed)) == 0.25
    both = RoundTripReward("chart", weights={"ssim": 0.5, "text": 0.5}, profile="helm")
    assert both.value(judged("chart", claimed)) == pytest.approx((0.9 + 0.25) / 2)


def test_a_reward_without_the_metric_of_support_takes_others_as_they_are() -> None:
    reward = RoundTripReward("chart", weights={"text": 1.0})
    assert "objects_in_image" in reward.metrics
    assert reward.value(judged("chart", {"text": 0.75, "objects_in_image": None})) == 0.75


def test_a_distance_is_no_reward() -> None:
    assert RoundTripReward("omr").__name__ == "omr_omr_similarity"
    with pytest.raises(UnknownNameError, match="omr_ned"):
        RoundTripReward("omr", weights={"omr_ned": 1.0})
