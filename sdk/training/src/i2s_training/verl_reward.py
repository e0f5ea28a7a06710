"""Rewards as verl calls them: for one completion, awaited or not, and for a batch.

verl takes a function out of a file or module (``reward.custom_reward_function.path`` and ``.name``), and its
keyword arguments from ``reward_kwargs``. Without a file of your own::

    reward.custom_reward_function.path=pkg://i2s_training.verl_reward
    reward.custom_reward_function.name=round_trip
    +reward.custom_reward_function.reward_kwargs.weights.ems=1.0

With one, for instance because of a ``transform``::

    from i2s_training import RoundTripReward, VerlReward

    compute_score = VerlReward(RoundTripReward(transform=math.sqrt)).compute_score
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from i2s_training.batch_reward import BatchReward, Reward
from i2s_training.reward import RoundTripReward

Scored = dict[str, float | str]


class VerlReward:
    """The functions that verl takes as its custom reward function.

    verl passes a row's ``data_source``, ``reward_model.ground_truth`` and ``extra_info``, but not its images.
    So what a completion is judged against stands in ``extra_info``, under the names of the columns of the
    reward: ``instance`` (an id), ``image`` (a path or encoded image), ``task``, ``floor`` and so on.
    ``ground_truth`` is the column of ground truth (``structure``), if it is not empty and the row has no
    ``instance``; a mapping holds columns by name. ``extra_info`` goes before it.

    A completion without a reward is an error, of the data or of a service, that is raised: verl has no way to
    leave one out, and a number would be counted as the model's. Do not use verl's reward manager
    ``rate_limited`` with it, which makes 0.0 of every error and of its own time limit.

    Args:
        reward: The reward that it gives.
    """

    def __init__(self, reward: BatchReward) -> None:
        self.reward = reward
        self.__name__ = f"verl_{reward.__name__}"

    async def compute_score(
        self,
        data_source: str,
        solution_str: str,
        ground_truth: Any,  # noqa: ANN401 - as the data set has it
        extra_info: Mapping[str, Any] | None = None,
        **kwargs: Any,  # noqa: ANN401 - what verl adds, such as the address of a reward model
    ) -> Scored:
        """Return the reward of one completion, for the reward managers that await (``naive``, ``dapo``).

        The requests of all completions under way are sent at the same time.

        Returns:
            ``score``, ``acc`` (the same), ``usable`` (1.0 or 0.0) and ``verdict``. verl wants the same names
            for every completion, and averages those with numbers in its log.

        Raises:
            DataError: The data of the row is at fault.
            ServiceError: A service did not answer.
            UsageError: A column is missing.
        """
        columns = self._columns([ground_truth], [extra_info])
        (reward,) = await self.reward.judged_async([solution_str], columns)
        return _scored(reward)

    def compute_score_sync(
        self,
        data_source: str,
        solution_str: str,
        ground_truth: Any,  # noqa: ANN401
        extra_info: Mapping[str, Any] | None = None,
        **kwargs: Any,  # noqa: ANN401
    ) -> Scored:
        """Do the same for reward managers that do not await; each call waits for its own completion."""
        return self.compute_score_batch([data_source], [solution_str], [ground_truth], [extra_info])[0]

    def compute_score_batch(
        self,
        data_sources: Sequence[str],
        solution_strs: Sequence[str],
        ground_truths: Sequence[Any],
        extra_infos: Sequence[Mapping[str, Any] | None] | None = None,
        **kwargs: Any,  # noqa: ANN401
    ) -> list[Scored]:
        """Return the rewards of a batch, for the reward manager ``batch``.

        Raises:
            DataError: The data of a row is at fault.
            ServiceError: A service did not answer.
            UsageError: A column is missing.
        """
        about = [None] * len(solution_strs) if extra_infos is None else extra_infos
        columns = self._columns(list(ground_truths), list(about))
        return [_scored(reward) for reward in self.reward.judged(list(solution_strs), columns)]

    def _columns(
        self, truths: Sequence[Any], about: Sequence[Mapping[str, Any] | None]
    ) -> dict[str, list[Any]]:
        rows = [self._row(truth, _given(more)) for truth, more in zip(truths, about, strict=True)]
        present = {name for row in rows for name in row}
        return {name: [row.get(name) for row in rows] for name in self.reward.columns if name in present}

    def _row(self, truth: Any, about: Mapping[str, Any]) -> dict[str, Any]:  # noqa: ANN401
        if isinstance(truth, Mapping):
            row = _given(truth)
        elif truth is None or (isinstance(truth, str) and not truth) or "instance" in about:
            row = {}
        else:
            row = {self.reward.truth_column: truth}
        return {**row, **about}


def _given(values: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return the values that there are; a Parquet file has None for what a row lacks."""
    return {name: value for name, value in (values or {}).items() if value is not None}


async def round_trip(
    data_source: str,
    solution_str: str,
    ground_truth: Any,  # noqa: ANN401
    extra_info: Mapping[str, Any] | None = None,
    **reward_kwargs: Any,  # noqa: ANN401
) -> Scored:
    """Return the reward of one completion by a ``RoundTripReward``; a custom reward function of verl.

    Args:
        data_source: Source of the data, which is not looked at.
        solution_str: The completion.
        ground_truth: See ``VerlReward``.
        extra_info: See ``VerlReward``.
        reward_kwargs: Arguments of ``RoundTripReward``, except those that are functions. One reward is kept
            for each set of arguments in a process.

    Raises:
        DataError: The data of the row is at fault.
        ServiceError: A service did not answer.
        UsageError: A column is missing, or an argument is wrong.
    """
    own = {name: value for name, value in reward_kwargs.items() if name not in _OF_VERL}
    return await _kept(_frozen(own)).compute_score(data_source, solution_str, ground_truth, extra_info)


#: What verl adds to the keyword arguments of a reward function if there is a reward model.
_OF_VERL = ("reward_router_address", "reward_model_tokenizer")


@cache
def _kept(arguments: tuple[tuple[str, Any], ...]) -> VerlReward:
    plain: dict[str, Any] = {
        name: dict(value) if isinstance(value, tuple) and value and isinstance(value[0], tuple) else value
        for name, value in arguments
    }
    return VerlReward(RoundTripReward(**plain))


def _frozen(arguments: Mapping[str, Any]) -> tuple[tuple[str, Any], ...]:
    """Return arguments as something that can be a key; mappings and lists become tuples."""
    return tuple(sorted((name, _hashable(value)) for name, value in arguments.items()))


def _hashable(value: Any) -> Any:  # noqa: ANN401
    if isinstance(value, Mapping):
        return tuple(sorted(value.items()))
    return tuple(value) if isinstance(value, Sequence) and not isinstance(value, str) else value


def _scored(reward: Reward) -> Scored:
    value = reward.number()
    scored: Scored = {"score": value, "acc": value}
    if reward.result is not None:
        record = reward.result.record
        scored["usable"] = float(record.usable)
        scored["verdict"] = record.rendering.verdict.name if record.rendering.verdict else record.outcome.name
    return scored
