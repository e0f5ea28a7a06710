"""One stage of a run alone: generate, render, score."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Unpack

from i2s_sdk.data import Selection, Shard
from i2s_sdk.data.locations import known_location
from i2s_sdk.data.opening import open_data
from i2s_sdk.errors import UsageError
from i2s_sdk.models import Model, open_model
from i2s_sdk.models.model import ModelLike, as_model
from i2s_sdk.models.options import options_from
from i2s_sdk.run.failures import FailureReason, failure_reasons
from i2s_sdk.run.finalize import RunResult, finalize
from i2s_sdk.run.pipeline import OnProgress, say_nothing
from i2s_sdk.run.plan import Plan, SelectionArgs, choose, model_fingerprint, plan_run, resolve_selection
from i2s_sdk.run.runner import Runner, StageName
from i2s_sdk.run.storage.folder import RunFolder, read_manifest
from i2s_sdk.run.storage.interface import PathOrUrl, open_storage
from i2s_sdk.settings import Settings
from i2s_sdk.stack.blocking import run_blocking
from i2s_wire.metrics.profile import Profile


@dataclass(frozen=True, slots=True)
class StageResult:
    """A run after a stage."""

    #: Folder of the run: a path, or the text of a URL.
    folder: PathOrUrl
    #: Samples of the run.
    planned: int
    #: Samples that are through the stage.
    done: int
    #: Whether no more are missing than the settings allow.
    covered: bool
    #: Why samples were stopped, the most frequent reason first.
    failures: tuple[FailureReason, ...]
    #: Calls of the model that were begun when an earlier start was stopped; they may have been billed. By
    #: instance.
    unanswered_calls: Mapping[str, int]


def generate(
    data: Path | str | None = None,
    model: str | ModelLike | Model = "oracle",
    *,
    out: PathOrUrl,
    settings: Settings | None = None,
    on_progress: OnProgress | None = None,
    **wanted: Unpack[SelectionArgs],
) -> StageResult:
    """Ask a model for its answers and keep them; no service is needed.

    ``render_run`` and ``score_run`` go on with the folder, and so does ``evaluate`` with the same arguments.

    Args:
        data: See ``evaluate``; so are the others.
        model: The model that is asked.
        out: Folder of the run.
        settings: None reads environment and configuration file.
        on_progress: Called at the beginning and as samples go on.
        wanted: See ``evaluate``.

    Raises:
        UsageError: A name, the data set or the run folder does not fit; says why.
    """
    settings = settings or Settings.load()
    choice = resolve_selection(data, settings, **wanted)
    if choice.turns > 1:
        raise UsageError("generate asks for first answers alone: turns need renderings, see evaluate")
    options = options_from(settings)
    opened = open_model(model, options) if isinstance(model, str) else as_model(model)
    plan = plan_run(choice, opened.name, model_fingerprint(choice, opened))
    return run_blocking(_generate(plan, opened, out, settings, on_progress or say_nothing))


def render_run(
    run: PathOrUrl,
    *,
    data: Path | str | None = None,
    settings: Settings | None = None,
    on_progress: OnProgress | None = None,
) -> StageResult:
    """Render the answers that a run has; the model and the metric service are not needed.

    Args:
        run: Its folder, or its URL.
        data: The data set, if it lies elsewhere than when the run was begun.
        settings: None reads environment and configuration file.
        on_progress: Called at the beginning and as samples go on.

    Raises:
        UsageError: The folder holds no run, or the data set is not the one of the run.
        StackError: A renderer cannot be started.
        ServiceError: A renderer that was named does not answer.
    """
    settings = settings or Settings.load()
    plan = _plan_of(run, data, settings)
    return run_blocking(_render(plan, run, settings, on_progress or say_nothing))


def score_run(
    run: PathOrUrl,
    *,
    data: Path | str | None = None,
    settings: Settings | None = None,
    on_progress: OnProgress | None = None,
    scorers: Sequence[str] = (),
) -> RunResult:
    """Compare the renderings that a run has, and write numbers and report; no renderer is needed.

    Args:
        run: Its folder, or its URL.
        data: The data set, if it lies elsewhere than when the run was begun.
        settings: None reads environment and configuration file.
        on_progress: Called at the beginning and as samples go on.
        scorers: Scorers of your own, as of ``evaluate``.

    Raises:
        UsageError: The folder holds no run, or the data set is not the one of the run.
        StackError: The metric service cannot be started.
        ServiceError: It was named and does not answer.
    """
    settings = settings or Settings.load()
    plan = _plan_of(run, data, settings, scorers)
    return run_blocking(_score(plan, run, settings, on_progress or say_nothing))


async def _generate(
    plan: Plan, model: Model, out: PathOrUrl, settings: Settings, on_progress: OnProgress
) -> StageResult:
    try:
        with RunFolder.open(out, settings) as folder:
            await Runner(plan, folder, (StageName.GENERATE,), settings, on_progress, model).run()
            return _result(plan, folder, settings, folder.answered)
    finally:
        await model.close()


async def _render(plan: Plan, out: PathOrUrl, settings: Settings, on_progress: OnProgress) -> StageResult:
    with RunFolder.open(out, settings) as folder:
        await Runner(plan, folder, (StageName.RENDER,), settings, on_progress).run()
        return _result(plan, folder, settings, len(folder.renderings))


async def _score(plan: Plan, out: PathOrUrl, settings: Settings, on_progress: OnProgress) -> RunResult:
    with RunFolder.open(out, settings) as folder:
        await Runner(plan, folder, (StageName.SCORE,), settings, on_progress).run()
        return finalize(folder, plan.instances, settings)


def _result(plan: Plan, folder: RunFolder, settings: Settings, done: int) -> StageResult:
    planned = len(plan.instances)
    return StageResult(
        folder=folder.path,
        planned=planned,
        done=done,
        covered=planned - done <= settings.failures_allowed(planned),
        failures=failure_reasons(folder.records(texts=False).values()),
        unanswered_calls=dict(folder.unanswered_calls()),
    )


def _plan_of(
    run: PathOrUrl, data: Path | str | None, settings: Settings, scorers: Sequence[str] = ()
) -> Plan:
    """Return the plan of a run that was begun.

    Raises:
        UsageError: The folder holds none.
    """
    manifest = read_manifest(open_storage(run, settings))
    if manifest is None:
        raise UsageError(f"{run} holds no run; begin one with i2s-sdk generate or i2s-sdk evaluate")
    options = manifest.options
    if options.turns > 1:
        raise UsageError(
            f"{run} has turns, and a model has to be asked between them: resume it with i2s-sdk evaluate "
            f"--turns {options.turns} and the arguments that it was begun with"
        )
    shard = Shard.parse(options.shard) if options.shard else None
    selection = Selection(
        options.subsets, options.difficulties, options.samples, options.limit, options.seed, shard
    )
    name = manifest.about.get("data", "")
    place = data if data is not None else known_location(options.data_sha256, name)
    dataset = open_data(place, subsets=options.subsets)
    choice = choose(dataset, Profile(options.profile), options.tasks, selection, settings, scorers)
    plan = plan_run(choice, options.model, options.model_fingerprint)
    return replace(plan, asked=options.prompts)  # the answers are there, whatever is asked now
