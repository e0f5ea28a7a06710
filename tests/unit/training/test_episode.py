"""Episodes: the turns that answers use, the reward at their end, and what ends them."""

from __future__ import annotations

import asyncio
import io
import threading
from collections.abc import Sequence
from pathlib import Path

import pytest
from PIL import Image

from i2s_sdk.errors import DataError, ServiceUnavailableError, UsageError
from i2s_sdk.instances.instance import Instance
from i2s_sdk.run.storage.record import (
    FirstError,
    Outcome,
    Record,
    SampleAnswer,
    SampleInstance,
    SampleRendering,
    SampleScore,
)
from i2s_sdk.settings import Settings
from i2s_training import Episode, EpisodeBusyError, EpisodeOverError, RoundTripReward
from i2s_training.batch_reward import Reward, RewardRequest
from i2s_training.completion_scorer import RoundTripRequest, RoundTripResult
from i2s_wire.render.rendering import Verdict


def png(color: str = "white") -> bytes:
    file = io.BytesIO()
    Image.new("RGB", (24, 16), color).save(file, "PNG")
    return file.getvalue()


GONE = ServiceUnavailableError("nobody answers", address="a:1", method="Render", status="UNAVAILABLE")


def judged(code: str, value: float | None = 0.5, *, error: str = "") -> Reward:
    """Return the reward of an answer; of one that does not compile if there is an error."""
    verdict = Verdict.COMPILE_ERROR if error else Verdict.RENDERED
    rendering = SampleRendering(
        usable=not error,
        verdict=verdict,
        structure=code,
        error=FirstError(error, "undefined", 7, 2) if error else None,
    )
    record = Record(
        SampleInstance("1", "latex", "equation", ""),
        SampleAnswer(code),
        rendering,
        SampleScore(Outcome.SCORED, metrics={"ems": value}),
    )
    return Reward(value, RoundTripResult(record, None if error else png("black")))


class Judge(RoundTripReward):
    """A reward whose answers a test has written down."""

    def __init__(self, *rewards: Reward) -> None:
        super().__init__(settings=Settings())
        self.rewards, self.completions = list(rewards), []

    def judge_requests(self, requests: Sequence[RewardRequest]) -> list[Reward]:
        (one,) = requests
        assert isinstance(one.request, RoundTripRequest)
        self.completions.append(one.request.completion)
        return [self.rewards.pop(0)]

    async def judge_requests_async(self, requests: Sequence[RewardRequest]) -> list[Reward]:
        return self.judge_requests(requests)


def test_an_episode_begins_with_the_question_and_the_image() -> None:
    start = Episode(Judge(), png()).reset()
    text, image = start.messages[-1]["content"]
    assert "LaTeX" in text["text"]
    assert image["image_url"]["url"].startswith("data:image/png;base64,")
    assert start.image == png()


def test_the_last_answer_gives_the_reward_and_the_best_one_if_that_is_wanted() -> None:
    for final, reward in (("last", 0.25), ("best", 0.75)):
        episode = Episode(
            Judge(judged("a", 0.5), judged("b", 0.75), judged("c", 0.25)), png(), turns=3, final=final
        )
        episode.reset()
        steps = [episode.step(answer) for answer in "abc"]
        assert [step.done for step in steps] == [False, False, True]
        assert [step.turn for step in steps] == [1, 2, 3]
        assert episode.final_reward == reward
        with pytest.raises(EpisodeOverError):
            episode.step("d")


def test_an_observation_shows_the_rendering_the_difference_and_the_first_error() -> None:
    episode = Episode(Judge(judged("a"), judged("b", 0.0, error="Undefined control sequence.")), png())
    episode.reset()
    drawn, broken = episode.step("a"), episode.step("b")
    assert drawn.rendering == png("black")
    assert drawn.difference is not None
    assert drawn.verdict == "RENDERED"
    kinds = [part["type"] for part in drawn.messages[0]["content"]]
    assert kinds == ["text", "image_url", "text", "image_url", "text"]
    assert (broken.rendering, broken.difference, broken.verdict) == (None, None, "COMPILE_ERROR")
    assert (broken.error, broken.error_line) == ("Undefined control sequence.", 2)
    assert "in line 2 of your answer: Undefined control sequence." in "".join(
        part["text"] for part in broken.messages[0]["content"]
    )


