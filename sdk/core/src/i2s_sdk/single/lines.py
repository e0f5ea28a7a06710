"""Completions to values, one line each: for tasks whose structures are not rendered."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterable, Mapping
from contextlib import AsyncExitStack, aclosing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from i2s_sdk.data.folder import inputs_fault, target_fault
from i2s_sdk.errors import DataError, UsageError
from i2s_sdk.instances.instance import Content, Instance
from i2s_sdk.json_text import read_json
from i2s_sdk.models.model import Completion
from i2s_sdk.run.conversions import Converters
from i2s_sdk.run.generate import answer_of
from i2s_sdk.run.pipeline import instance_facts
from i2s_sdk.run.render import StructureStep
from i2s_sdk.run.score import ScoreStep
from i2s_sdk.run.steps import available_scorers, converters, scoring_services
from i2s_sdk.run.storage.record import Record
from i2s_sdk.scoring.scorer import ScorerLimits
from i2s_sdk.scoring.workers import ScorerWorkers
from i2s_sdk.settings import Settings
from i2s_sdk.stack.blocking import run_blocking
from i2s_sdk.stack.services import open_services, passing_logs
from i2s_sdk.stats.columns import Columns
from i2s_sdk.tasks.metrics import metrics_of
from i2s_sdk.tasks.registry import SPECS, open_task, task_spec
from i2s_sdk.tasks.task import Task
from i2s_wire.metrics.profile import Profile

_FIELDS = ("id", "completion", "inputs", "target", "subset")


@dataclass(frozen=True, slots=True)
class LineScore:
    """The score of one completion."""

    #: Id as the line has it.
    id: str
    #: Whether the task could read a structure and score it.
    usable: bool
    #: Why not; empty if it is usable.
    reason: str
    #: What the task read out of the completion; None if there is none.
    structure: str | None
    #: Values by name; None if a metric is not defined. What is not usable has the values that count for such
    #: a sample.
    metrics: Mapping[str, float | None]
    #: Why a metric is not defined, by name.
    undefined: Mapping[str, str] = field(default_factory=dict)
    #: Numerator and denominator of each metric that is pooled over samples, by name.
    parts: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    #: How it ended, as in a run: "scored", "no_structure", "refused" or "ended_in_reasoning".
    outcome: str = ""
    #: Kinds of the repairs that made it readable.
    repairs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LineFault:
    """A line that cannot be scored, which is no model's doing."""

    #: Id as the line has it; None if it has none.
    id: str | None
    #: Counted from 1.
    line: int
    #: What is wrong with it.
    fault: str


def score_lines(
    lines: Iterable[bytes],
    task: str,
    *,
    profile: Profile | str | None = None,
    settings: Settings | None = None,
    on_score: Callable[[LineScore], None],
    on_fault: Callable[[LineFault], None] | None = None,
    where: Path = Path("standard input"),
) -> int:
    """Score completions of a task that needs no rendering, and return how many were scored.

    Several are scored at the same time; results and faults come in the order of the lines.

    Args:
        lines: A JSON object each: ``id`` and ``completion``, and ``inputs``, ``target`` and ``subset`` as in
            a data set. A target that is a text file in a data set is its text here. Empty lines are left out.
        task: Its name.
        profile: Profile whose rules are followed; None takes that of the settings.
        settings: None reads environment and configuration file.
        on_score: Called with each result.
        on_fault: Called with each line that is not of this kind, after which the others are scored; None
            raises DataError at the first one.
        where: The lines come from, for messages.

    Raises:
        UnknownNameError: There is no such task.
        UsageError: The task renders, so that its values need services and images.
        DataError: A line is none of this kind, and there is no ``on_fault``; names it.
        ScorerError: A scorer failed.
    """
    settings = settings or Settings.load()
    opened = open_task(task, Profile(profile or settings.profile), settings)
    if opened.rendering is not None:
        others = ", ".join(
            name for name, spec in SPECS.usable().items() if spec.open(opened.profile).rendering is None
        )
        raise UsageError(
            f"task {task!r} compares images: `i2s-sdk score REFERENCE PREDICTION` does. "
            f"Lines are for tasks that need no rendering; there are: {others or 'none'}"
        )
    return run_blocking(_Lines(opened, settings, where).score(lines, on_score, on_fault))


