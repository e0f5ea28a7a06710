"""The tasks of the benchmark as a taskset of verifiers, with the round trip as their reward.

The package ``i2s_verifiers`` gives them to verifiers under the name ``i2s-verifiers``::

    vf-eval i2s-verifiers --env.taskset.benchmark latex --env.taskset.task.floor 0.66

verifiers asks the model and keeps the trace; prompt, data and reward are ours.
"""

from __future__ import annotations

import base64
import mimetypes
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

import verifiers.v1 as vf
from pydantic import ConfigDict, Field, InstanceOf

from i2s_sdk.data import Instance, Selection, open_data
from i2s_sdk.errors import UsageError
from i2s_sdk.settings import Settings
from i2s_sdk.tasks import ImagePart, TextPart
from i2s_sdk.tasks.question import Question, joined_texts
from i2s_sdk.tasks.registry import open_task
from i2s_training.episode import Episode, EpisodeStep, FinalReward
from i2s_training.reward import RoundTripReward
from i2s_wire.metrics.profile import Profile

#: Key of what is said of an episode in the information of its trace.
_EPISODE = "episode"


class RoundTripTaskConfig(vf.TaskConfig):
    """How answers are rewarded, under ``--env.taskset.task``; see ``RoundTripReward`` for each field."""

    weights: dict[str, float] = Field(default_factory=dict)
    """Weights of the metrics; none is the main metric of the task alone."""
    failed: float = 0.0
    """Value of an answer that has no picture, before floor and normalization."""
    floor: float = 0.0
    """What an answer that looks at nothing has."""
    ceiling: float = 1.0
    """The largest value that can be reached."""
    normalize: bool = False
    """Whether to divide by ceiling minus floor."""
    profile: str | None = None
    """Which rules; None takes that of the settings."""


class RoundTripTasksetConfig(vf.TasksetConfig):
    """Which instances are loaded, under ``--env.taskset``."""

    benchmark: str = "latex"
    """Name of the task of the benchmark."""
    data: str | None = None
    """The data set, as ``i2s-sdk evaluate --data`` takes it; None takes the bundled examples."""
    subsets: list[str] = Field(default_factory=list)
    """Subsets of the data set; none means all."""
    difficulties: list[str] = Field(default_factory=list)
    """Difficulties of instances; none means all."""
    task: RoundTripTaskConfig = RoundTripTaskConfig()
    """How answers are rewarded."""


class RoundTripData(vf.TaskData):
    """The fields of a trace that identify an instance."""

    benchmark: str
    """Name of the task of the benchmark."""
    data: str | None = None
    """The data set that holds the instance."""
    subset: str = ""
    """Subset of the instance."""


