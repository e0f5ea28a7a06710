"""The weighted value of a completion: what is missing is never given to the other weights in silence."""

from __future__ import annotations

import pytest

from i2s_sdk.errors import ServiceUnavailableError
from i2s_sdk.run.storage.record import (
    Outcome,
    Record,
    SampleAnswer,
    SampleInstance,
    SampleRendering,
    SampleScore,
)
from i2s_sdk.settings import Settings
from i2s_training import RoundTripReward
from i2s_training.batch_reward import RewardRequest
from i2s_training.completion_scorer import RoundTripRequest, RoundTripResult
from i2s_wire.render.rendering import Verdict


def judged(metrics: dict[str, float | None], no_truth: str = "") -> RoundTripResult:
    rendering = SampleRendering(usable=True, verdict=Verdict.RENDERED, no_truth=no_truth)
    instance = SampleInstance("page", "webpage", "css", "")
    score = SampleScore(Outcome.SCORED, metrics=metrics)
    return RoundTripResult(Record(instance, SampleAnswer("<p>"), rendering, score))


@pytest.fixture
def reward() -> RoundTripReward:
    return RoundTripReward("webpage", weights={"ems": 0.5, "edit": 0.5})


def test_a_metric_that_the_ground_truth_could_not_give_leaves_no_reward(reward: RoundTripReward) -> None:
    why = "the ground truth was not rendered (NO_OUTPUT: There is no page.)"
    result = judged({"ems": 0.8, "edit": None}, why)
    assert reward.value(result) is None
    (missing,) = reward._rewards([RewardRequest(RoundTripRequest(b"", "<p>"))], [result])
    assert (missing.value, missing.data_fault) == (None, True)
    assert why in str(missing.error)


def test_a_metric_without_ground_truth_leaves_its_weight_to_the_others(reward: RoundTripReward) -> None:
    assert reward.value(judged({"ems": 0.8})) == 0.8
    assert reward.value(judged({"ems": 0.8, "edit": 0.4})) == pytest.approx(0.6)


def test_services_that_are_not_there_leave_no_reward_and_are_looked_for_again(
    caplog: pytest.LogCaptureFixture,
) -> None:
    nobody = "127.0.0.1:9"
    settings = Settings(render_latex=nobody, metrics=nobody, retry_seconds=0.1, start_seconds=0.1)
    reward = RoundTripReward(on_failure="none", settings=settings)
    for turn in (1, 2):
        assert reward(None, ["$x$"] * 3, image=[b"no image"] * 3) == [None] * 3
        assert len(caplog.messages) == turn
    assert "3 of 3 completions have no reward" in caplog.messages[-1]
    with pytest.raises(ServiceUnavailableError):
        RoundTripReward(settings=settings)(None, ["$x$"], image=[b"no image"])
    reward.close()
