"""Completions to values, one line each: for tasks whose structures are not rendered."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from i2s_sdk.data.schema_faults import inputs_fault, target_fault
from i2s_sdk.errors import DataError, UsageError
from i2s_sdk.evaluation.render import StructureStep
from i2s_sdk.evaluation.run_metrics import available_scorers
from i2s_sdk.evaluation.sample import blank
from i2s_sdk.evaluation.score import ScoreStep
from i2s_sdk.instances.content import Content
from i2s_sdk.instances.instance import Instance
from i2s_sdk.json_text import read_json
from i2s_sdk.models.model import Completion
from i2s_sdk.runlog.answer import Answer
from i2s_sdk.scoring.limits import ScorerLimits
from i2s_sdk.scoring.workers import ScorerWorkers
from i2s_sdk.settings import Settings
from i2s_sdk.stack.blocking import run_blocking
from i2s_sdk.tasks.metrics import metrics_of
from i2s_sdk.tasks.registry import SPECS, open_task, task_spec
from i2s_sdk.tasks.task import Task
from i2s_wire.metrics.profile import Profile

_FIELDS = ("id", "completion", "inputs", "target")


@dataclass(frozen=True, slots=True)
class LineScore:
    """What became of one completion.

    Attributes:
        id: As the line has it.
        usable: Whether the task could read a structure and score it.
        reason: Why not; empty where it is usable.
        structure: What the task read out of the completion; None where there is none.
        metrics: Values by name; None where a metric is not defined. What is not usable has the values that
            count for such a sample.
        undefined: Why a metric is not defined, by name.
        parts: Numerator and denominator of each metric that is pooled over samples, by name.
    """

    id: str
    usable: bool
    reason: str
    structure: str | None
    metrics: Mapping[str, float | None]
    undefined: Mapping[str, str] = field(default_factory=dict)
    parts: Mapping[str, tuple[float, float]] = field(default_factory=dict)


def score_lines(
    lines: Iterable[bytes],
    task: str,
    *,
    profile: Profile | str | None = None,
    settings: Settings | None = None,
    on_score: Callable[[LineScore], None],
    where: Path = Path("standard input"),
) -> int:
    """Score completions of a task that needs no rendering, and return how many there were.

    Several are scored at the same time; results come in the order of the lines, those before a line that is
    not well-formed too.

    Args:
        lines: A JSON object each: ``id`` and ``completion``, and ``inputs`` and ``target`` as in a data set.
            Empty lines are left out.
        task: Its name.
        profile: Which rules; None takes that of the settings.
        settings: None reads environment and configuration file.
        on_score: Called with each result.
        where: The lines come from, for messages.

    Raises:
        UnknownNameError: There is no such task.
        UsageError: The task renders, so that its values need services and pictures.
        DataError: A line is none of this kind; names it.
        ScorerError: A scorer failed.
    """
    settings = settings or Settings.load()
    opened = open_task(task, Profile(profile or settings.profile), settings)
    if opened.rendering is not None:
        others = ", ".join(
            name for name, spec in SPECS.items() if spec.open(opened.profile).rendering is None
        )
        raise UsageError(
            f"task {task!r} compares pictures: `i2s-sdk score REFERENCE PREDICTION` does. "
            f"Lines are for tasks that need no rendering; there are: {others or 'none'}"
        )
    return run_blocking(_Lines(opened, settings, where).score(lines, on_score))


@dataclass(frozen=True, slots=True)
class _Lines:
    task: Task
    settings: Settings
    where: Path

    async def score(self, lines: Iterable[bytes], on_score: Callable[[LineScore], None]) -> int:
        ours = self.settings
        workers = ScorerWorkers(ScorerLimits(ours.scorer_cpu_seconds, ours.scorer_memory_bytes))
        step = ScoreStep(self.task, None, (), available_scorers(self.task), workers)
        count = 0
        try:
            async for found in self._in_order(lines, step):
                on_score(found)
                count += 1
        finally:
            await workers.close()
        return count

    async def _in_order(self, lines: Iterable[bytes], step: ScoreStep) -> AsyncIterator[LineScore]:
        """Yield results in the order of the lines, a bounded number of them under way."""
        most = self.settings.jobs or 8
        waiting: list[asyncio.Task[LineScore]] = []
        fault: DataError | None = None
        try:
            for number, line in enumerate(lines, start=1):
                if not line.strip():
                    continue
                try:
                    instance, completion = self._read(number, line)
                except DataError as error:
                    fault = error
                    break
                waiting.append(asyncio.create_task(self._scored(instance, completion, step)))
                if len(waiting) >= most:
                    yield await waiting.pop(0)
            while waiting:
                yield await waiting.pop(0)
            if fault is not None:
                raise fault
        finally:
            for one in waiting:
                one.cancel()
            await asyncio.gather(*waiting, return_exceptions=True)

    async def _scored(self, instance: Instance, completion: str, step: ScoreStep) -> LineScore:
        answer = Answer.of(instance.id, Completion(completion), 0.0, self.settings.completion_characters)
        rendered, _ = await StructureStep(self.task).rendered(blank(instance), Content(), answer)
        record = await step.scored(rendered, instance, b"", None)
        names = [metric.name for metric in metrics_of(self.task)]
        return LineScore(
            record.id,
            record.usable,
            "" if record.usable else record.message,
            record.structure,
            {name: record.metrics[name] for name in names if name in record.metrics},
            record.undefined,
            record.parts,
        )

    def _read(self, number: int, line: bytes) -> tuple[Instance, str]:
        try:
            plain = read_json(line.decode("utf-8"))
        except ValueError as error:
            raise DataError(self.where, number, f"is not JSON: {error}") from None
        if not isinstance(plain, dict):
            raise DataError(self.where, number, "is not a JSON object")
        unknown = [name for name in plain if name not in _FIELDS]
        if unknown:
            raise DataError(
                self.where, number, f"no field is called {unknown[0]!r}; there are: {', '.join(_FIELDS)}"
            )
        inputs: Any = plain.get("inputs") or {}
        match plain:
            case {"id": str(identity), "completion": str(completion)} if isinstance(inputs, dict):
                name, target = self.task.name, plain.get("target")
                fault = inputs_fault(name, inputs, with_files=False) or target_fault(name, target)
                instance = Instance(identity, name, "", None, inputs=inputs, target=target)
                fault = fault or task_spec(name).instance_fault(instance)
                if fault:
                    raise DataError(self.where, number, fault)
                return instance, completion
        raise DataError(
            self.where, number, "must have the texts 'id' and 'completion'; 'inputs' is an object or left out"
        )
