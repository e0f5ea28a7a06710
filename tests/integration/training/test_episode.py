"""Episodes with real services: an answer that is corrected, and one whose services are not there."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from i2s_sdk import Settings
from i2s_sdk.data import Instance, read_folder
from i2s_training import Episode, RoundTripReward

pytestmark = pytest.mark.integration


@pytest.fixture(scope="module")
def reward(running: Settings) -> Iterator[RoundTripReward]:
    opened = RoundTripReward(floor=0.5, normalize=True, clip=True, settings=running)
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def posterior(running: Settings) -> Instance:
    assert running.examples is not None
    return read_folder(running.examples).instances[0]


def test_an_answer_is_corrected_by_what_its_observation_says(
    reward: RoundTripReward, posterior: Instance
) -> None:
    assert isinstance(posterior.structure, Path)
    truth = posterior.structure.read_text()
    episode = Episode(reward, posterior.id, turns=3)
    start = episode.reset()
    assert posterior.image is not None
    assert start.image == posterior.image.read_bytes()
    broken = episode.step(truth.replace(r"\tau", r"\taux"))
    assert (broken.verdict, broken.reward, broken.rendering) == ("COMPILE_ERROR", 0.0, None)
    assert "Undefined control sequence" in broken.error
    other = episode.step(truth.replace(r"\tau", "x"))
    assert other.reward is not None
    assert 0.0 < other.reward < 1.0
    assert other.rendering is not None
    assert other.difference is not None
    right = episode.step(truth)
    assert (right.reward, right.done, episode.final_reward) == (pytest.approx(1.0), True, right.reward)


async def test_an_episode_that_repeats_its_answer_ends(reward: RoundTripReward, posterior: Instance) -> None:
    episode = Episode(reward, posterior, turns=8)
    first = await episode.step_async(r"\[ x \]")
    again = await episode.step_async(r"\[ x \]")
    assert (first.done, again.done) == (False, True)
    assert first.reward == again.reward == episode.final_reward