def test_a_step_that_a_service_failed_uses_no_turn_and_is_no_reward() -> None:
    judge = Judge(judged("a", 0.5), Reward(None, error=GONE), judged("b", 1.0))
    episode = Episode(judge, png(), turns=2)
    episode.reset()
    episode.step("a")
    lost = episode.step("b")
    assert (lost.valid, lost.reward, lost.reason, lost.done, lost.turn) == (
        False,
        None,
        "nobody answers",
        False,
        1,
    )
    assert episode.final_reward is None  # the reward of the answer before is not that of this one
    again = episode.step("b")
    assert (again.reward, again.done, again.turn) == (1.0, True, 2)
    assert episode.final_reward == 1.0


def test_best_does_not_stand_in_for_an_answer_that_was_not_judged() -> None:
    episode = Episode(Judge(judged("a", 0.5), Reward(None, error=GONE)), png(), final="best")
    episode.step("a")
    episode.step("b")
    assert episode.final_reward is None


def test_a_fault_of_the_data_ends_the_episode_without_reward() -> None:
    episode = Episode(Judge(Reward(None, error=DataError("a.png", 0, "cannot be read"))), png())
    step = episode.step("a")
    assert (step.valid, step.done) == (False, True)
    assert "cannot be read" in step.reason
    assert episode.final_reward is None


def test_done_leaves_the_answer_before_and_is_an_answer_at_first() -> None:
    judge = Judge(judged("DONE", 0.0), judged("b", 0.5))
    episode = Episode(judge, png())
    assert not episode.step("DONE").done
    episode.step("b")
    end = episode.step("I am content.\n\nDONE")
    assert (end.verdict, end.reward, end.done, end.messages) == ("DONE", 0.5, True, [])
    assert judge.completions == ["DONE", "b"]
    assert episode.final_reward == 0.5


def test_the_same_code_again_ends_the_episode() -> None:
    episode = Episode(Judge(judged("a"), judged("a")), png(), turns=8)
    assert not episode.step("a").done
    assert episode.step("```latex\na\n```").done


def test_a_reset_begins_anew() -> None:
    episode = Episode(Judge(judged("a"), judged("a")), png(), turns=1)
    assert episode.step("a").done
    episode.reset()
    assert not episode.done
    assert episode.final_reward is None
    assert episode.step("a").turn == 1


def test_of_two_steps_at_a_time_one_is_refused() -> None:
    entered, leave = threading.Event(), threading.Event()

    class Slow(Judge):
        def judge_requests(self, requests: Sequence[RewardRequest]) -> list[Reward]:
            entered.set()
            assert leave.wait(30)
            return super().judge_requests(requests)

    episode = Episode(Slow(judged("a")), png())
    steps = []
    thread = threading.Thread(target=lambda: steps.append(episode.step("a")))
    thread.start()
    assert entered.wait(30)
    with pytest.raises(EpisodeBusyError):
        episode.step("b")
    with pytest.raises(EpisodeBusyError):
        episode.reset()
    leave.set()
    thread.join(30)
    assert [step.turn for step in steps] == [1]


async def test_steps_can_be_awaited() -> None:
    episodes = [Episode(Judge(judged("a", value)), png(), turns=1) for value in (0.25, 0.5)]
    steps = await asyncio.gather(*(episode.step_async("a") for episode in episodes))
    assert [step.reward for step in steps] == [0.25, 0.5]


@pytest.mark.parametrize("turns", [0, 17, True, 2.5, "3"])
def test_the_number_of_turns_is_bounded(turns: int) -> None:
    with pytest.raises(UsageError, match="from 1 to 16"):
        Episode(Judge(), png(), turns=turns)


def test_a_task_that_renders_nothing_and_one_that_is_not_judged_have_no_episodes() -> None:
    with pytest.raises(UsageError, match="name it in RoundTrip"):
        Episode(Judge(), Instance("1", "webpage", "css", Path("a.png")))
    with pytest.raises(UsageError, match="its answers are not rendered"):
        Episode(RoundTripReward("sobench", settings=Settings()), Instance("1", "sobench", "", Path("a.png")))


def test_services_that_are_not_there_are_no_reward(tmp_path: Path) -> None:
    nobody = "127.0.0.1:9"
    settings = Settings(render_latex=nobody, metrics=nobody, retry_seconds=0.1, start_seconds=0.1)
    reward = RoundTripReward(settings=settings)
    episode = Episode(reward, png())
    step = episode.step("$x$")
    assert (step.valid, step.done, step.turn) == (False, False, 0)
    assert nobody in step.reason
    reward.close()
