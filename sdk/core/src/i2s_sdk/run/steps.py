"""The steps of the completions of each task with the services at hand, and the metrics that a run has."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from types import MappingProxyType

from i2s_client.service_table import DOCUMENTS, METRICS
from i2s_sdk.errors import I2SError
from i2s_sdk.instances.instance import Instance
from i2s_sdk.run.caches import CachedRenderer, Caches, Renderer, ScoreCache
from i2s_sdk.run.conversions import FORMULA_RENDERER, Converters, FormulaDrawer, HtmlConverter
from i2s_sdk.run.render import ReadStep, RenderStep, StructureStep, image_limits
from i2s_sdk.run.score import ScoreStep
from i2s_sdk.run.truths import Truths
from i2s_sdk.scoring.scorer import (
    FORMULA,
    DrawnScorer,
    OptionalConversions,
    OptionalFormulas,
    Scorer,
    conversion_formats,
)
from i2s_sdk.scoring.workers import ScorerWorkers
from i2s_sdk.stack.services import Services
from i2s_sdk.tasks.metrics import image_metrics, scorers_of
from i2s_sdk.tasks.task import Task
from i2s_wire.metrics.description import MetricsDescription
from i2s_wire.render.description import RendererDescription


def run_metrics(
    tasks: Iterable[Task],
    comparer: MetricsDescription | None,
    own: Iterable[Scorer] = (),
    missing: Mapping[str, str] = MappingProxyType({}),
    idle: Container[str] = (),
) -> tuple[dict[str, str], dict[str, str]]:
    """Return the version of each metric of a run, and why the others of its tasks cannot be computed.

    Args:
        tasks: All of one profile.
        comparer: The metric service; None if no task compares images.
        own: Scorers of the user.
        missing: Why services are not here that could be done without.
        idle: Such services that no instance needs; the metrics of their scorers are no metrics of the run.
    """
    versions: dict[str, str] = {}
    unavailable: dict[str, str] = {}
    computed_here: dict[str, str] = {}
    for task in tasks:
        about = comparer.metrics if comparer is not None else ()
        described = {
            metric_description.name: metric_description
            for metric_description in about
            if task.profile in metric_description.profiles
        }
        for name in image_metrics(task):
            if name not in described:
                unavailable[name] = "the metric service does not know it"
            elif not described[name].available:
                unavailable[name] = described[name].unavailable_reason
            else:
                versions[name] = described[name].version
        for scorer in scorers_of(task):
            if _can_be_missing(scorer) and any(one in idle for one in _services_of(scorer)):
                continue
            for metric in scorer.metrics:
                lost = [missing[one] for one in _optional_services_of(scorer, metric.name) if one in missing]
                if lost:
                    unavailable[f"{metric.name} of {task.name}"] = lost[0]
                elif metric.name in task.unavailable():
                    unavailable[f"{metric.name} of {task.name}"] = task.unavailable()[metric.name]
                else:
                    computed_here[metric.name] = scorer.version
    computed_here |= {metric.name: scorer.version for scorer in own for metric in scorer.metrics}
    return {**versions, **computed_here}, unavailable


def image_metrics_of_run(task: Task, metrics: Container[str]) -> tuple[str, ...]:
    """Return those of a run's metrics that a task has from images."""
    return tuple(name for name in image_metrics(task) if name in metrics)


def scorers_of_run(task: Task, metrics: Container[str]) -> tuple[Scorer, ...]:
    """Return the scorers of a task whose metrics a run has."""
    return tuple(
        available_scorer for available_scorer in available_scorers(task) if _has(available_scorer, metrics)
    )


def available_scorers(task: Task) -> tuple[Scorer, ...]:
    """Return the scorers of a task that can compute any of their metrics here."""
    missing = task.unavailable()
    return tuple(scorer for scorer in scorers_of(task) if any(m.name not in missing for m in scorer.metrics))


#: Caches of a run that keeps nothing.
NO_CACHES = Caches()


def read_steps(
    tasks: Mapping[str, Task],
    services: Services,
    engines: Mapping[str, RendererDescription],
    comparer: MetricsDescription | None,
    metrics: Container[str] | None = None,
    caches: Caches = NO_CACHES,
    truths: Truths | None = None,
) -> dict[str, ReadStep | I2SError]:
    """Return how the answers of each task are read and rendered, or why they cannot be.

    A task whose renderer was not asked for is left out.

    Args:
        tasks: Tasks by name.
        services: Services that are running.
        engines: What the renderers say of themselves, by the name of the service.
        comparer: What the metric service says; it may take smaller images than renderers make.
        metrics: Names of the metrics to compute; None means all that the tasks have.
        caches: Answers of renderers of earlier runs.
        truths: Ground truths that were rendered with the same services; None keeps none.
    """
    steps: dict[str, ReadStep | I2SError] = {}
    for name, task in tasks.items():
        rendering = task.rendering
        if rendering is None:
            steps[name] = StructureStep(task)
        elif missing := [service for service in rendering.services if service in services.missing]:
            steps[name] = services.missing[missing[0]]
        elif all(service in services.renderers for service in rendering.services):
            wanted = available_scorers(task) if metrics is None else scorers_of_run(task, metrics)
            renderers: dict[str, Renderer] = {
                service: services.renderers[service] for service in rendering.services
            }
            if caches.renders is not None:
                kept = caches.renders
                renderers = {
                    one: CachedRenderer(renderer, kept, engines[one], task.profile)
                    for one, renderer in renderers.items()
                }
            limits = {service: image_limits(engines[service], comparer) for service in rendering.services}
            with_drawn = any(isinstance(scorer, DrawnScorer) and scorer.compares_drawn for scorer in wanted)
            steps[name] = RenderStep(rendering, renderers, bool(wanted), with_drawn, limits, truths)
    return steps


