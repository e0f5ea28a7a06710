"""Episodes as an environment of verifiers: the model sees what became of its answer, and corrects it.

The package ``i2s_verifiers`` gives it to verifiers with its taskset::

    vf-eval i2s-verifiers --env.taskset.benchmark latex --env.turns 3

With one turn, which is the default, it is verifiers' own environment of one agent.
"""

from __future__ import annotations

from typing import Literal

import verifiers.v1 as vf
from pydantic import Field

from i2s_training.episode import MOST_TURNS
from i2s_verifiers.taskset import RoundTripTask


class RoundTripEnvConfig(vf.SingleAgentEnvConfig):
    """How an instance is played, under ``--env``."""

    turns: int = Field(1, ge=1, le=MOST_TURNS)
    """The most answers that are judged; with more than one the model is shown what became of each."""
    final: Literal["last", "best"] = "last"
    """Whether the reward is that of the last answer or of the best one."""


class RoundTripEnv(vf.SingleAgentEnv, vf.Env[RoundTripEnvConfig]):
    """One agent that answers an instance, is shown the rendering of its answer, and may correct it."""

    config: RoundTripEnvConfig

    async def run(self, task: vf.Task[vf.TaskData, vf.State, vf.TaskConfig], agents: vf.Agents) -> None:
        """Play one episode, whose conversation is one trace.

        The trace has the reward of the answer that counts by the rules of the episode, the metrics ``turns``
        (answers that were judged) and ``first_turn`` (the reward of the first one) beside those of the task,
        and in ``info`` the answer that counts and the rewards of all. If a limit of verifiers ends the
        episode, what was judged until then counts.

        Raises:
            TaskError: A service failed to judge an answer, or the data is at fault: the trace has the error
                and no reward.
        """
        if self.config.turns == 1 or not isinstance(task, RoundTripTask):
            await super().run(task, agents)
            return
        episode = task.episode(self.config.turns, self.config.final)
        async with agents.agent.interaction(task) as exchange:
            said = await exchange.turn()
            while not said.terminated:
                step = await episode.step_async(said.last_reply)
                if not step.valid:
                    raise vf.TaskError(f"the answer was not judged: {step.reason}")
                if step.result is not None and step.reward == episode.final_reward:
                    task.count(exchange.trace, said.last_reply, step, episode.state.rewards)
                if step.done:
                    break
                said = await exchange.turn(
                    [vf.UserMessage.model_validate(message) for message in step.messages]
                )
            if rewards := episode.state.rewards:
                exchange.trace.record_metrics({"turns": float(len(rewards)), "first_turn": rewards[0]})
