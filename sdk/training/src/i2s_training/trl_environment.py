"""Episodes as TRL has environments: the model submits answers with a tool, and sees what became of each.

>>> factory = EpisodeEnvironment.factory(RoundTripReward(), turns=3)  # doctest: +SKIP
>>> trainer = GRPOTrainer(model, environment_factory=factory, train_dataset=rows, ...)  # doctest: +SKIP

TRL makes an environment for each rollout, calls ``reset`` with the row of the data set, shows the model all
other public methods as tools, and takes ``get_reward`` as a reward function. TRL 1.16 leaves a rollout out
whose reward is None.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import Any, Self

from i2s_sdk.instances.images import PILLOW_PIXELS, decode_image
from i2s_training.batch_reward import BatchReward
from i2s_training.episode import DEFAULT_TURNS, Episode, EpisodeRules, EpisodeStep, FinalReward, MessagePart

_log = logging.getLogger(__name__)

#: What follows the question of a row that has no prompt.
_HOW = "\nGive your answer with the tool submit, as a whole."
_OVER = "The episode is over: no more answers are taken."
_NOT_JUDGED = "The answer was not judged because of a failure of the machine. Submit it again."
_JUDGED = "The answer was taken."


class EpisodeEnvironment:
    """One rollout of TRL's ``GRPOTrainer``.

    A row of the data set has the columns of the reward, such as ``instance``, or ``image`` and ``structure``.
    A row without ``prompt`` gets the question of its task.

    A model that submits nothing is rewarded as one whose answer holds no code. If a service failed to judge
    the last answer, it is judged once more at the end; the reward is None if that fails too.

    Args:
        reward: Reward of the answers; one for all environments.
        rules: Number of answers, and which of them gives the reward.
        images: Whether the model is shown images; texts alone otherwise.
    """

    def __init__(self, reward: BatchReward, rules: EpisodeRules, *, images: bool = True) -> None:
        self._reward, self._rules, self._images = reward, rules, images
        self._episode: Episode | None = None
        self._latest = ""

    @classmethod
    def factory(
        cls,
        reward: BatchReward,
        *,
        turns: int = DEFAULT_TURNS,
        final: FinalReward = "last",
        images: bool = True,
    ) -> Callable[[], Self]:
        """Return what TRL takes as ``environment_factory``.

        Args:
            reward: Reward of the answers.
            turns: The most answers of an episode.
            final: Whether the reward is that of the last answer or of the best one.
            images: Whether the model is shown images; leave it out for models of texts alone.

        Raises:
            UsageError: A value has no meaning.
        """
        rules = EpisodeRules(turns, final)
        return lambda: cls(reward, rules, images=images)

    def reset(self, **row: Any) -> str | list[dict[str, Any]] | None:  # noqa: ANN401 - as the data set has it
        """Begin the episode of a row.

        Returns:
            What is added to the prompt: the question of the task if the row has no prompt, else nothing.

        Raises:
            DataError: The data of the row is at fault.
            UsageError: A column is missing, or the reward does not judge the task.
        """
        columns = {name: [row[name]] for name in self._reward.columns if row.get(name) is not None}
        (request,) = self._reward.requests([""], columns)
        self._episode = Episode(self._reward, request, turns=self._rules.turns, final=self._rules.final)
        self._latest = ""
        start = self._episode.reset()
        return None if row.get("prompt") else self._content((*start.parts, _HOW))

    async def submit(self, answer: str) -> str | list[dict[str, Any]]:
        """Have an answer rendered and compared with the image, and see what became of it.

        Args:
            answer: The whole answer, in the form that the question asks for.

        Returns:
            The rendering, its difference from the image, and the first error.
        """
        if self._episode is None or self._episode.done:
            return _OVER
        self._latest = answer
        step = await self._episode.step_async(answer)
        return self._said(step)

    async def get_reward(self) -> float | None:
        """Return the reward of the episode, or None if a service failed to judge its last answer."""
        if self._episode is None:
            return None
        if self._episode.final_reward is None and not self._episode.done:
            await self._episode.step_async(self._latest)
        if self._episode.final_reward is None:
            _log.warning("an episode has no reward: %s", self._episode.state.unjudged)
        return self._episode.final_reward

    def _said(self, step: EpisodeStep) -> str | list[dict[str, Any]]:
        if not step.valid and not step.done:
            return _NOT_JUDGED
        return self._content(step.parts or (_JUDGED, " ", _OVER))

    def _content(self, parts: Sequence[MessagePart]) -> str | list[dict[str, Any]]:
        """Return parts as TRL has the content of messages."""
        if not self._images:
            return "".join(part for part in parts if isinstance(part, str))
        return [
            {"type": "text", "text": part}
            if isinstance(part, str)
            else {"type": "image", "image": decode_image(part, PILLOW_PIXELS)}
            for part in parts
        ]