@dataclass(frozen=True, slots=True)
class _Lines:
    task: Task
    settings: Settings
    where: Path

    async def score(
        self,
        lines: Iterable[bytes],
        on_score: Callable[[LineScore], None],
        on_fault: Callable[[LineFault], None] | None,
    ) -> int:
        ours = self.settings
        count = 0
        async with AsyncExitStack() as stack:
            workers = ScorerWorkers(ScorerLimits(ours.scorer_cpu_seconds, ours.scorer_memory_bytes))
            stack.push_async_callback(workers.close)
            converter = await self._converter(stack)
            step = ScoreStep(self.task, None, (), available_scorers(self.task), workers, converter)
            results = await stack.enter_async_context(aclosing(self._in_order(lines, step)))
            async for result in results:
                if isinstance(result, LineScore):
                    on_score(result)
                    count += 1
                elif on_fault is not None:
                    on_fault(result)
                else:
                    raise DataError(self.where, result.line, result.fault)
        return count

    async def _converter(self, stack: AsyncExitStack) -> Converters | None:
        """Return what converts texts and draws formulas, open as long as the stack, if a scorer needs it.

        Raises:
            StackError: A service cannot be started.
            ServiceUnavailableError: It does not serve at its address.
        """
        needed = scoring_services((self.task,), [metric.name for metric in metrics_of(self.task)])
        if not needed:
            return None
        logs = stack.enter_context(passing_logs())
        services = await stack.enter_async_context(open_services(self.settings, logs, sorted(needed)))
        return converters(services, self.task)

    async def _in_order(
        self, lines: Iterable[bytes], step: ScoreStep
    ) -> AsyncGenerator[LineScore | LineFault, None]:
        """Yield results in the order of the lines, a bounded number of them under way."""
        most = self.settings.jobs or 8
        waiting: list[asyncio.Task[LineScore | LineFault]] = []
        try:
            for number, line in enumerate(lines, start=1):
                if not line.strip():
                    continue
                waiting.append(asyncio.create_task(self._result(number, line, step)))
                if len(waiting) >= most:
                    yield await waiting.pop(0)
            while waiting:
                yield await waiting.pop(0)
        finally:
            for task in waiting:
                task.cancel()
            await asyncio.gather(*waiting, return_exceptions=True)

    async def _result(self, number: int, line: bytes, step: ScoreStep) -> LineScore | LineFault:
        plain: object = None
        try:
            plain = _parsed(line)
            instance, completion = self._instance(plain)
        except ValueError as error:
            identity = plain.get("id") if isinstance(plain, dict) else None
            return LineFault(identity if isinstance(identity, str) else None, number, str(error))
        return await self._scored(instance, completion, step)

    async def _scored(self, instance: Instance, completion: str, step: ScoreStep) -> LineScore:
        answer = answer_of(Completion(completion), None, self.settings.completion_characters)
        facts = instance_facts(instance)
        rendering, _ = await StructureStep(self.task).render(facts, Content(), answer)
        score = await step.score(rendering, instance, b"", None)
        record = Record(facts, answer, rendering, score)
        columns = Columns(metrics_of(self.task), task_spec(self.task.name).averages)
        values = columns.of_sample(record)
        return LineScore(
            record.instance.id,
            record.usable,
            "" if record.usable else record.message,
            record.rendering.structure,
            {name: values[name] for name in columns.names if name in values},
            record.score.undefined,
            record.score.parts,
            str(record.outcome),
            tuple(repair.kind for repair in record.rendering.repairs),
        )

    def _instance(self, plain: object) -> tuple[Instance, str]:
        """Return the instance and the completion of a line.

        Raises:
            ValueError: It is none of this kind; says why.
        """
        if not isinstance(plain, dict):
            raise ValueError("is not a JSON object")
        unknown = [name for name in plain if name not in _FIELDS]
        if unknown:
            raise ValueError(f"no field is called {unknown[0]!r}; there are: {', '.join(_FIELDS)}")
        inputs: Any = plain.get("inputs") or {}
        match plain:
            case {"id": str(identity), "completion": str(completion)} if isinstance(inputs, dict):
                name, target = self.task.name, plain.get("target")
                fault = inputs_fault(name, inputs, with_files=False) or target_fault(name, target)
                subset = plain.get("subset") or ""
                if not isinstance(subset, str):
                    raise ValueError("'subset' must be a text")
                instance = Instance(identity, name, subset, None, inputs=inputs, target=target)
                fault = fault or task_spec(name).instance_fault(instance)
                if fault:
                    raise ValueError(fault)
                return instance, completion
        raise ValueError("must have the texts 'id' and 'completion'; 'inputs' is an object or left out")


def _parsed(line: bytes) -> object:
    try:
        return read_json(line.decode("utf-8"))
    except ValueError as error:
        raise ValueError(f"is not JSON: {error}") from None
