"""The runner of a run: takes the samples that remain through stages, with the services that these need."""

from __future__ import annotations

import asyncio
import enum
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace

from i2s_client.service_table import DOCUMENTS
from i2s_sdk.data.locations import note_location
from i2s_sdk.errors import DataError, RunConflictError
from i2s_sdk.instances.instance import Instance
from i2s_sdk.instances.references import require_usable_references
from i2s_sdk.models.model import Model
from i2s_sdk.models.options import option_words
from i2s_sdk.run.caches import Caches, open_caches
from i2s_sdk.run.failures import LikeFailures
from i2s_sdk.run.generate import DocumentPages, GenerateStage
from i2s_sdk.run.pipeline import (
    OnProgress,
    PipelineStage,
    Progress,
    Sample,
    SampleTraces,
    noted_waits,
    run_pipeline,
)
from i2s_sdk.run.plan import Plan, facts
from i2s_sdk.run.render import RenderStage
from i2s_sdk.run.score import ScoreStage
from i2s_sdk.run.steps import optional_services, read_steps, run_metrics, score_steps, scoring_services
from i2s_sdk.run.storage.folder import LOGS, RunFolder
from i2s_sdk.run.storage.index import marked_calls
from i2s_sdk.run.storage.manifest import LABEL, NOTE, Manifest
from i2s_sdk.run.truths import Truths
from i2s_sdk.run.turns import Turns
from i2s_sdk.scoring.scorer import ScorerLimits
from i2s_sdk.scoring.workers import ScorerWorkers
from i2s_sdk.settings import Settings
from i2s_sdk.stack.services import Services, open_services
from i2s_sdk.tasks.question import ImagePart
from i2s_sdk.tasks.task import DocumentTask, Task
from i2s_wire.documents import DocumentsDescription
from i2s_wire.metrics.description import MetricsDescription
from i2s_wire.render.description import RendererDescription


class StageName(enum.StrEnum):
    """The stages, in order."""

    GENERATE = "generate"
    RENDER = "render"
    SCORE = "score"


#: Samples in the stage "generate" for a model that does not say how many calls it bears.
_CALLS = 4


@dataclass(frozen=True, slots=True)
class Needs:
    """Services that instances need."""

    #: Names of renderers.
    renderers: frozenset[str]
    #: Names of other services.
    others: frozenset[str]
    #: Whether there are instances that need no renderer.
    without: bool = False
    #: Names of services without which metrics are missing and nothing else.
    optional: frozenset[str] = frozenset()


@asynccontextmanager
async def open_needed(
    settings: Settings, folder: RunFolder, needs: Sequence[Needs]
) -> AsyncIterator[Services]:
    """Have the services that some runs need.

    If all instances need one renderer, there is nothing to go on with if it is missing; otherwise a
    renderer may be missing, and the samples that need it are stopped.

    Args:
        settings: Where the services are.
        folder: Folder of a run, for their logs.
        needs: What each run needs.

    Raises:
        StackError: A service cannot be started.
        ServiceError: A service that was named does not answer.
    """
    renderers = frozenset[str]().union(*(need.renderers for need in needs))
    others = frozenset[str]().union(*(need.others for need in needs))
    without = any(need.without for need in needs)
    spare = frozenset[str]().union(*(need.optional for need in needs)) - renderers - others
    optional = renderers - others if len(renderers) > 1 or without else frozenset[str]()
    wanted = sorted(renderers | others | spare)
    with folder.storage.folder(LOGS) as logs:
        async with open_services(settings, logs, wanted, optional | spare) as services:
            lost = [
                services.missing[renderer] for renderer in sorted(renderers) if renderer in services.missing
            ]
            if lost and not services.renderers and not without:
                raise lost[0]
            yield services