def score_steps(
    tasks: Mapping[str, Task],
    services: Services,
    metrics: Container[str],
    workers: ScorerWorkers,
    comparer: MetricsDescription | None = None,
    caches: Caches = NO_CACHES,
    own: Sequence[Scorer] = (),
    engines: Mapping[str, RendererDescription] | None = None,
) -> dict[str, ScoreStep]:
    """Return how the samples of each task are scored.

    Args:
        tasks: Tasks by name.
        services: Services that are running; the metric service is among them if a task compares images.
        metrics: Names of the metrics to compute.
        workers: Run the scorers that need limits.
        comparer: What the metric service says; without it nothing is taken from a cache.
        caches: Values of metrics of earlier runs.
        own: Scorers of the user.
        engines: What the renderers say of themselves; without it no formula is taken from a cache.
    """
    steps: dict[str, ScoreStep] = {}
    for name, task in tasks.items():
        images, scorers = image_metrics_of_run(task, metrics), (*scorers_of_run(task, metrics), *own)
        scorers = tuple(
            one for one in (_converting(scorer, services) for scorer in scorers) if one is not None
        )
        converter = converters(services, task, caches, engines or {})
        cache = None
        if caches.scores is not None and comparer is not None:
            cache = ScoreCache.of(caches.scores, comparer, task.profile)
        steps[name] = ScoreStep(task, services.metrics, images, scorers, workers, converter, cache)
    return steps


def scoring_services(tasks: Iterable[Task], metrics: Container[str] = ()) -> set[str]:
    """Return the services that the samples of tasks are scored with.

    Args:
        tasks: All of them count, whichever samples remain: the versions of these services are options of
            a run, and must be the same at every start and in every shard.
        metrics: Metrics that are asked for by name: what runs can do without is needed for these.
    """
    services: set[str] = set()
    for task in tasks:
        if image_metrics(task):
            services.add(METRICS)
        for scorer in available_scorers(task):
            services |= _services_of(scorer) - _optional_services_of(scorer)
            for metric in scorer.metrics:
                if metric.name in metrics:
                    services |= _optional_services_of(scorer, metric.name)
    return services


def optional_services(tasks: Iterable[Task], instances: Sequence[Instance] | None = None) -> set[str]:
    """Return the services without which some metrics of tasks are missing, and a run goes on.

    Args:
        tasks: Tasks of a run.
        instances: All instances of the whole run, of which one at least has to need them; None for any.
    """
    services: set[str] = set()
    for task in tasks:
        ours = [instance for instance in instances or () if instance.task == task.name]
        for scorer in available_scorers(task):
            if instances is None or _may_convert(scorer, ours):
                services |= _optional_services_of(scorer)
    return services


def _has(scorer: Scorer, metrics: Container[str]) -> bool:
    return any(metric.name in metrics for metric in scorer.metrics)


def _services_of(scorer: Scorer) -> set[str]:
    formats = conversion_formats(scorer)
    services = {FORMULA_RENDERER} if FORMULA in formats else set()
    return services | ({DOCUMENTS} if formats - {FORMULA} else set())


def _can_be_missing(scorer: Scorer) -> bool:
    return isinstance(scorer, OptionalConversions) and scorer.conversions_optional


def _optional_services_of(scorer: Scorer, metric: str = "") -> set[str]:
    """Return the services without which only some metrics are missing.

    Args:
        scorer: A scorer of a task.
        metric: The one of its metrics that is looked at; empty for any.
    """
    if isinstance(scorer, OptionalFormulas):
        return {FORMULA_RENDERER} if not metric or metric in scorer.formula_metrics else set()
    return _services_of(scorer) if _can_be_missing(scorer) else set()


def _may_convert(scorer: Scorer, instances: Iterable[Instance]) -> bool:
    if isinstance(scorer, OptionalFormulas):
        return any(map(scorer.may_draw, instances))
    return isinstance(scorer, OptionalConversions) and any(map(scorer.may_convert, instances))


def _converting(scorer: Scorer, services: Services) -> Scorer | None:
    """Return a scorer as it is with the services that are here; None if it has no value without others."""
    if _optional_services_of(scorer) <= services.clients.keys():
        return scorer
    return scorer.without_formulas() if isinstance(scorer, OptionalFormulas) else None


def converters(
    services: Services,
    task: Task,
    caches: Caches = NO_CACHES,
    engines: Mapping[str, RendererDescription] = MappingProxyType({}),
) -> Converters:
    """Return what does the conversions of a task's scorers, with the services at hand.

    Args:
        services: Services that are running.
        task: Its profile is part of what is kept.
        caches: Answers of renderers of earlier runs.
        engines: What the renderers say of themselves; without it nothing is taken from a cache.
    """
    html = HtmlConverter(services.documents) if services.documents is not None else None
    renderer: Renderer | None = services.renderers.get(FORMULA_RENDERER)
    if renderer is None:
        return Converters(html)
    if caches.renders is not None and FORMULA_RENDERER in engines:
        renderer = CachedRenderer(renderer, caches.renders, engines[FORMULA_RENDERER], task.profile)
    return Converters(html, FormulaDrawer(renderer))
