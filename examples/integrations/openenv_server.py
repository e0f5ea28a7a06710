"""Episodes as an environment of OpenEnv: a server that its clients and trainers call.

A session is an episode: ``reset`` asks the question of an instance, ``step`` takes an answer and shows its
rendering, the difference from the image and the first error. Needs the package openenv (0.10). Running
services are found by I2S_RENDER_LATEX and I2S_METRICS; others are started here.

    python examples/integrations/openenv_server.py --port 8000
    openenv validate --url http://127.0.0.1:8000

The reward of an answer that a service failed to judge is None, and ``valid`` is false: give the answer again,
or leave the episode out. Never take None for 0. Services are asked again for I2S_RETRY_SECONDS; let a client
wait for as long (``message_timeout_s``).
"""

from __future__ import annotations

import argparse
import base64
import random
from collections.abc import Callable
from typing import Any

import uvicorn
from fastapi import FastAPI
from openenv.core.env_server import (
    Action,
    ConcurrencyConfig,
    Environment,
    Observation,
    State,
    create_fastapi_app,
)
from pydantic import Field

from i2s_sdk.data import Instance, open_data
from i2s_training import Episode, RoundTripReward

SPLIT = "all"


class Answer(Action):
    """An answer of the model."""

    completion: str = Field(description="What the model said, verbatim.")


class Seen(Observation):
    """What the model is shown next, and what became of its answer."""

    messages: list[dict[str, Any]] = Field(description="What the conversation goes on with; images are URLs.")
    valid: bool = Field(default=True, description="Whether the answer has a reward, if one was given.")
    reason: str = Field(default="", description="Why it has none; says nothing of the answer.")
    verdict: str = Field(default="", description="Verdict of the renderer.")
    error: str = Field(default="", description="The first error.")
    error_line: int = Field(default=0, description="Its line in the answer; 0 if it is not known.")
    rendering: str = Field(default="", description="The rendering: PNG in base64.")
    difference: str = Field(default="", description="The difference from the image: PNG in base64.")


class EpisodeState(State):
    """How the episode of a session stands."""

    instance: str = ""
    rewards: list[float] = Field(default_factory=list)


class RoundTripEnvironment(Environment[Answer, Seen, EpisodeState]):
    """The episodes of one session, one after the other."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self, reward: RoundTripReward, instances: list[Instance], turns: int) -> None:
        super().__init__()
        self._reward, self._instances, self._turns = reward, instances, turns
        self._episode: Episode | None = None
        self._state = EpisodeState()

    def reset(self, seed: int | None = None, episode_id: str | None = None, **given: object) -> Seen:
        """Begin an episode with the instance ``instance`` (an id) or ``index``, else with one by the seed."""
        instance = self._chosen(seed, given.get("instance"), given.get("index"))
        self._episode = Episode(self._reward, instance, turns=self._turns)
        self._state = EpisodeState(episode_id=episode_id, instance=instance.id)
        return Seen(messages=self._episode.reset().messages)

    def step(self, action: Answer, timeout_s: float | None = None, **given: object) -> Seen:
        """Judge an answer."""
        if self._episode is None:
            raise ValueError("reset begins an episode")
        step = self._episode.step(action.completion)
        self._state = EpisodeState(
            episode_id=self._state.episode_id,
            step_count=step.turn,
            instance=self._state.instance,
            rewards=list(self._episode.state.rewards),
        )
        return Seen(
            messages=step.messages,
            reward=self._episode.final_reward,
            done=step.done,
            valid=step.valid,
            reason=step.reason,
            verdict=step.verdict,
            error=step.error,
            error_line=step.error_line,
            rendering=_text(step.rendering),
            difference=_text(step.difference),
        )

    @property
    def state(self) -> EpisodeState:
        """How the episode stands."""
        return self._state

    def list_splits(self) -> list[str]:
        """Return the names of the splits."""
        return [SPLIT]

    def num_tasks(self, split: str) -> int:
        """Return the number of instances."""
        return len(self._instances)

    def get_task(self, split: str, index: int) -> dict[str, Any]:
        """Return what ``reset`` takes for an instance."""
        return {"instance": self._instances[index].id, "index": index}

    def list_tasks(self, split: str) -> list[dict[str, Any]]:
        """Return what ``reset`` takes for each instance."""
        return [self.get_task(split, index) for index in range(len(self._instances))]

    def _chosen(self, seed: int | None, name: object, index: object) -> Instance:
        if name is not None:
            return self._reward.instance(name)
        if isinstance(index, int):
            return self._instances[index]
        return random.Random(seed).choice(self._instances)  # noqa: S311 - no secret


def app(
    reward: RoundTripReward, data: str | None = None, task: str = "latex", turns: int = 3, sessions: int = 256
) -> FastAPI:
    """Return the server of the episodes of a data set.

    Args:
        reward: Reward of the answers, with the same data set.
        data: The data set, as ``i2s-sdk evaluate --data`` takes it; None is the bundled examples.
        task: Its task.
        turns: The most answers of an episode.
        sessions: The most sessions at a time.
    """
    instances = [instance for instance in open_data(data).instances if instance.task == task]
    make: Callable[[], RoundTripEnvironment] = lambda: RoundTripEnvironment(reward, instances, turns)  # noqa: E731
    concurrency = ConcurrencyConfig(max_concurrent_envs=sessions, session_timeout=3600.0)
    return create_fastapi_app(make, Answer, Seen, concurrency_config=concurrency, state_cls=EpisodeState)


def _text(png: bytes | None) -> str:
    return base64.b64encode(png).decode("ascii") if png else ""


def main() -> None:
    """Serve until Ctrl-C."""
    options = argparse.ArgumentParser()
    options.add_argument("--data")
    options.add_argument("--task", default="latex")
    options.add_argument("--turns", type=int, default=3)
    options.add_argument("--host", default="127.0.0.1")
    options.add_argument("--port", type=int, default=8000)
    given = options.parse_args()
    reward = RoundTripReward(given.task, floor=0.5, normalize=True, clip=True, data=given.data)
    uvicorn.run(app(reward, given.data, given.task, given.turns), host=given.host, port=given.port)


if __name__ == "__main__":
    main()
