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
from i2s_sdk.models import Model, open_model
from i2s_sdk.profile import Profile
from i2s_sdk.report.page import write_page
from i2s_sdk.runs.aggregate import Summary, aggregate
from i2s_sdk.runs.folder import LOGS, MANIFEST, RESULTS, RunFolder, write_whole
from i2s_sdk.runs.manifest import Manifest
from i2s_sdk.runs.pipeline import run_samples
from i2s_sdk.runs.plan import Plan, choose
from i2s_sdk.runs.record import Record
from i2s_sdk.runs.sample import Bench
from i2s_sdk.settings import Settings
from i2s_sdk.stack.blocking import run_blocking
from i2s_sdk.stack.services import Services, open_services
from i2s_sdk.tasks.latex import LatexTask, preamble_files
from i2s_sdk.text.edit_similarity import EDIT

#: Of the definition of ``edit``; the versions of the other metrics are those of their service.
EDIT_VERSION = "1"

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
    plan = Plan(
        task=LatexTask(Profile(profile or settings.profile)),
        model=open_model(model) if isinstance(model, str) else model,
        data=dataset,
        instances=choose(dataset, tasks, limit),
        limit=limit,
    )
    return run_blocking(_evaluate(plan, Path(out), settings, on_progress or _say_nothing))


async def _evaluate(plan: Plan, out: Path, settings: Settings, on_progress: OnProgress) -> RunResult:
    with RunFolder.open(out) as folder:
        found = folder.manifest()
        if found is not None:  # differences are told before anything is started
            plan.options(found.options.engines, found.options.metrics).require_same(found.options, out)
        if found is None or plan.remaining(folder.records()):
            async with open_services(settings, out / LOGS, preambles=preamble_files()) as services:
                await _work(plan, folder, services, settings, on_progress)
        return _conclude(plan, folder, settings)


async def _work(
    plan: Plan, folder: RunFolder, services: Services, settings: Settings, on_progress: OnProgress
) -> None:
    """Take what remains of a run through all stages."""
    renderer, scorer = services.renderer, services.scorer
    engine, comparer = await renderer.describe(), await scorer.describe()
    versions, unavailable = _metrics(plan.task, comparer)
    manifest = Manifest(
        options=plan.options({engine.service: engine.engine.digest}, versions),
        unavailable=unavailable,
        about=_about(plan, engine, comparer),
    )
    folder.begin(manifest)
    image_metrics = tuple(name for name in versions if name != EDIT)
    bench = Bench(plan.task, plan.model, renderer, scorer, image_metrics, folder)
    remaining = plan.remaining(folder.records())
    finished = len(plan.instances) - len(remaining)
    on_progress(finished, len(plan.instances), None)

    def keep(record: Record) -> None:
        nonlocal finished
        folder.append(record)
        finished += 1
        on_progress(finished, len(plan.instances), record)

    await run_samples(remaining, bench.sample, keep, settings.jobs or max(2, 2 * engine.slots))


def _conclude(plan: Plan, folder: RunFolder, settings: Settings) -> RunResult:
    """Write numbers and report of what the folder holds."""
    manifest = Manifest.from_file(folder.path / MANIFEST)
    records = folder.records()
    summary = aggregate(plan.instances, records, list(manifest.options.metrics), plan.task.profile)
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


def _metrics(task: LatexTask, comparer: MetricsDescription) -> tuple[dict[str, str], dict[str, str]]:
    """Return the version of each metric of the run, and why the others of the task cannot be computed."""
    described = {one.name: one for one in comparer.metrics if task.profile in one.profiles}
    versions: dict[str, str] = {}
    unavailable: dict[str, str] = {}
    for name in task.image_metrics:
        if name not in described:
            unavailable[name] = "the metric service does not know it"
        elif not described[name].available:
            unavailable[name] = described[name].unavailable_reason
        else:
            versions[name] = described[name].version
    return {**versions, EDIT: EDIT_VERSION}, unavailable


def _about(plan: Plan, engine: RendererDescription, comparer: MetricsDescription) -> dict[str, str]:
    return {
        "started": datetime.now(UTC).isoformat(timespec="seconds"),
        "data": str(plan.data.folder.resolve()),
        "engine": f"{engine.engine.name} {engine.engine.version}",
        "engine digest": engine.engine.digest,
        "isolation": f"{engine.isolation.tier.name.lower()} ({', '.join(engine.isolation.mechanisms)})",
        "services": f"{engine.service} {engine.version}, {comparer.service} {comparer.version}",
        "device": comparer.device,
        "python": platform.python_version(),
        "platform": platform.platform(),
    }


def _say_nothing(finished: int, planned: int, record: Record | None) -> None:
    pass