@dataclass(frozen=True, slots=True)
class Runner:
    """Stages of a run that follow each other."""

    #: Plan of the run.
    plan: Plan
    #: Folder of the run, open.
    folder: RunFolder
    #: Stages that are done now.
    stages: tuple[StageName, ...]
    #: How many at once, and where the services are.
    settings: Settings
    #: Called as samples go on.
    on_progress: OnProgress
    #: The model that is asked if "generate" is among the stages.
    model: Model | None = None
    #: Name of the run in its progress; empty takes that of the model.
    name: str = ""
    #: Ground truths that were rendered for runs with the same services; None keeps those of this run.
    truths: Truths | None = None

    async def run(self) -> None:
        """Do what remains; nothing is started if nothing remains.

        Raises:
            RunConflictError: The folder holds a run with other options.
            DataError: A reference is not an image within bounds.
            StackError: A service cannot be started.
            ServiceError: A service that was named does not answer.
        """
        pending = await self.pending()
        if pending is None:
            return
        await self.preflight(pending)
        async with open_needed(self.settings, self.folder, [self.needs(pending)]) as services:
            await self.work(pending, services)

    async def preflight(self, remaining: Sequence[Instance]) -> None:
        """Ask the model a small question before anything is started, if a question has no kept answer.

        Raises:
            ModelAccessError: It does not answer.
        """
        if self.model is None or StageName.GENERATE not in self.stages:
            return
        answers = self.folder.answers.marks
        unanswered = (one for one in remaining if one.id not in answers or not answers[one.id].final)
        for instance in unanswered:
            task = self.plan.tasks[instance.task]
            if not await _is_kept(self.model, task, instance):
                await self.model.preflight(_shows_image(task, instance))
                return

    async def pending(self) -> list[Instance] | None:
        """Return what remains to be done; None if the run was begun and nothing remains.

        A run that was begun gets the label and the note that are given now.

        Raises:
            RunConflictError: The folder holds a run with other options.
            DataError: A reference is not an image within bounds.
        """
        manifest = self.folder.manifest()
        if manifest is not None:  # differences are told before anything is started
            ours = self.plan.options(manifest.options.engines, manifest.options.metrics)
            self._require_scorers(manifest)
            ours.require_same(manifest.options, self.folder.storage)
            self.folder.tell({**manifest.about, **self._given()})
        remaining = self.remaining()
        if (turns := self._turns) is not None:
            first = {instance.id for instance in remaining}
            others = (instance for instance in self.plan.instances if instance.id not in first)
            remaining += [instance for instance in others if turns.any_remaining(instance)]
        if manifest is not None and not remaining:
            return None
        await asyncio.to_thread(require_usable_references, remaining, self.settings.reference_pixels)
        return remaining

    @property
    def _turns(self) -> Turns | None:
        """The turns after the first; None if the run has none."""
        if self.plan.turns == 1:
            return None
        assert self.model is not None, "a run with turns asks a model"
        return Turns(self.folder, self.plan.tasks, self.plan.turns, self.model)

    def _require_scorers(self, manifest: Manifest) -> None:
        """Check that a run whose samples have scores was begun with the scorers of the user.

        Raises:
            RunConflictError: It was not; says how its answers get these values.
        """
        known, run = manifest.options.metrics, self.folder.storage
        for scorer in self.plan.scorers:
            if known and any(known.get(metric.name) != scorer.version for metric in scorer.metrics):
                raise RunConflictError(
                    f"{run} was begun without --scorer {scorer.name}, or with another version of its file; "
                    f"score its answers in another folder: i2s-sdk evaluate --model replay:{run} "
                    f"--scorer {scorer.name} --out FOLDER"
                )

    def needs(self, remaining: Sequence[Instance]) -> Needs:
        """Return the services that some instances need."""
        return Needs(
            frozenset(self._renderers(remaining)),
            frozenset(self._scoring_services() | self._drawing_services(remaining)),
            any(self.plan.tasks[instance.task].rendering is None for instance in remaining),
            frozenset(self._optional_services()),
        )

    def remaining(self) -> list[Instance]:
        """Return the instances that are ready for the first of the stages and not through the last.

        A failure of ours is tried again. Those come first that have an answer, so that renderers have work
        while the model is asked.
        """
        folder, first, last = self.folder, self.stages[0], self.stages[-1]
        answers, done = folder.answers.marks, folder.ended.marks
        with_answer: list[Instance] = []
        unanswered: list[Instance] = []
        for instance in self.plan.instances:
            answered = instance.id in answers and answers[instance.id].final
            rendered = instance.id in folder.renderings
            ready = {StageName.GENERATE: True, StageName.RENDER: answered, StageName.SCORE: rendered}[first]
            through = {StageName.GENERATE: answered, StageName.RENDER: rendered, StageName.SCORE: False}[last]
            if ready and not through and not (instance.id in done and done[instance.id].outcome.counts):
                (with_answer if answered else unanswered).append(instance)
        return with_answer + unanswered

    def _renderers(self, remaining: Sequence[Instance]) -> set[str]:
        if StageName.RENDER not in self.stages:
            return set()
        rendered = self.folder.renderings if self.plan.turns == 1 else ()
        tasks = {instance.task for instance in remaining if instance.id not in rendered}
        renderings = (self.plan.tasks[task].rendering for task in tasks)
        return {name for rendering in renderings if rendering is not None for name in rendering.services}

    def _scoring_services(self) -> set[str]:
        return scoring_services(self.plan.tasks.values()) if StageName.SCORE in self.stages else set()

    def _optional_services(self) -> set[str]:
        if StageName.SCORE not in self.stages:
            return set()
        return optional_services(self.plan.tasks.values(), self.plan.whole)

    def _drawing_services(self, remaining: Sequence[Instance]) -> set[str]:
        """Return the documents service if pages of documents have to be drawn for the model."""
        if self.model is None or StageName.GENERATE not in self.stages or self.model.whole:
            return set()
        answers = self.folder.answers.marks
        unanswered = (
            instance for instance in remaining if instance.id not in answers or not answers[instance.id].final
        )
        drawn = any(_has_document(self.plan.tasks[instance.task], instance) for instance in unanswered)
        return {DOCUMENTS} if drawn else set()

    async def work(self, remaining: Sequence[Instance], services: Services) -> None:
        """Take instances through the stages.

        Args:
            remaining: The instances that ``pending`` returned.
            services: The services that they need, open.
        """
        engines = {name: await renderer.describe() for name, renderer in services.renderers.items()}
        comparer = await services.metrics.describe() if services.metrics is not None else None
        documents = await services.documents.describe() if services.documents is not None else None
        manifest = self._begun(services, engines, comparer, documents)
        ours, caches = self.settings, open_caches(self.settings)
        truths = self.truths or Truths(ours.truth_characters)
        workers = ScorerWorkers(ScorerLimits(ours.scorer_cpu_seconds, ours.scorer_memory_bytes))
        failures, turns = LikeFailures(ours.like_failures), self._turns
        works = {
            StageName.GENERATE: lambda: self._generating(services, comparer, caches, failures),
            StageName.RENDER: lambda: self._rendering(services, engines, comparer, caches, truths),
            StageName.SCORE: lambda: self._scoring(services, engines, manifest, comparer, workers, caches),
        }
        tally = _Tally(self)
        tally.notify("")

        traces = SampleTraces(self.folder.path, self.plan.model, str(self.plan.profile))

        def done(sample: Sample) -> None:
            traces.ended(sample)
            if (record := sample.record) is not None:
                if turns is not None:
                    record = replace(record, turn=turns.placed(sample.instance, record))
                self.folder.append(record)
                tally.ended(sample)

        async def take(instances: Sequence[Instance], turn: int = 1) -> None:
            source: Iterator[Sample] = (Sample(instance, turn=turn) for instance in instances)
            stages = [traces.traced(name, tally.counted(works[name]())) for name in self.stages]
            await run_pipeline(source, stages, lambda sample: sample.ended, done)

        try:
            with marked_calls(self.model, self.folder.calls), noted_waits(self.model, tally.note):
                if turns is None:
                    await take(remaining)
                    return
                await take(self.remaining())
                for turn in range(2, self.plan.turns + 1):
                    if instances := turns.remaining(self.plan.instances, turn):
                        failures.answered()  # in the turn before, so that what is done is never given up
                        tally.begin_turn(turn, len(instances))
                        await take(instances, turn)
        finally:
            traces.close()
            await workers.close()

    def _begun(
        self,
        services: Services,
        engines: Mapping[str, RendererDescription],
        comparer: MetricsDescription | None,
        documents: DocumentsDescription | None,
    ) -> Manifest:
        note_location(self.plan.data)
        versions: dict[str, str] = {}
        unavailable: dict[str, str] = {}
        if StageName.SCORE in self.stages:
            tasks = self.plan.tasks.values()
            missing = {name: error.message for name, error in services.missing.items()}
            idle = optional_services(tasks) - self._optional_services()
            versions, unavailable = run_metrics(tasks, comparer, self.plan.scorers, missing, idle)
        digests = {engine.service: engine.engine.digest for engine in engines.values()}
        if documents is not None:
            digests |= {f"{documents.service} {engine.name}": engine.digest for engine in documents.engines}
        model = self.model
        asked = model.options if model is not None else None
        return self.folder.begin(
            Manifest(
                options=self.plan.options(digests, versions),
                unavailable=unavailable,
                about=self._given()
                | facts(
                    self.plan,
                    tuple(engines.values()),
                    comparer,
                    documents,
                    whole=model is not None and model.whole,
                    options=option_words(asked, self.settings),
                    max_tokens=asked.max_tokens if asked is not None else None,
                    answer_cache=model is not None and model.takes_kept_answers,
                ),
            ),
            self.plan.whole,
        )

    def _given(self) -> dict[str, str]:
        """Return the facts that the user gives the run."""
        given = {LABEL: " ".join(self.settings.label.split()), NOTE: self.settings.note}
        return {name: text for name, text in given.items() if text}

    def _generating(
        self,
        services: Services,
        comparer: MetricsDescription | None,
        caches: Caches,
        failures: LikeFailures,
    ) -> PipelineStage[Sample]:
        assert self.model is not None
        self.model.prepare(self.plan.whole)
        pixels = self.settings.reference_pixels
        if comparer is not None:  # what it would refuse is no use to ask a model for
            pixels = min(pixels, comparer.max_image_pixels)
        work = GenerateStage(
            self.plan.tasks,
            self.model,
            self.folder,
            services.missing,
            pixels,
            self.settings.completion_characters,
            failures,
            DocumentPages(services.documents) if services.documents is not None else None,
            self.plan.prompts,
            caches.scores,
        )
        return PipelineStage(work, self.model.concurrency or _CALLS)

    def _rendering(
        self,
        services: Services,
        engines: Mapping[str, RendererDescription],
        comparer: MetricsDescription | None,
        caches: Caches,
        truths: Truths,
    ) -> PipelineStage[Sample]:
        steps = read_steps(self.plan.tasks, services, engines, comparer, caches=caches, truths=truths)
        return self._stage(RenderStage(steps, self.folder), [engine.slots for engine in engines.values()])

    def _scoring(
        self,
        services: Services,
        engines: Mapping[str, RendererDescription],
        manifest: Manifest,
        comparer: MetricsDescription | None,
        workers: ScorerWorkers,
        caches: Caches,
    ) -> PipelineStage[Sample]:
        metrics = manifest.options.metrics
        own = self.plan.scorers
        steps = score_steps(
            self.plan.tasks, services, metrics, workers, comparer, caches, own, engines=engines
        )
        return self._stage(ScoreStage(steps, self.folder), [comparer.slots] if comparer else [])

    def _stage(
        self, work: Callable[[Sample], Awaitable[Sample]], slots: Sequence[int]
    ) -> PipelineStage[Sample]:
        jobs = self.settings.jobs or max(2, 2 * max(slots, default=1))
        return PipelineStage(work, jobs, self.settings.waiting or jobs)


