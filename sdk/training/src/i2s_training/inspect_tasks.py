"""The tasks of the benchmark for inspect_ai: ``inspect eval i2s/latex --model PROVIDER/NAME``.

inspect_ai asks the model and keeps its log; the prompt, the data and the judgement are ours. It finds this
module by the entry points of the package.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import (
    ChatMessage,
    ChatMessageSystem,
    ChatMessageUser,
    Content,
    ContentImage,
    ContentText,
    GenerateConfig,
    GenerateConfigArgs,
)
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer, stderr
from inspect_ai.solver import Generate, Solver, TaskState, solver

from i2s_sdk.data import DataSet, Instance, Selection, open_data
from i2s_sdk.errors import DataError, UsageError
from i2s_sdk.models.inspect_ai_model import response_schema
from i2s_sdk.run.storage.codec import record_line
from i2s_sdk.settings import Settings
from i2s_sdk.tasks import DECODING, ImagePart, SampledTask
from i2s_sdk.tasks.question import FilePart, joined_texts
from i2s_sdk.tasks.registry import SPECS, open_task, task_spec
from i2s_sdk.tasks.spec import TaskSpec
from i2s_sdk.tasks.task import Task as BenchmarkTask
from i2s_training.completion_scorer import RoundTripResult
from i2s_training.round_trip import RoundTrip
from i2s_wire.metrics.profile import Profile

Builder = Callable[..., Task]

#: Metadata of a sample by which it is asked.
_MAX_TOKENS, _JSON_SCHEMA = "max_tokens", "json_schema"


def _task(
    name: str, data: str | None, subset: str | list[str] | None, difficulty: str | None, profile: str | None
) -> Task:
    """Return a task of the benchmark as inspect_ai has it.

    Args:
        name: Name of the task.
        data: The data set, as ``i2s-sdk evaluate --data`` takes it; None takes the bundled examples.
        subset: A subset of the task, or several joined by commas; None takes all.
        difficulty: The same.
        profile: Profile whose rules are followed; None takes that of the settings.
    """
    selection = Selection(subsets=_names(subset), difficulties=_names(difficulty))
    own = [instance for instance in _data(data, selection.subsets).instances if instance.task == name]
    if not own:
        raise UsageError(f"the data set holds no instance of task {name!r}")
    settings = Settings.load()
    opened = open_task(name, Profile(profile or settings.profile), settings)
    return Task(
        dataset=MemoryDataset(
            [_sample(instance, opened) for instance in selection.apply(own)], name=f"i2s-{name}"
        ),
        solver=ask(),
        scorer=round_trip(task=name, data=data, subset=",".join(selection.subsets), profile=profile),
        config=_decoding(opened),
        version=1,
    )


def _decoding(opened: BenchmarkTask) -> GenerateConfig:
    """Return how completions are drawn, unless the user gives inspect_ai other values.

    inspect_ai has no repetition penalty.
    """
    if not isinstance(opened, SampledTask):
        return GenerateConfig(temperature=DECODING.temperature, max_tokens=DECODING.max_tokens)
    wanted = opened.sampling
    return GenerateConfig(
        temperature=wanted.temperature,
        top_p=wanted.top_p,
        top_k=wanted.top_k,
        max_tokens=DECODING.max_tokens,
    )


def _names(given: str | Sequence[str] | None) -> tuple[str, ...]:
    """Return the names in a value of ``-T``, which inspect_ai splits at commas or does not."""
    parts = given.split(",") if isinstance(given, str) else given or ()
    return tuple(part.strip() for part in parts if part.strip())


@cache
def _data(name: str | None, subsets: tuple[str, ...]) -> DataSet:
    return open_data(name, examples=Settings.load().examples, subsets=subsets)


@cache
def _by_id(name: str | None, subsets: tuple[str, ...]) -> dict[str, Instance]:
    return {instance.id: instance for instance in _data(name, subsets).instances}


def _sample(instance: Instance, opened: BenchmarkTask) -> Sample:
    questions = opened.questions(instance)
    if len(questions) != 1:
        raise UsageError(f"inspect_ai asks one question a sample; {instance.id!r} has {len(questions)}")
    (question,) = questions
    if question.incomplete:
        raise UsageError(question.incomplete)
    parts: list[Content] = [
        ContentImage(image=str(joined_text.path))
        if isinstance(joined_text, ImagePart)
        else ContentText(text=joined_text.text)
        for joined_text in joined_texts(question)
        if not isinstance(joined_text, FilePart)
    ]
    message: list[ChatMessage] = [ChatMessageUser(content=parts)]
    if question.system:
        message.insert(0, ChatMessageSystem(content=question.system))
    about: dict[str, Any] = {"subset": instance.subset, "difficulty": instance.difficulty}
    if question.max_tokens is not None:
        about[_MAX_TOKENS] = question.max_tokens
    if question.json_schema is not None:
        about[_JSON_SCHEMA] = dict(question.json_schema)
    return Sample(input=message, id=instance.id, metadata=about)


@solver
def ask() -> Solver:
    """Return the solver: one question, with its most tokens and its JSON Schema."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        how: GenerateConfigArgs = {}
        if _MAX_TOKENS in state.metadata:
            how["max_tokens"] = state.metadata[_MAX_TOKENS]
        if _JSON_SCHEMA in state.metadata:
            how["response_schema"] = response_schema(state.metadata[_JSON_SCHEMA])
        return await generate(state, **how)

    return solve


