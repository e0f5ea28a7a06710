"""The evaluation of a model on a data set: from names to numbers and a report."""

from __future__ import annotations

import json
import platform
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from i2s_sdk.clients.descriptions import MetricsDescription, RendererDescription
from i2s_sdk.data import examples_folder, read_folder
from i2s_sdk.data.instance import Instance
from i2s_sdk.models import Model, open_model
from i2s_sdk.models.model import close_model
from i2s_sdk.profile import Profile
from i2s_sdk.report.page import write_page
from i2s_sdk.runs.aggregate import Summary, aggregate
from i2s_sdk.runs.folder import LOGS, MANIFEST, RESULTS, RunFolder, write_whole
from i2s_sdk.runs.manifest import Manifest
from i2s_sdk.runs.metrics import run_metrics, split_metrics
from i2s_sdk.runs.pipeline import run_samples
from i2s_sdk.runs.plan import Plan, plan_run
from i2s_sdk.runs.record import Record
from i2s_sdk.runs.sample import Bench
from i2s_sdk.settings import Settings
from i2s_sdk.stack.blocking import run_blocking
from i2s_sdk.stack.services import METRICS, Services, open_services

#: Called with how many samples are finished, how many there are, and the record that was just kept; None at
#: the beginning, when those of an earlier start are counted.
OnProgress = Callable[[int, int, Record | None], None]


@dataclass(frozen=True, slots=True)
class RunResult:
    """A finished run.

    Attributes:
        folder: Where it is kept.
        report: Its page.
        summary: Its numbers.
        unavailable: Metrics that could not be computed, and why.
        covered: Whether no more samples failed for reasons of ours than the settings allow.
    """

    folder: Path
    report: Path
    summary: Summary
    unavailable: Mapping[str, str]
    covered: bool


def evaluate(
    data: Path | str | None = None,
    model: str | Model = "oracle",
    *,
    out: Path | str,
    profile: Profile | str | None = None,
    tasks: Sequence[str] = (),
    limit: int | None = None,
    settings: Settings | None = None,
    on_progress: OnProgress | None = None,
) -> RunResult:
    """Evaluate a model on a data set; go on where an earlier call with the same options stopped.

    >>> evaluate(model="replay:answers.jsonl", out="runs/answers")  # doctest: +SKIP

    Args:
        data: Folder of the data set; None takes the bundled examples.
        model: Its name ("oracle", "replay:FILE"), or a model of your own.
        out: Folder of the run, made where it does not exist.
        profile: The rule book; None takes that of the settings.
        tasks: That are evaluated; none means all that the data set has.
        limit: The most instances, in the order of the data set; None is all.
        settings: None reads environment and configuration file.
        on_progress: Called at the beginning and for each sample.

    Raises:
        UsageError: A name, the data set or the run folder does not fit; says why.
        StackError: A service cannot be started.
        ServiceError: A service that was named does not answer.
    """
    settings = settings or Settings.load()
    dataset = read_folder(Path(data) if data is not None else examples_folder(settings.examples))
    opened = open_model(model) if isinstance(model, str) else model
    plan = plan_run(dataset, opened, Profile(profile or settings.profile), tasks, limit)
    return run_blocking(_evaluate(plan, Path(out), settings, on_progress or _say_nothing))


async def _evaluate(plan: Plan, out: Path, settings: Settings, on_progress: OnProgress) -> RunResult:
    with RunFolder.open(out) as folder:
        found = folder.manifest()
        if found is not None:  # differences are told before anything is started
            plan.options(found.options.engines, found.options.metrics).require_same(found.options, out)
        remaining = plan.remaining(folder.records())
        if found is None or remaining:
            renderers = {plan.tasks[one.task].service for one in remaining}
            # With one renderer there is nothing to go on with when it is missing.
            optional = renderers if len(renderers) > 1 else set()
            async with open_services(
                settings, out / LOGS, sorted({*renderers, METRICS}), optional
            ) as services:
                if not services.renderers:
                    raise next(iter(services.missing.values()))
                await _work(plan, folder, services, settings, on_progress)
        return _conclude(plan, folder, settings)


async def _work(
    plan: Plan, folder: RunFolder, services: Services, settings: Settings, on_progress: OnProgress
) -> None:
    """Take what remains of a run through all stages."""
    scorer = services.scorer
    engines = {name: await one.describe() for name, one in services.renderers.items()}
    comparer = await scorer.describe()
    versions, unavailable = run_metrics(plan.tasks.values(), comparer)
    manifest = Manifest(
        options=plan.options({one.service: one.engine.digest for one in engines.values()}, versions),
        unavailable=unavailable,
        about=_about(plan, tuple(engines.values()), comparer),
    )
    folder.begin(manifest)
    benches = {
        name: Bench(
            task,
            plan.model,
            services.missing.get(task.service) or services.renderers[task.service],
            scorer,
            *split_metrics(task, versions),
            folder,
        )
        for name, task in plan.tasks.items()
        if task.service in services.renderers or task.service in services.missing
    }
    remaining = plan.remaining(folder.records())
    finished = len(plan.instances) - len(remaining)
    on_progress(finished, len(plan.instances), None)

    def keep(record: Record) -> None:
        nonlocal finished
        folder.append(record)
        finished += 1
        on_progress(finished, len(plan.instances), record)

    async def sample(instance: Instance) -> Record:
        return await benches[instance.task].sample(instance)

    slots = max(one.slots for one in engines.values())
    try:
        await run_samples(remaining, sample, keep, settings.jobs or max(2, 2 * slots))
    finally:
        await close_model(plan.model)


def _conclude(plan: Plan, folder: RunFolder, settings: Settings) -> RunResult:
    """Write numbers and report of what the folder holds."""
    manifest = Manifest.from_file(folder.path / MANIFEST)
    records = folder.records()
    metrics = {
        name: [metric for group in split_metrics(task, manifest.options.metrics) for metric in group]
        for name, task in plan.tasks.items()
    }
    summary = aggregate(plan.instances, records, metrics, plan.profile)
    numbers = {**summary.to_json(), "unavailable": dict(manifest.unavailable)}
    write_whole(folder.path / RESULTS, (json.dumps(numbers, indent=2) + "\n").encode())
    ordered = [records[one.id] for one in plan.instances if one.id in records]
    return RunResult(
        folder=folder.path,
        report=write_page(folder.path, manifest, summary, ordered),
        summary=summary,
        unavailable=manifest.unavailable,
        covered=summary.failures <= settings.failures_allowed(summary.planned),
    )


def _about(
    plan: Plan, engines: Sequence[RendererDescription], comparer: MetricsDescription
) -> dict[str, str]:
    facts = {
        "started": datetime.now(UTC).isoformat(timespec="seconds"),
        "data": str(plan.data.folder.resolve()),
    }
    for one in engines:
        walls = f"{one.isolation.tier.name.lower()} ({', '.join(one.isolation.mechanisms)})"
        facts[one.service] = f"{one.version}, {one.engine.name} {one.engine.version}, isolation {walls}"
        facts[f"{one.service} engine digest"] = one.engine.digest
    return {
        **facts,
        comparer.service: f"{comparer.version}, device {comparer.device}",
        "python": platform.python_version(),
        "platform": platform.platform(),
    }


def _say_nothing(finished: int, planned: int, record: Record | None) -> None:
    pass
