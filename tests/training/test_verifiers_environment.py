"""Episodes in verifiers' own rollouts: what the model says is written down here."""

from __future__ import annotations

import hashlib
import sys
from typing import Any

import pytest
import verifiers.v1 as vf
from verifiers.v1.configs.agent import WireAgentConfig
from verifiers.v1.utils.loaders import environment_class, load_taskset

from chat_server import ChatServer
from i2s_sdk.data import Instance
from i2s_verifiers.environment import RoundTripEnv
from i2s_verifiers.taskset import RoundTripTasksetConfig, _reward
from kept_services import REPOSITORY

sys.path.append(str(REPOSITORY / "examples" / "integrations"))

from verifiers_environment import AGENT, FLOOR, play

ID = "i2s-verifiers"

pytestmark = pytest.mark.usefixtures("found_by_name")


def model(instance: Instance, *answers: str) -> ChatServer:
    """Return a model that gives these answers, one a turn."""
    questions = {hashlib.sha256(instance.file.read_bytes()).hexdigest(): "it"}
    names = ["it", *(f"it {turn}" for turn in range(2, len(answers) + 1))]
    return ChatServer(dict(zip(names, answers, strict=True)), questions)


async def played(server: ChatServer, agent: dict[str, Any] | None = None, **rules: Any) -> vf.Episode:
    """Return the episode of the first instance, as the example plays it."""
    given = {**AGENT, "harness": {"id": "in-process-harness"}, **(agent or {})}
    with server.serving():
        (episode,) = await play(server.base, "written-down", 1, given, **rules)
    return episode


async def only_trace(server: ChatServer, agent: dict[str, Any] | None = None, **config: Any) -> vf.Trace:
    episode = await played(server, agent, **config)
    assert not episode.errors
    (trace,) = episode.traces
    return trace


def test_verifiers_finds_the_environment_with_the_taskset_and_can_replay_its_runs() -> None:
    assert environment_class(ID) is RoundTripEnv
    assert issubclass(RoundTripEnv, vf.SingleAgentEnv)


async def test_with_one_turn_the_model_is_asked_once(posterior: Instance, broken: str, truth: str) -> None:
    trace = await only_trace(model(posterior, broken, truth), turns=1)
    assert trace.num_turns == 1
    assert trace.reward == -1.0
    assert "turns" not in trace.metrics


async def test_a_broken_answer_is_shown_its_error_and_may_be_corrected(
    posterior: Instance, broken: str, truth: str
) -> None:
    server = model(posterior, broken, truth, "DONE")
    trace = await only_trace(server, turns=3)
    assert trace.num_turns == 3
    assert trace.reward == pytest.approx(1.0)
    assert trace.metrics["turns"] == 2.0
    assert trace.metrics["first_turn"] == -1.0
    assert trace.metrics["ems"] == pytest.approx(1.0)
    assert trace.info["episode"] == {"answer": truth.strip(), "rewards": [-1.0, pytest.approx(1.0)]}
    second, third = server.conversations["it 2"], server.conversations["it 3"]
    assert [one["role"] for one in second] == ["user", "assistant", "user"]
    assert "could not be rendered" in str(second[-1]["content"])
    assert "The first error is" in str(second[-1]["content"])
    assert [part["type"] for part in third[-1]["content"]].count("image_url") == 2, "rendering and difference"


@pytest.mark.parametrize(("final", "reward", "usable"), [("last", -1.0, 0.0), ("best", 1.0, 1.0)])
async def test_the_reward_is_that_of_the_last_answer_or_of_the_best_one(
    posterior: Instance, broken: str, truth: str, final: str, reward: float, usable: float
) -> None:
    trace = await only_trace(model(posterior, truth, broken), turns=2, final=final)
    assert trace.reward == pytest.approx(reward)
    assert trace.metrics["usable"] == usable
    assert trace.metrics["first_turn"] == pytest.approx(1.0)


async def test_an_episode_that_a_limit_of_verifiers_ends_has_the_reward_so_far(
    posterior: Instance, broken: str, truth: str
) -> None:
    trace = await only_trace(model(posterior, truth, broken), {"max_turns": 1}, turns=3)
    assert trace.num_turns == 1
    assert trace.reward == pytest.approx(1.0)
    assert trace.metrics["turns"] == 1.0


async def test_an_answer_that_could_not_be_judged_is_an_error_and_no_reward(
    posterior: Instance, truth: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("I2S_RENDER_LATEX", "I2S_METRICS"):
        monkeypatch.setenv(name, "127.0.0.1:9")
    for name in ("I2S_RETRY_SECONDS", "I2S_START_SECONDS"):
        monkeypatch.setenv(name, "0.1")
    _reward.cache_clear()
    episode = await played(model(posterior, truth), turns=2)
    _reward.cache_clear()
    assert not episode.ok
    (trace,) = episode.traces
    assert trace.last_error.type == "TaskError"
    assert "was not judged" in trace.last_error.message
    assert trace.rewards == {}


async def test_a_stored_trace_is_scored_again_by_the_answer_that_counted(
    posterior: Instance, broken: str, truth: str
) -> None:
    trace = await only_trace(model(posterior, truth, broken), turns=2, final="best")
    stored = trace.model_dump(mode="json")
    read = vf.Trace[vf.WireTaskData, vf.State, WireAgentConfig].model_validate(stored)
    read.rewards, read.metrics = {}, {}
    config = {"id": ID, "task": {"floor": FLOOR, "normalize": True}}
    task = next(iter(load_taskset(RoundTripTasksetConfig.model_validate(config))))
    await task.score(read)
    assert read.reward == pytest.approx(1.0)
    assert read.metrics["usable"] == 1.0