class RoundTripState(vf.State):
    """What an episode came to so far; verifiers does not store it."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    counted: InstanceOf[EpisodeStep] | None = None
    """The step whose reward is that of the trace; None outside of episodes."""


class RoundTripTask(vf.Task[RoundTripData, vf.State, RoundTripTaskConfig]):
    """An instance of the benchmark; its answer is the last reply, unless an episode says which."""

    def episode(self, turns: int, final: FinalReward) -> Episode:
        """Return the instance as an episode, whose answers are rewarded as those of the task.

        Args:
            turns: The most answers.
            final: Whether the reward is that of the last answer or of the best one.

        Raises:
            UsageError: The task renders nothing.
            DataError: There is no such instance.
        """
        return Episode(self._reward(), self.data.id or "", turns=turns, final=final)

    def count(
        self, trace: vf.Trace[RoundTripData], answer: str, step: EpisodeStep, rewards: Sequence[float]
    ) -> None:
        """Have a trace rewarded for an answer of its episode.

        Args:
            trace: The trace.
            answer: The answer.
            step: What became of it.
            rewards: The rewards of all answers so far.
        """
        trace.info[_EPISODE] = {"answer": answer, "rewards": list(rewards)}
        trace.state = RoundTripState(counted=step)

    @vf.reward
    async def round_trip(self, trace: vf.Trace[RoundTripData]) -> dict[str, float]:
        """Return the reward under the name of the function that gives it, and record what it is made of.

        The trace gets the metrics ``usable`` (1 or 0) and those of the pair that are defined.

        Raises:
            DataError: The data of the instance is at fault; the trace has an error then, and no reward.
            ServiceError: A service did not answer; the same.
        """
        reward, counted = self._reward(), _counted(trace)
        if counted is not None and counted.reward is not None:
            value, result = counted.reward, counted.result
        else:
            answer = trace.info.get(_EPISODE, {}).get("answer", trace.last_reply)  # of a trace that was read
            (found,) = await reward.judged_async([answer], {"instance": [self.data.id]})
            value, result = found.number(), found.result
        if result is not None:
            known = {name: value for name, value in result.metrics.items() if value is not None}
            trace.record_metrics({"usable": float(result.record.usable), **known})
        return {reward.__name__: value}

    def _reward(self) -> RoundTripReward:
        return _reward(self.data.benchmark, self.data.data, self.config.model_dump_json())


def _counted(trace: vf.Trace[RoundTripData]) -> EpisodeStep | None:
    return trace.state.counted if isinstance(trace.state, RoundTripState) else None


class RoundTripTaskset(vf.Taskset[RoundTripTask, RoundTripTasksetConfig]):
    """The instances of one task of the benchmark."""

    def load(self) -> Iterator[RoundTripTask]:
        """Yield a task for each instance.

        Raises:
            UsageError: The data set holds no such instance, or one of several questions.
            DataError: The data set cannot be read.
        """
        config = self.config
        settings = Settings.load()
        opened = open_task(config.benchmark, Profile(config.task.profile or settings.profile), settings)
        selection = Selection(subsets=tuple(config.subsets), difficulties=tuple(config.difficulties))
        dataset = open_data(config.data, examples=settings.examples, subsets=selection.subsets)
        own = [one for one in dataset.instances if one.task == config.benchmark]
        chosen = list(selection.apply(own)) if own else []
        if not chosen:
            raise UsageError(f"the data set holds no such instance of task {config.benchmark!r}")
        for instance in chosen:
            questions = opened.questions(instance)
            if len(questions) != 1:
                raise UsageError(f"verifiers asks one question a task; {instance.id!r} has {len(questions)}")
            yield RoundTripTask(_data(instance, questions[0], config), config.task)


def _data(instance: Instance, question: Question, config: RoundTripTasksetConfig) -> RoundTripData:
    return RoundTripData(
        id=instance.id,
        name=instance.id,
        prompt=[vf.UserMessage(content=_parts(question))],
        system_prompt=question.system or None,
        benchmark=config.benchmark,
        data=config.data,
        subset=instance.subset,
    )


def _parts(question: Question) -> list[vf.ContentPart]:
    parts: list[vf.ContentPart] = []
    for joined_text in joined_texts(question):
        if isinstance(joined_text, TextPart):
            parts.append(vf.TextContentPart(text=joined_text.text))
        elif isinstance(joined_text, ImagePart):
            parts.append(vf.ImageUrlContentPart(image_url=vf.ImageUrlSource(url=_data_url(joined_text.path))))
    return parts


def _data_url(path: Path) -> str:
    kind = mimetypes.guess_type(path.name)[0] or "image/png"
    return f"data:{kind};base64,{base64.b64encode(path.read_bytes()).decode('ascii')}"


@cache
def _reward(benchmark: str, data: str | None, config: str) -> RoundTripReward:
    """Return what judges all answers of a task; it ends with the process."""
    given = RoundTripTaskConfig.model_validate_json(config)
    return RoundTripReward(
        benchmark,
        weights=given.weights or None,
        failed=given.failed,
        floor=given.floor,
        ceiling=given.ceiling,
        normalize=given.normalize,
        data=data,
        profile=given.profile,
    )