@scorer(metrics={"*": [mean(), stderr()]})
def round_trip(task: str, data: str | None = None, subset: str = "", profile: str | None = None) -> Scorer:
    """Return the scorer: the answer is rendered by our services and compared with the image.

    The score has a value for each metric and ``rendered`` (1 or 0), or ``usable`` for a task that renders
    nothing. An answer that is not usable has in each what counts for it; a metric that is not defined for the
    pair is left out of its mean. A failure of the services is an error of the sample in inspect_ai, never a
    score.

    Args:
        task: Task of the benchmark.
        data: The data set of the samples; None is the bundled examples.
        subset: Subsets that were asked for, joined by commas.
        profile: Profile whose rules are followed; None takes that of the settings.
    """

    async def score(state: TaskState, target: Target) -> Score:
        instance = _by_id(data, _names(subset)).get(str(state.sample_id))
        if instance is None:
            raise DataError(_data(data, _names(subset)).folder, 0, f"holds no instance {state.sample_id!r}")
        result = await _trip(task, profile).judge_async(instance, state.output.completion)
        return _score(result)

    return score


@cache
def _trip(task: str, profile: str | None) -> RoundTrip:
    """Return what judges all samples of a task; it ends with the process."""
    return RoundTrip((task,), profile=profile)


def _score(result: RoundTripResult) -> Score:
    record = result.record
    values = {name: math.nan if value is None else value for name, value in record.score.metrics.items()}
    verdict = record.rendering.verdict.name if record.rendering.verdict else record.outcome.name
    return Score(
        value={
            **values,
            "rendered" if task_spec(record.instance.task).renders else "usable": float(record.usable),
        },
        answer=record.rendering.structure,
        explanation=f"{verdict}: {record.message}" if record.message else verdict,
        metadata=_about(result),
    )


def _about(result: RoundTripResult) -> dict[str, Any]:
    plain = record_line(result.record)
    kept = ("outcome", "verdict", "verdict_before_repair", "repairs", "error", "engine_digest", "isolation")
    return {name: plain[name] for name in kept}


def _builder(spec: TaskSpec) -> Builder:
    def build(
        data: str | None = None,
        subset: str | list[str] | None = None,
        difficulty: str | None = None,
        profile: str | None = None,
    ) -> Task:
        return _task(spec.name, data, subset, difficulty, profile)

    build.__name__ = spec.name
    build.__doc__ = f"{spec.title}; see ``_task`` for the arguments."
    return build


def _registered(build: Builder) -> Builder:
    """Register a task as i2s/NAME.

    inspect_ai puts the name of the package of a function's module before the name of a task. Ours would be
    i2s_sdk/NAME; of the namespace i2s, which is not a package of its own, it takes the name as it is given.
    """
    build.__module__ = "i2s"
    return task(name=f"i2s/{build.__name__}")(build)


#: Builders by name; inspect_ai finds them once they are registered.
BUILDERS = {name: _registered(_builder(spec)) for name, spec in SPECS.usable().items()}