async def _is_kept(model: Model, task: Task, instance: Instance) -> bool:
    """Return whether the cache of a model has the answers to all questions about an instance.

    Pages of documents are not looked up: they would have to be drawn for it.
    """
    if isinstance(task, DocumentTask):
        return False
    try:
        return all([await model.is_kept(instance, question) for question in task.questions(instance)])
    except DataError:  # the stage that asks says so of the sample
        return False


def _has_document(task: Task, instance: Instance) -> bool:
    """Return whether pages of a document are drawn for a question about an instance."""
    try:
        return isinstance(task, DocumentTask) and task.document_of(instance) is not None
    except DataError:  # the stage that asks says so of the sample
        return False


def _shows_image(task: Task, instance: Instance) -> bool:
    """Return whether a question about an instance has an image."""
    if isinstance(task, DocumentTask):
        return True
    return any(
        isinstance(part, ImagePart) for question in task.questions(instance) for part in question.parts
    )


class _Tally:
    """Counts the samples that each stage has finished, and reports the progress."""

    def __init__(self, runner: Runner) -> None:
        self._folder, self._on_progress = runner.folder, runner.on_progress
        self._planned, self._name = len(runner.plan.instances), runner.name or runner.plan.model
        self._finished = sum(mark.outcome.counts for mark in self._folder.ended.marks.values())
        self._note, self._turn, self._turn_samples, self._turn_ended = "", 1, 0, 0

    def begin_turn(self, turn: int, samples: int) -> None:
        """Say that a turn after the first begins, with so many samples."""
        self._turn, self._turn_samples, self._turn_ended = turn, samples, 0
        self.note("")

    def ended(self, sample: Sample) -> None:
        """Count a sample that has ended, or a turn of it."""
        if self._turn == 1:
            self._finished += 1
        else:
            self._turn_ended += 1
        self.notify(sample.instance.id)

    def note(self, line: str) -> None:
        """Say what the model waits for."""
        self._note = line
        self.notify(self._name)

    def notify(self, last: str) -> None:
        """Say how far the run is."""
        folder = self._folder
        self._on_progress(
            Progress(
                self._planned,
                folder.answered,
                len(folder.renderings),
                self._finished,
                folder.paid,
                last,
                self._name,
                self._note,
                turn=self._turn_progress(),
            )
        )

    def _turn_progress(self) -> str:
        return "" if self._turn == 1 else f"turn {self._turn}: {self._turn_ended} of {self._turn_samples}"

    def counted(self, stage: PipelineStage[Sample]) -> PipelineStage[Sample]:
        """Return the stage with its progress told."""

        async def work(sample: Sample) -> Sample:
            sample = await stage.work(sample)
            if not sample.ended:
                self.notify(sample.instance.id)
            return sample

        return PipelineStage(work, stage.jobs, stage.waiting)
