"""The reward of a completion for reinforcement learning: the likeness of its rendering, and its floors."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from i2s_sdk.errors import DataError, ModelError, UnknownNameError, UsageError
from i2s_sdk.instances.instance import Instance
from i2s_sdk.models.baselines import BlankBaseline, ConstantBaseline, ShuffledBaseline
from i2s_sdk.models.model import Model
from i2s_sdk.settings import Settings
from i2s_sdk.tasks.metrics import image_metrics, metrics_of
from i2s_sdk.tasks.registry import DEFAULT_TASK, open_task, task_spec
from i2s_training.batch_reward import (
    BLANK_STEP,
    DRAWN_STEP,
    LARGEST,
    BatchReward,
    ByTask,
    OnFault,
    RewardRequest,
    RewardShaping,
    column_of,
    reference_of,
    text_of,
)
from i2s_training.completion_scorer import RoundTripRequest, RoundTripResult
from i2s_wire.metrics.profile import Profile
from i2s_wire.render.rendering import Verdict

#: Values of the completions of one baseline by the id of the instance.
_Values = Mapping[str, float]


def instance_floors(instances: Sequence[Instance], reward: BatchReward) -> dict[str, float]:
    """Return a floor for each instance: the value of the best baseline that looks at nothing.

    The baselines are ``baseline/blank``, ``baseline/constant`` and ``baseline/shuffled``. Each instance is
    rendered and compared as often as there are baselines that have an answer for it, so do it once before
    training and keep the numbers in the column ``floor``.

    Args:
        instances: All of the data set, since ``baseline/shuffled`` lends the answers of others.
        reward: Reward that the floors are for; its own floor and transform are not used.

    Returns:
        Floors by the id of the instance. One for which no baseline has a value is not in it.

    Raises:
        DataError: An instance cannot be read.
        ServiceError: A service did not answer.
    """
    baselines = _baseline_values(instances, reward)
    return {
        instance.id: max(values[instance.id] for values in baselines if instance.id in values)
        for instance in instances
        if any(instance.id in values for values in baselines)
    }


def task_floors(instances: Sequence[Instance], reward: BatchReward) -> dict[str, float]:
    """Return a floor for each task: the largest mean that one baseline has over its instances.

    That is the floor of the column "skill" of tables. See ``instance_floors`` for arguments and errors.
    """
    by_task: defaultdict[str, set[str]] = defaultdict(set)
    for instance in instances:
        by_task[instance.task].add(instance.id)
    floors = {}
    for task, ids in by_task.items():
        shared = [
            [value for name, value in values.items() if name in ids]
            for values in _baseline_values(
                [instance for instance in instances if instance.task == task], reward
            )
        ]
        means = [sum(values) / len(values) for values in shared if values]
        if means:
            floors[task] = max(means)
    return floors


def _baseline_values(instances: Sequence[Instance], reward: BatchReward) -> list[_Values]:
    shuffled = ShuffledBaseline()
    shuffled.prepare(instances)
    return [_values(instances, model, reward) for model in (BlankBaseline(), ConstantBaseline(), shuffled)]


def _values(instances: Sequence[Instance], model: Model, reward: BatchReward) -> _Values:
    answers = asyncio.run(_answers(instances, model))
    answered = [(one, text) for one, text in zip(instances, answers, strict=True) if text]
    rewards = reward.judged([text for _, text in answered], {"instance": [one for one, _ in answered]})
    values = {}
    for (instance, _), found in zip(answered, rewards, strict=True):
        if found.error is not None:
            raise found.error
        value = reward.value(found.result) if found.result is not None else None
        if value is not None:
            values[instance.id] = value
    return values


async def _answers(instances: Sequence[Instance], model: Model) -> list[str]:
    """Return the answers of a baseline, empty if it has none."""
    return [await _answer(instance, model) for instance in instances]


async def _answer(instance: Instance, model: Model) -> str:
    (question, *_) = open_task(instance.task).questions(instance)
    try:
        return (await model.complete(instance, question)).text
    except ModelError:
        if instance.image is not None and not instance.image.is_file():
            raise DataError(instance.image, 0, "cannot be read") from None
        return ""


#: Columns in which the image is looked for, first choice first.
PICTURES = ("instance", "image", "images", "reference")


class RoundTripReward(BatchReward):
    """A reward function as TRL has them: ``reward(prompts, completions, **columns) -> list[float | None]``.

    >>> reward = RoundTripReward(weights={"ems": 0.8, "edit": 0.2})  # doctest: +SKIP
    >>> trainer = GRPOTrainer(reward_funcs=[reward], ...)  # doctest: +SKIP

    The columns of a batch are lists of one value for each completion:

    ======================================= ==================================================================
    ``image``, ``images``, ``reference``     the image: of Pillow, encoded, a path, {"bytes": …} or
                                             {"path": …}; of a list of images the first
    ``instance``                             instead, an instance of a data set, or its id in ``data``
    ``task``                                 name of a task; else that of the reward
    ``structure``                            ground truth of the code, for the metric ``edit``
    ``floor``, ``ceiling``                   of the instance; else those of the reward
    ======================================= ==================================================================

    Others are ignored. A completion is a text, or a list of messages, whose last one counts.

    The value of a completion is the weighted mean of the metrics that are defined for the pair. Of charts, no
    metric of the objects of a figure counts more than ``objects_in_image``, the part of them that its image
    shows, whatever the profile. Rewards keep
    this order: refused, without code, not rendered (each has the value ``failed``) < a blank image, or a
    program that draws nothing (``failed`` + 0.01) < any other image (at least ``failed`` + 0.02). The reward
    is the value less the floor, divided by ceiling minus floor with ``normalize``, after ``transform``; with
    ``clip`` it is at least 0, 0.01 and 0.02 for these kinds.

    A failure of the services (``on_failure``) and a fault of the data (``on_data_fault``: no such image, or
    one that cannot be read) are not a reward: the error is raised, or the reward is None. TRL leaves a
    completion out for which all reward functions return None.

    Args:
        task: Task of batches without a column ``task``.
        weights: Weights of the metrics; none is the main one of the task alone, or equally those that it is
            the mean of. A metric that is not defined for a pair (``edit`` without ground truth) is left out
            and the others share its weight. If there is a ground truth and it cannot be rendered, that is a
            fault of the data.
        failed: Value of a completion that has no image, before floor and transform.
        floor: What an answer that looks at nothing has: a number, or one for each task; see
            ``instance_floors``.
        ceiling: The largest value that can be reached: a number, or one for each task.
        normalize: Whether to divide by ceiling minus floor.
        transform: A function of one number that returns the reward.
        clip: Whether what is below the floor has the least reward of its kind, in place of a negative one.
        name: What trainers call it in their logs; None joins the tasks and the metrics, as in "latex_ems".
        on_failure: What a failure of the services is: "raise" or "none".
        on_data_fault: What a fault of the data of one completion is: "raise" or "none".
        tasks: Tasks that will be judged; none is ``task`` alone.
        data: The data set whose instances the column ``instance`` names by id, as ``i2s-sdk evaluate --data``
            takes it; None is the bundled examples.
        profile: Profile whose rules are followed; None takes that of the settings.
        settings: None reads environment and configuration file. With several processes of training, name
            running services: else each process starts its own.

    Raises:
        UsageError: A weight is negative, or all are 0; or the floor is not below the ceiling.
        UnknownNameError: There is no such task, or no task of the reward has a metric of ``weights``.
    """

    columns = (*PICTURES, "task", "structure", "floor", "ceiling")
    truth_column = "structure"

    def __init__(
        self,
        task: str = DEFAULT_TASK,
        *,
        weights: Mapping[str, float] | None = None,
        failed: float = 0.0,
        floor: ByTask = 0.0,
        ceiling: ByTask = LARGEST,
        normalize: bool = False,
        transform: Callable[[float], float] | None = None,
        clip: bool = False,
        name: str | None = None,
        on_failure: OnFault = "raise",
        on_data_fault: OnFault = "raise",
        tasks: Sequence[str] = (),
        data: Path | str | None = None,
        profile: Profile | str | None = None,
        settings: Settings | None = None,
    ) -> None:
        judged = tuple(tasks) or (task,)
        self._weights = dict(weights or {})
        if weights is not None and (not any(weights.values()) or min(weights.values()) < 0.0):
            raise UsageError(f"weights {self._weights}: must not be negative, and one must be above 0")
        both = (Profile.PAPER, Profile.HELM)
        offered = [one for task in judged for profile in both for one in metrics_of(open_task(task, profile))]
        # A distance, in which less is better, is no reward.
        known = {metric.name for metric in offered if not metric.lower_is_better}
        for metric in self._weights:
            if metric not in known:
                raise UnknownNameError("metric", metric, known)
        self._task, self._failed = task, float(failed)
        specs = [task_spec(one) for one in judged]
        named = tuple(self._weights) or tuple(dict.fromkeys(spec.main_metric for spec in specs))
        metrics = self._weights or dict.fromkeys(metric for spec in specs for metric in spec.main_parts)
        metrics = dict.fromkeys((*metrics, *(spec.support_metric for spec in specs if spec.support_metric)))
        super().__init__(
            name or "_".join((*judged, *named)),
            judged,
            metrics=tuple(metrics),
            shaping=RewardShaping(floor, ceiling, normalize, transform, clip),
            data=data,
            on_failure=on_failure,
            on_data_fault=on_data_fault,
            profile=profile,
            settings=settings,
        )

    async def round_trip_async(
        self,
        prompts: Sequence[Any] | None = None,
        completions: Sequence[Any] = (),
        **columns: Any,  # noqa: ANN401
    ) -> list[float | None]:
        """Do the same for trainers that know coroutine functions alone; else take ``as_async()``."""
        return await self.call_async(prompts, completions, **columns)

    def requests(self, completions: Sequence[Any], columns: Mapping[str, Any]) -> list[RewardRequest]:
        """Return what is judged for each completion.

        Raises:
            UsageError: There is no image for a completion, or a column has another length.
        """
        name = next((picture for picture in PICTURES if columns.get(picture) is not None), None)
        if name is None:
            raise UsageError(f"a reward needs the picture: one of the columns {', '.join(PICTURES)}")
        length = len(completions)
        parts = zip(
            map(text_of, completions),
            column_of(columns, name, length),
            column_of(columns, "task", length, self._task),
            column_of(columns, "structure", length),
            column_of(columns, "floor", length),
            column_of(columns, "ceiling", length),
            strict=True,
        )
        return [
            RewardRequest(self._request(number, name, *asked), floor, ceiling)
            for number, (*asked, floor, ceiling) in enumerate(parts)
        ]

    def value(self, result: RoundTripResult) -> float | None:
        """Return the weighted mean of the metrics, None if none is defined; see the class for other kinds.

        None too if the ground truth has no rendering that one of them needs.
        """
        least = self._failed + self.least(result)
        if least < self._failed + DRAWN_STEP:
            return least
        weights = self._weights or dict.fromkeys(task_spec(result.record.instance.task).main_parts, 1.0)
        values = {name: _believed(result, name) for name in weights}
        if result.record.rendering.no_truth and None in values.values():
            return None
        known = [(weights[name], value) for name, value in values.items() if value is not None]
        weight = sum(one for one, _ in known)
        return max(sum(one * value for one, value in known) / weight, least) if weight else None

    def least(self, result: RoundTripResult) -> float:
        """Return 0 without an image, BLANK_STEP if nothing was drawn or a gate lowers it, else DRAWN_STEP."""
        if not result.record.usable:
            return BLANK_STEP if result.record.rendering.verdict is Verdict.NO_OUTPUT else 0.0
        return BLANK_STEP if any(gate.lowers for gate in result.gates) else DRAWN_STEP

    def _request(
        self,
        number: int,
        column: str,
        completion: str,
        image: Any,  # noqa: ANN401
        task: str,
        structure: str | None,
    ) -> RoundTripRequest | DataError:
        """Return a request, or what is wrong with the data of its row."""
        try:
            reference = self.instance(image) if column == "instance" else reference_of(image)
        except DataError as error:
            return error
        except UsageError as error:
            return DataError(f"completion {number}", 0, error.message)
        return RoundTripRequest(reference, completion, task, structure, id=str(number))


def _believed(result: RoundTripResult, name: str) -> float | None:
    """Return a metric; one that counts what an answer can claim, no more than the image supports it."""
    value, task = result.metrics.get(name), result.record.instance.task
    support = result.metrics.get(task_spec(task).support_metric)
    if value is None or support is None or name in image_metrics(open_task(task)):
        return value
    return min(value, support)
