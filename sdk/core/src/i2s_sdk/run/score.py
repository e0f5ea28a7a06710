"""The stage "score": gives samples their values, and so ends them."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from i2s_client.metrics import AsyncMetricsClient
from i2s_sdk.data.folder import read_content
from i2s_sdk.errors import ProtocolError, ScorerError, ServiceError
from i2s_sdk.instances.instance import Instance
from i2s_sdk.run.caches import ComparedPair, ScoreCache
from i2s_sdk.run.failures import judging
from i2s_sdk.run.pipeline import Sample, Watch
from i2s_sdk.run.storage.folder import RunFolder
from i2s_sdk.run.storage.record import Failure, Outcome, SampleInstance, SampleRendering, SampleScore
from i2s_sdk.scoring.scorer import (
    DrawnScorer,
    MetricValues,
    NotUsable,
    Scorable,
    Scorer,
    ScoresUnusable,
)
from i2s_sdk.scoring.workers import ConversionFetcher, ScorerWorkers, TextConverter
from i2s_sdk.tasks.metrics import image_metrics
from i2s_sdk.tasks.task import Task
from i2s_sdk.tasks.turn import turn_name
from i2s_wire.metrics.profile import Profile
from i2s_wire.metrics.score import MetricFailureKind, MetricResult
from i2s_wire.tracing import current_span, span


@dataclass(frozen=True, slots=True)
class ScoreStep:
    """How the samples of a task are scored."""

    #: Decides sizes and profile.
    task: Task
    #: Compares images; None for a task without metrics of images.
    comparer: AsyncMetricsClient | None
    #: Image metrics that the comparer is asked for.
    image_metrics: tuple[str, ...]
    #: Scorers of the other metrics.
    scorers: tuple[Scorer, ...]
    #: Run the scorers that need limits.
    workers: ScorerWorkers
    #: Converts texts to HTML and draws formulas; None if no scorer needs that.
    convert: TextConverter | None = None
    #: The cache that has values of earlier runs; None asks for all.
    cache: ScoreCache | None = None

    async def score(
        self, rendering: SampleRendering, instance: Instance, reference: bytes, prediction: bytes | None
    ) -> SampleScore:
        """Return the values of what was read and rendered.

        Args:
            rendering: What was read and rendered.
            instance: The instance, with its inputs and target.
            reference: The image, encoded; empty if none is compared.
            prediction: The same of the rendering; None if there is none.

        Raises:
            ServiceError: The metric service does not answer.
            ScorerError: A scorer failed.
            ProtocolError: The metric service answers what it must not.
        """
        sample = Scorable(
            instance.id,
            rendering.structure,
            instance.inputs,
            await asyncio.to_thread(_target, self.task, instance),
            rendering.text,
            rendering.truth,
            rendering.drawn,
            rendering.drawn_truth,
            instance.subset,
        )
        scorers = tuple(one for one in self.scorers if one.applies(sample))
        others = (one for one in self.scorers if one not in scorers)
        without_truth = _without_truth(others, rendering.no_truth)
        outcome = rendering.outcome or Outcome.SCORED
        if not rendering.usable:
            return await self._unusable(scorers, sample, outcome, without_truth)
        images = MetricValues({})
        if prediction is not None and self.image_metrics:
            images = MetricValues(*await self._compared(reference, prediction, instance.id))
        by_scorer: dict[str, MetricValues] = {}
        for scorer in scorers:
            values = await self._values(scorer, sample)
            if isinstance(values, NotUsable) and self._stays_alone(scorer, values):
                values = await self._limited(scorer, sample, values.reason)
            if isinstance(values, NotUsable):
                unusable = await self._unusable(scorers, sample, outcome, without_truth)
                return replace(unusable, not_usable=values.reason)
            by_scorer[scorer.name] = values
        return _score(images, without_truth | by_scorer, outcome)

    def _stays_alone(self, scorer: Scorer, found: NotUsable) -> bool:
        """Return whether what a scorer met costs its own metrics alone.

        A limit of a scorer whose metrics stand beside those of images says nothing of these. In profile
        ``helm`` only scorers of drawn objects have that rule.
        """
        beside_images = bool(image_metrics(self.task)) and self.task.profile is not Profile.HELM
        return isinstance(scorer, DrawnScorer) or (found.by_limit and beside_images)

    async def _limited(self, scorer: Scorer, sample: Scorable, reason: str) -> MetricValues:
        """Return what a sample counts in the metrics of a scorer that met a limit.

        It is what an answer counts that is not usable; nothing is defined if the ground truth alone meets the
        limit.
        """
        values = scorer.unusable(sample)
        if isinstance(scorer, ScoresUnusable) and scorer.scores_unusable:
            alone = await self._values(scorer, replace(sample, structure=None))
            if isinstance(alone, NotUsable):
                names = [metric.name for metric in scorer.metrics]
                return MetricValues(dict.fromkeys(names), dict.fromkeys(names, reason))
            values = alone
        return replace(values, detail={**values.detail, "limit": reason})

    async def _values(self, scorer: Scorer, sample: Scorable) -> MetricValues | NotUsable:
        complete = await ConversionFetcher(self.workers, self.convert).completed(scorer, sample)
        if isinstance(complete, NotUsable):
            return complete
        with span("scorer", {"i2s.scorer": scorer.name}):
            return await self.workers.score(scorer, complete)

    async def _compared(
        self, reference: bytes, prediction: bytes, identity: str
    ) -> tuple[dict[str, float | None], dict[str, str]]:
        assert self.comparer is not None, "a task with metrics of images has the metric service"
        assert self.task.rendering is not None, "only images that were rendered are compared"
        pair = ComparedPair(reference, prediction, self.task.rendering.size_policy, self.task.profile)
        known: dict[str, MetricResult] = {}
        if self.cache is not None:
            known = await asyncio.to_thread(self.cache.known, pair, self.image_metrics)
            current_span().set({"i2s.cached_metrics": len(known)})
        missing = tuple(name for name in self.image_metrics if name not in known)
        if missing:
            score = await self.comparer.score(
                reference,
                prediction,
                size_policy=pair.size_policy,
                profile=pair.profile,
                metrics=missing,
                request_id=identity,
            )
            known |= {result.name: result for result in score.results}
            if self.cache is not None:
                await asyncio.to_thread(self.cache.keep, pair, score.results)
        return _values(known, self.image_metrics)

    async def _unusable(
        self,
        scorers: Iterable[Scorer],
        sample: Scorable,
        outcome: Outcome,
        without_truth: dict[str, MetricValues],
    ) -> SampleScore:
        """Return what a sample that is not usable counts."""
        by_scorer = without_truth | {scorer.name: await self._counted(scorer, sample) for scorer in scorers}
        return _score(MetricValues(dict.fromkeys(self.image_metrics, 0.0)), by_scorer, outcome)

    async def _counted(self, scorer: Scorer, sample: Scorable) -> MetricValues:
        """Return what a sample that is not usable counts: fixed values, or those of nothing at all."""
        if isinstance(scorer, ScoresUnusable) and scorer.scores_unusable:
            values = await self._values(scorer, replace(sample, structure=None))
            if isinstance(values, MetricValues):
                return values
        return scorer.unusable(sample)


def _without_truth(scorers: Iterable[Scorer], reason: str) -> dict[str, MetricValues]:
    """Return the values of scorers that do not apply, by name; none if the instance itself lacks the text.

    Args:
        scorers: Scorers that do not apply.
        reason: Why something of the ground truth is missing; empty if that is no fault.
    """
    if not reason:
        return {}
    names = {scorer.name: [metric.name for metric in scorer.metrics] for scorer in scorers}
    return {
        name: MetricValues(dict.fromkeys(metrics), dict.fromkeys(metrics, reason))
        for name, metrics in names.items()
    }


def _target(task: Task, instance: Instance) -> object:
    """Return the target of an instance; of a task that renders nothing, the text of a target in a file."""
    if task.rendering is not None or instance.target is not None or instance.structure is None:
        return instance.target
    return read_content(instance).structure


def _score(images: MetricValues, by_scorer: Mapping[str, MetricValues], outcome: Outcome) -> SampleScore:
    """Return the values of images and of scorers, the latter by the scorer's name."""
    metrics, undefined = dict(images.metrics), dict(images.undefined)
    parts: dict[str, tuple[float, float]] = {}
    for values in by_scorer.values():
        metrics |= values.metrics
        undefined |= values.undefined
        parts |= values.parts
    detail = {name: values.detail for name, values in by_scorer.items() if values.detail}
    return SampleScore(outcome, None, metrics, undefined, parts, detail)


