"""Rewards as OpenRLHF calls them: ``reward_func(queries, prompts, labels)`` in a file of the user.

The file that ``--reward.remote_url`` names holds a function of that name::

    from i2s_training import OpenRLHFReward, RoundTripReward

    reward_func = OpenRLHFReward(RoundTripReward(data="data/equations"))
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any

from i2s_sdk.errors import I2SError, UsageError
from i2s_sdk.json_text import read_json
from i2s_training.batch_reward import BatchReward, Reward

_log = logging.getLogger(__name__)

#: Special tokens that may end an answer in the text of OpenRLHF, which decodes them as they are.
END_TOKENS = (
    "<|im_end|>",
    "<|endoftext|>",
    "<|eot_id|>",
    "<|end_of_text|>",
    "<|end|>",
    "<end_of_turn>",
    "<｜end▁of▁sentence｜>",
    "<eos>",
    "</s>",
    "<pad>",
    "<|pad|>",
)
#: Characters at the end of a prompt that are enough to find where the answer begins.
LEAST_CHARACTERS = 8


class OpenRLHFReward:
    """The function that OpenRLHF takes as its reward function.

    OpenRLHF passes a label for each completion, and no image. A label is the id of an instance of the data
    set of the reward, or a JSON object of columns, such as ``{"image": "a.png", "structure": "…"}``.

    A completion without a reward is an error, of the data or of a service, that is written to the log and
    raised: OpenRLHF has no way to leave one out. It catches the error itself and ends the training a step
    later, because the completion has no reward; the log says why.

    Args:
        reward: The reward that it gives.
        end_tokens: Texts that are removed from the end of an answer.
    """

    def __init__(self, reward: BatchReward, *, end_tokens: Sequence[str] = END_TOKENS) -> None:
        self.reward = reward
        self.end_tokens = tuple(end_tokens)
        self.__name__ = f"openrlhf_{reward.__name__}"

    def __call__(
        self,
        queries: Sequence[str],
        prompts: Sequence[str],
        labels: Sequence[Any],
        **kwargs: Any,  # noqa: ANN401 - what other versions of OpenRLHF add
    ) -> dict[str, Any]:
        """Return the rewards of a batch; OpenRLHF calls with one completion at a time, from many threads.

        Args:
            queries: Prompts and answers in one text each.
            prompts: The prompts as they were tokenized.
            labels: What each completion is judged against.
            kwargs: More arguments, which are not looked at.

        Returns:
            ``rewards`` and ``scores`` (the same), and in ``extra_logs`` the numbers ``usable`` and ``reward``
            by the name of the reward. Each is a number for one completion, a list for several.

        Raises:
            UsageError: An answer cannot be told from its prompt, or a label is wrong.
            DataError: The data of a completion is at fault.
            ServiceError: A service did not answer.
        """
        try:
            answers = [
                answer_of(query, prompt, self.end_tokens)
                for query, prompt in zip(queries, prompts, strict=True)
            ]
            judged = self.reward.judged(answers, self._columns(labels))
            rewards = [reward.number() for reward in judged]
        except I2SError as error:
            _log.error("%s: no reward: %s", self.__name__, error.message)
            raise
        name = self.reward.__name__
        logs = {
            f"{name}/reward": _one(rewards),
            f"{name}/usable": _one([_usable(reward) for reward in judged]),
        }
        return {"rewards": _one(rewards), "scores": _one(rewards), "extra_logs": logs}

    def _columns(self, labels: Sequence[Any]) -> dict[str, list[Any]]:
        rows = [_row(label) for label in labels]
        present = {name for row in rows for name in row}
        return {name: [row.get(name) for row in rows] for name in self.reward.columns if name in present}


def answer_of(query: str, prompt: str, end_tokens: Sequence[str] = END_TOKENS) -> str:
    """Return the answer in a text of prompt and answer.

    The prompt in the text may differ from the prompt that was given: its beginning is cut off if it is too
    long, or each of its images became many tokens. What an answer repeats of its prompt stays in the answer.

    Args:
        query: Prompt and answer.
        prompt: The prompt as it was tokenized.
        end_tokens: Texts that are removed from the end of the answer.

    Raises:
        UsageError: The text does not hold the end of the prompt.
    """
    if query.startswith(prompt):
        return _without_end(query[len(prompt) :], end_tokens)
    least = min(LEAST_CHARACTERS, len(prompt))
    begin = prompt.find(query[:least], 1)
    while begin >= 0:  # the beginning of the prompt was cut off
        if query.startswith(prompt[begin:]):
            return _without_end(query[len(prompt) - begin :], end_tokens)
        begin = prompt.find(query[:least], begin + 1)
    # Up to the first image both are the same; what follows the last one is the longest end of the prompt that
    # the rest of the text has. It has every shorter one too, so the longest can be found by halving.
    pairs = enumerate(zip(query, prompt, strict=False))
    same = next((place for place, (ours, theirs) in pairs if ours != theirs), len(query))
    rest, high = query[same:], len(prompt) - same
    low = min(least, high)
    if prompt[-low:] not in rest:
        raise UsageError(f"the text {query[:60]!r} does not hold the end of its prompt, {prompt[-low:]!r}")
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if prompt[-middle:] in rest else (low, middle - 1)
    return _without_end(rest[rest.index(prompt[-low:]) + low :], end_tokens)


def _without_end(answer: str, end_tokens: Sequence[str]) -> str:
    cut = True
    while cut:
        cut = False
        for token in end_tokens:
            if token and answer.endswith(token):
                answer, cut = answer[: -len(token)], True
    return answer


def _row(label: Any) -> dict[str, Any]:  # noqa: ANN401 - as the data set has it
    """Return the columns of a completion that its label holds."""
    if isinstance(label, dict):
        return label
    if not isinstance(label, str) or not label.strip():
        raise UsageError(
            f"label {label!r}: must be the id of an instance, or a JSON object of columns; "
            f"--data.label_key names the column of labels"
        )
    if not label.lstrip().startswith("{"):
        return {"instance": label.strip()}
    try:
        row = read_json(label)
    except ValueError as error:
        raise UsageError(f"label {label[:60]!r}: is not JSON: {error}") from None
    return dict(row)


def _usable(reward: Reward) -> float:
    return float(reward.result is not None and reward.result.record.usable)


def _one(values: Sequence[float]) -> float | list[float]:
    return values[0] if len(values) == 1 else list(values)
