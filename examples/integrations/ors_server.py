"""Episodes by the Open Reward Standard: a server whose clients submit answers with a tool.

A session is an episode of one instance: the prompt is the question of the task, the tool ``submit`` takes an
answer and returns its rendering, the difference from the image and the first error. Needs the package ors-sdk
(0.1). Running services are found by I2S_RENDER_LATEX and I2S_METRICS; others are started here.

    python examples/integrations/ors_server.py --port 8080

The reward of an answer that a service failed to judge is null, and the metadata say ``valid: false`` and why:
submit the answer again, or leave the episode out. Never take null for 0.
"""

from __future__ import annotations

import argparse
import base64
from collections.abc import Sequence
from typing import Any, ClassVar

from ors import Environment, ImageBlock, Server, Split, TextBlock, ToolOutput, tool
from pydantic import BaseModel, Field

from i2s_sdk.data import open_data
from i2s_sdk.instances.images import read_header
from i2s_training import Episode, EpisodeStep, RoundTripReward

SPLIT = "all"
_OVER = "The episode is over: no more answers are taken."
_NOT_JUDGED = "The answer was not judged because of a failure of the machine. Submit it again."


class Answer(BaseModel):
    """An answer of the model."""

    answer: str = Field(description="The whole answer, in the form that the question asks for.")


class RoundTrip(Environment):
    """An episode of one instance."""

    reward: ClassVar[RoundTripReward]
    instances: ClassVar[Sequence[str]]
    turns: ClassVar[int]

    def setup(self) -> None:
        """Begin the episode."""
        self._episode = Episode(self.reward, str(self.task_spec["instance"]), turns=self.turns)

    def get_prompt(self) -> list[TextBlock | ImageBlock]:
        """Return the question."""
        start = self._episode.reset()
        return _blocks((start.system, *start.parts, "\nGive your answer with the tool submit."))

    @classmethod
    def list_splits(cls) -> list[Split]:
        """Return the only split."""
        return [Split(name=SPLIT, type="train")]

    @classmethod
    def list_tasks(cls, split: str) -> list[dict[str, Any]]:
        """Return the instances."""
        return [{"instance": instance} for instance in cls.instances]

    @tool
    async def submit(self, given: Answer) -> ToolOutput:
        """Have an answer rendered and compared with the image, and see what became of it."""
        if self._episode.done:
            return ToolOutput(blocks=_blocks((_OVER,)), finished=True)
        step = await self._episode.step_async(given.answer)
        parts = step.parts if step.valid else (_NOT_JUDGED,)
        return ToolOutput(
            blocks=_blocks(parts or (_OVER,)),
            reward=self._episode.final_reward,
            finished=step.done,
            metadata=_metadata(step),
        )


def server(reward: RoundTripReward, data: str | None = None, task: str = "latex", turns: int = 3) -> Server:
    """Return the server of the episodes of a data set.

    Args:
        reward: Reward of the answers, with the same data set.
        data: The data set, as ``i2s-sdk evaluate --data`` takes it; None is the bundled examples.
        task: Its task.
        turns: The most answers of an episode.
    """
    ids = [instance.id for instance in open_data(data).instances if instance.task == task]
    return Server([type("RoundTrip", (RoundTrip,), {"reward": reward, "instances": ids, "turns": turns})])


def _metadata(step: EpisodeStep) -> dict[str, Any]:
    return {
        "valid": step.valid,
        "reason": step.reason,
        "turn": step.turn,
        "verdict": step.verdict,
        "error": step.error,
        "error_line": step.error_line,
    }


def _blocks(parts: Sequence[str | bytes]) -> list[TextBlock | ImageBlock]:
    return [
        TextBlock(text=part)
        if isinstance(part, str)
        else ImageBlock(data=base64.b64encode(part).decode("ascii"), mimeType=read_header(part).media_type)
        for part in parts
        if part
    ]


def main() -> None:
    """Serve until Ctrl-C."""
    options = argparse.ArgumentParser()
    options.add_argument("--data")
    options.add_argument("--task", default="latex")
    options.add_argument("--turns", type=int, default=3)
    options.add_argument("--host", default="127.0.0.1")
    options.add_argument("--port", type=int, default=8080)
    given = options.parse_args()
    reward = RoundTripReward(given.task, floor=0.5, normalize=True, clip=True, data=given.data)
    server(reward, given.data, given.task, given.turns).run(given.host, given.port)


if __name__ == "__main__":
    main()
