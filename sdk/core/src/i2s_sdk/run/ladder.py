"""Which metrics put answers of a known order into that order: answers graded by construction, all scored.

Each grade of answers is a model (``GradedModel``), and the models are evaluated as any others are, with a run
folder each, so a ladder is resumed by the same call, and its report shows every answer.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import Any, Unpack

from i2s_sdk.data.folder import read_content
from i2s_sdk.errors import DataError, ModelError, UsageError
from i2s_sdk.instances.instance import Instance
from i2s_sdk.models.baselines import BlankBaseline, ConstantBaseline, Oracle, ShuffledBaseline
from i2s_sdk.models.model import Completion, Finish, Model
from i2s_sdk.run.evaluate import evaluate_several
from i2s_sdk.run.pipeline import OnProgress
from i2s_sdk.run.plan import SelectionArgs, resolve_selection
from i2s_sdk.run.storage.folder import StoredRun, read_run
from i2s_sdk.run.storage.interface import PathOrUrl
from i2s_sdk.run.storage.record import Record, SampleAnswer
from i2s_sdk.settings import Settings
from i2s_sdk.stats.aggregate import task_columns
from i2s_sdk.stats.columns import Columns
from i2s_sdk.stats.ladder import GradedValue, TaskLadder, metric_orders
from i2s_sdk.tasks.graded import Rung
from i2s_sdk.tasks.question import Question
from i2s_sdk.tasks.registry import task_spec

#: Seed of the places at which answers are changed.
SEED = 1

#: Rungs that models answer which there are anyway.
_BY_MODELS: Mapping[Rung, type[Model]] = {
    Rung.PERFECT: Oracle,
    Rung.OTHER: ShuffledBaseline,
    Rung.BLANK: BlankBaseline,
    Rung.CONSTANT: ConstantBaseline,
}


class GradedModel(Model):
    """Answers with the ground truth changed in one way; with nothing where there is nothing to change.

    Args:
        grade: Name of the grade.
        seed: Decides the place of the change, together with the id of the instance.
    """

    single_turn = "it only knows the one answer"
    whole = True

    def __init__(self, grade: str, seed: int = SEED) -> None:
        self._grade, self._seed = grade, seed
        self.name, self.fingerprint = f"ladder/{grade.replace(' ', '-')}", f"4, seed {seed}"

    async def complete(self, instance: Instance, question: Question) -> Completion:
        """Return the changed ground truth as the task writes it.

        Raises:
            ModelError: The ground truth cannot be read.
        """
        return Completion(await asyncio.to_thread(self._answer, instance, question), Finish.STOP)

    def _answer(self, instance: Instance, question: Question) -> str:
        spec = task_spec(instance.task)
        grade = next((one for one in spec.grades if one.name == self._grade), None)
        if grade is None or not _has_truth(instance):
            return ""
        try:
            content = read_content(instance)
        except DataError as error:
            raise ModelError(error.message) from None
        chance = Random(f"{self._seed} {instance.id} {self._grade}")  # noqa: S311 - no secret
        changed = grade.change(content, chance)
        return "" if changed is None else spec.answer(changed, question)


@dataclass(frozen=True, slots=True)
class Ladder:
    """The ladders of the tasks of a data set."""

    #: Of each task, followed by those of its subsets if it has several.
    tasks: tuple[TaskLadder, ...]
    #: Folder of the runs and of their report.
    folder: PathOrUrl

    def to_json(self) -> dict[str, Any]:
        """Return the numbers as JSON has them."""
        return {"tasks": [task.to_json() for task in self.tasks]}


def ladder(
    data: Path | str | None = None,
    *,
    out: PathOrUrl,
    settings: Settings | None = None,
    on_progress: OnProgress | None = None,
    **wanted: Unpack[SelectionArgs],
) -> Ladder:
    """Grade answers by construction, score them, and return how often each metric has them in their order.

    >>> ladder("my-set", out="runs/ladder").tasks[0].metrics  # doctest: +SKIP

    Args:
        data: The data set: a folder, or ``hf:OWNER/NAME``; None takes the bundled examples.
        out: Folder of the runs; the same call goes on where an earlier one stopped.
        settings: None reads environment and configuration file.
        on_progress: See ``evaluate``; called for one grade after the other.
        wanted: See ``evaluate``; ``seed`` also decides the places at which answers are changed.

    Raises:
        UsageError: A name or the data set does not fit, or no task of it has graded answers.
        StackError: A service cannot be started.
        ServiceError: A service that was named does not answer.
    """
    settings = replace(settings or Settings.load(), reference_points="no")
    choice = resolve_selection(data, settings, **wanted)
    graded = {name for name in choice.tasks if task_spec(name).grades}
    samples = [
        instance.id for instance in choice.instances if instance.task in graded and _has_truth(instance)
    ]
    if not samples:
        raise UsageError("no instance has a ground truth that can be graded")
    names = list(dict.fromkeys(grade.name for task in choice.tasks for grade in task_spec(task).grades))
    models: list[Model] = [of() for of in _BY_MODELS.values()]
    seed = wanted.get("seed")
    models += [GradedModel(name, SEED if seed is None else seed) for name in names]
    chosen: SelectionArgs = {"profile": choice.profile, "samples": samples}
    ended = evaluate_several(
        choice.data.folder, models, out=out, settings=settings, on_progress=on_progress, **chosen
    )
    if ended.errors:
        raise next(iter(ended.errors.values()))
    runs = {name: read_run(run.folder) for name, run in ended.runs.items()}
    return Ladder(_ladders(runs, names), out)


#: What a graded model says where there is nothing to change.
_EMPTY = SampleAnswer("").completion_digest


def _ladders(runs: Mapping[str, StoredRun], names: Sequence[str]) -> tuple[TaskLadder, ...]:
    rung_of = {of().name: (rung, str(rung)) for rung, of in _BY_MODELS.items()}
    rung_of |= {GradedModel(name).name: (_rung(name), name) for name in names}
    by_task: dict[str, list[tuple[Record, Rung, str]]] = {}
    for model, run in runs.items():
        for record in run.records.values():
            if record.answer.completion_digest == _EMPTY and model.startswith("ladder/"):
                continue  # there was nothing to change
            by_task.setdefault(record.instance.task, []).append((record, *rung_of[model]))
    first = next(iter(runs.values()))
    ladders = []
    for task, answers in by_task.items():
        columns = task_columns(first.manifest, task)
        subsets = sorted({record.instance.subset for record, _, _ in answers})
        for subset in ("", *(subsets if len(subsets) > 1 else ())):
            own = [answer for answer in answers if subset in ("", answer[0].instance.subset)]
            ladders.append(_ladder(task, subset, own, columns))
    return tuple(ladders)


def _ladder(
    task: str, subset: str, answers: Sequence[tuple[Record, Rung, str]], columns: Columns
) -> TaskLadder:
    judged = [
        GradedValue(record.instance.id, rung, name, _values(record, columns))
        for record, rung, name in answers
        if record.outcome.counts and (record.usable or rung in (Rung.BLANK, Rung.CONSTANT))
    ]
    return TaskLadder(
        task,
        subset,
        len({record.instance.id for record, _, _ in answers}),
        len(answers) - len(judged),
        len(judged),
        tuple(
            metric_orders(
                judged, columns.names, [metric.name for metric in columns.metrics if metric.lower_is_better]
            )
        ),
    )


def _values(record: Record, columns: Columns) -> dict[str, float | None]:
    """Return the value of each column for a sample; an average is that of the metrics that have one."""
    values: dict[str, float | None] = {}
    for name in columns.names:
        parts = [record.score.metrics.get(metric.name) for metric in columns.metrics_of(name)]
        known = [part for part in parts if part is not None]
        values[name] = sum(known) / len(known) if known else None
    return values


def _rung(name: str) -> Rung:
    """Return the rung of a grade: its own, or that of equivalent forms."""
    return Rung(name) if name in tuple(Rung) else Rung.EQUIVALENT


def _has_truth(instance: Instance) -> bool:
    return instance.structure is not None or instance.target is not None