@dataclass(frozen=True, slots=True)
class ScoreStage:
    """Gives every sample that was read, and rendered if its task renders, its values."""

    #: Steps by task.
    steps: Mapping[str, ScoreStep]
    #: Folder of the run.
    folder: RunFolder

    async def __call__(self, sample: Sample) -> Sample:
        """Return the sample, ended.

        Raises:
            DataError: An image of the run is not there any more.
        """
        identity = sample.instance.id
        if sample.rendering is None:
            sample = replace(sample, answer=self.folder.answer(identity, turn_name(sample.turn)))
            facts, rendering = self.folder.rendering(identity, sample.turn) or (None, None)
        else:
            facts, rendering = sample.facts, sample.rendering
        assert sample.answer is not None, "only what was answered is scored"
        assert facts is not None, "only what was rendered is scored"
        assert rendering is not None, "only what was rendered is scored"
        step = self.steps[sample.instance.task]
        watch = Watch()
        try:
            images = await asyncio.to_thread(self._images, sample, facts, rendering)
            with judging(identity):
                score = await step.score(rendering, sample.instance, *images)
        except (ServiceError, ScorerError, ProtocolError) as error:
            score = SampleScore(outcome=Outcome.METRIC_FAILURE, failure=Failure.of(error))
        return sample.ended_as(facts, rendering, replace(score, seconds=watch.seconds))

    def _images(
        self, sample: Sample, facts: SampleInstance, rendering: SampleRendering
    ) -> tuple[bytes, bytes | None]:
        """Return reference and rendering: those at hand, or as an earlier start stored them.

        A task that compares no images has no references, and gets none.
        """
        if not rendering.has_image or not self.steps[sample.instance.task].image_metrics:
            return b"", None
        return (
            sample.reference or self.folder.image(facts.reference_sha256),
            sample.image or self.folder.image(rendering.sha256),
        )


def _values(
    results: Mapping[str, MetricResult], wanted: tuple[str, ...]
) -> tuple[dict[str, float | None], dict[str, str]]:
    """Return the values by name, and why those are missing that are not defined for the pair.

    Raises:
        ProtocolError: A metric is missing for another reason.
    """
    values: dict[str, float | None] = {}
    undefined: dict[str, str] = {}
    for name in wanted:
        result = results.get(name)
        if result is None:
            raise ProtocolError(f"the metric service did not answer {name!r}")
        if result.failure is not None and result.failure.kind is not MetricFailureKind.UNDEFINED:
            raise ProtocolError(f"{name}: {result.failure.kind.name.lower()}: {result.failure.message}")
        values[name] = result.value
        if result.failure is not None:
            undefined[name] = result.failure.message
    return values, undefined
