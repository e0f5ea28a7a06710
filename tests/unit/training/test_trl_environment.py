"""Episodes as TRL calls environments: its tools, its prompt, and the reward of a rollout."""

from __future__ import annotations

import inspect
import io
from collections.abc import Sequence

import pytest
from PIL import Image

from i2s_sdk.errors import DataError, ServiceUnavailableError, UsageError
from i2s_sdk.run.storage.record import (
    Outcome,
    Record,
    SampleAnswer,
    SampleInstance,
    SampleRendering,
    SampleScore,
)
from i2s_sdk.settings import Settings
from i2s_training import EpisodeEnvironment, RoundTripReward
from i2s_training.batch_reward import Reward, RewardRequest
from i2s_training.completion_scorer import RoundTripRequest, RoundTripResult
from i2s_wire.render.rendering import Verdict


def png() -> bytes:
    file = io.BytesIO()
    Image.new("RGB", (24, 16), "white").save(file, "PNG")
    return file.getvalue()


ROW = {"image": png()}
LOST = Reward(
    None, error=ServiceUnavailableError("gone", address="a:1", method="Render", status="UNAVAILABLE")
)


def judged(code: str, value: float) -> Reward:
    record = Record(
        SampleInstance("1", "latex", "equation", ""),
        SampleAnswer(code),
        SampleRendering(usable=True, verdict=Verdict.RENDERED, structure=code),
        SampleScore(Outcome.SCORED, metrics={"ems": value}),
    )
    return Reward(value, RoundTripResult(record, png()))


class Judge(RoundTripReward):
    """A reward whose answers a test has written down."""

    def __init__(self, *rewards: Reward) -> None:
        super().__init__(settings=Settings())
        self.rewards = list(rewards)
        self.completions: list[str] = []

    async def judge_requests_async(self, requests: Sequence[RewardRequest]) -> list[Reward]:
        (one,) = requests
        assert isinstance(one.request, RoundTripRequest)
        self.completions.append(one.request.completion)
        return [self.rewards.pop(0)]


def environment_of(*rewards: Reward, images: bool = True, turns: int = 3) -> EpisodeEnvironment:
    return EpisodeEnvironment.factory(Judge(*rewards), turns=turns, images=images)()


def test_the_only_tool_that_trl_finds_is_submit() -> None:
    public = {
        name
        for name, _ in inspect.getmembers(EpisodeEnvironment, predicate=inspect.isfunction)
        if not name.startswith("_")
    }
    assert public == {"reset", "get_reward", "submit"}


def test_a_row_without_prompt_gets_the_question_and_one_with_a_prompt_keeps_it() -> None:
    question = environment_of().reset(**ROW)
    assert [part["type"] for part in question] == ["text", "image", "text"]
    assert question[1]["image"].size == (24, 16)
    assert environment_of().reset(prompt=[{"role": "user", "content": "read"}], **ROW) is None
    words = environment_of(images=False).reset(**ROW)
    assert "LaTeX" in words
    assert words.endswith("with the tool submit, as a whole.")


async def test_the_reward_is_that_of_the_last_answer_and_answers_after_the_end_are_not_judged() -> None:
    environment = environment_of(judged("a", 0.25), judged("b", 0.75), turns=2)
    environment.reset(**ROW)
    seen = await environment.submit("a")
    assert [part["type"] for part in seen] == ["text", "image", "text", "image", "text"]
    await environment.submit("b")
    assert "no more answers" in str(await environment.submit("c"))
    assert await environment.get_reward() == 0.75


async def test_a_rollout_without_an_answer_is_judged_as_one_without_code() -> None:
    judge = Judge(judged("", 0.0))
    environment = EpisodeEnvironment.factory(judge, turns=3, images=True)()
    environment.reset(**ROW)
    assert await environment.get_reward() == 0.0
    assert judge.completions == [""]


async def test_an_answer_that_was_lost_is_judged_again_at_the_end() -> None:
    judge = Judge(judged("a", 0.25), LOST, judged("b", 0.75))
    environment = EpisodeEnvironment.factory(judge, turns=3, images=True)()
    environment.reset(**ROW)
    await environment.submit("a")
    assert "was not judged" in str(await environment.submit("b"))
    assert await environment.get_reward() == 0.75
    assert judge.completions == ["a", "b", "b"]


async def test_a_rollout_whose_last_answer_is_lost_twice_has_no_reward(
    caplog: pytest.LogCaptureFixture,
) -> None:
    environment = environment_of(judged("a", 0.25), LOST, LOST)
    environment.reset(**ROW)
    await environment.submit("a")
    await environment.submit("b")
    assert await environment.get_reward() is None
    assert caplog.messages == ["an episode has no reward: gone"]


async def test_a_reset_forgets_the_episode_before() -> None:
    environment = environment_of(judged("a", 0.25), judged("", 0.0))
    environment.reset(**ROW)
    await environment.submit("a")
    environment.reset(**ROW)
    assert await environment.get_reward() == 0.0


def test_a_row_that_is_at_fault_is_said_at_its_beginning() -> None:
    with pytest.raises(DataError, match="holds no instance 'nobody'"):
        environment_of().reset(instance="nobody")
    with pytest.raises(UsageError, match="needs the picture"):
        environment_of().reset(prompt="read")
