"""The evaluation of models on a data set: from names to numbers and a report."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Unpack

from i2s_sdk.data import Instance
from i2s_sdk.errors import I2SError
from i2s_sdk.models import Model, open_model
from i2s_sdk.models.errors import AllCallsFailedError, ModelAccessError
from i2s_sdk.models.model import close_model
from i2s_sdk.models.options import options_from
from i2s_sdk.run.finalize import RunResult, finalize
from i2s_sdk.run.plan import Plan, model_fingerprint, plan_run
from i2s_sdk.run.progress import OnProgress, say_nothing
from i2s_sdk.run.reference_points import MODELS, ReferencePoints
from i2s_sdk.run.runner import Runner, StageName, open_needed
from i2s_sdk.run.selection_args import SelectionArgs, resolve_selection
from i2s_sdk.run.storage.folder import RunFolder
from i2s_sdk.run.storage.storage import PathOrUrl
from i2s_sdk.settings import Settings
from i2s_sdk.stack.blocking import run_blocking
from i2s_sdk.stack.services import Services

__all__ = ["OnProgress", "RunResult", "evaluate", "evaluate_models"]

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ModelRun:
    """A run that is to be made: which model, and where.

    Attributes:
        model: The model that answers.
        out: Folder of the run, or its URL.
    """

    model: Model
    out: PathOrUrl


def evaluate(
    data: Path | str | None = None,
    model: str | Model = "oracle",
    *,
    out: PathOrUrl,
    settings: Settings | None = None,
    on_progress: OnProgress | None = None,
    **wanted: Unpack[SelectionArgs],
) -> RunResult:
    """Evaluate a model on a data set; go on where an earlier call with the same options stopped.

    >>> evaluate(model="replay:answers.jsonl", out="runs/answers")  # doctest: +SKIP

    Args:
        data: The data set: a folder, or ``hf:OWNER/NAME``; None takes the bundled examples.
        model: Its name ("oracle", "replay:FILE"), or a model of your own.
        out: Folder of the run, or its URL in an object store; made if it does not exist.
        settings: None reads environment and configuration file.
        on_progress: Called at the beginning and as samples go on.
        wanted: ``profile``, and what of the data set: ``tasks``, ``subsets``, ``difficulties``, ``samples``,
            ``limit``, ``seed``, ``shard``; see ``i2s_sdk.run.selection_args.SelectionArgs``.

    Raises:
        UsageError: A name, the data set or the run folder does not fit; says why.
        StackError: A service cannot be started.
        ServiceError: A service that was named does not answer.
    """
    settings = settings or Settings.load()
    opened = open_model(model, options_from(settings)) if isinstance(model, str) else model
    (result,) = evaluate_models(data, [ModelRun(opened, out)], settings, on_progress, **wanted)
    if isinstance(result, I2SError):
        raise result
    return result


def evaluate_models(
    data: Path | str | None,
    runs: Sequence[ModelRun],
    settings: Settings,
    on_progress: OnProgress | None = None,
    **wanted: Unpack[SelectionArgs],
) -> list[RunResult | I2SError]:
    """Evaluate models one after the other on the same instances, with services that are started once.

    Unless the settings say no, baselines and the oracle are evaluated on the same instances afterwards, and
    their values are kept in each run folder; see ``i2s_sdk.run.reference_points``.

    Args:
        data: See ``evaluate``.
        runs: The models, each with the folder of its run.
        settings: Settings of all runs.
        on_progress: See ``evaluate``; called for one run after the other.
        wanted: See ``evaluate``.

    Returns:
        For each model its finished run, or the error that kept it from being asked.

    Raises:
        UsageError: A name, the data set or a run folder does not fit; says why.
        StackError: A service cannot be started.
        ServiceError: A service that was named does not answer.
    """
    choice = resolve_selection(data, settings, **wanted)
    plans = [plan_run(choice, run.model.name, model_fingerprint(choice, run.model)) for run in runs]
    work = _Evaluation(runs, plans, settings, on_progress or say_nothing)
    return run_blocking(work.run())


class _Evaluation:
    """Runs of several models over one selection.

    Args:
        runs: Models and folders.
        plans: Plan of each run.
        settings: Settings of all.
        on_progress: Called as samples go on.
    """

    def __init__(
        self, runs: Sequence[ModelRun], plans: Sequence[Plan], settings: Settings, on_progress: OnProgress
    ) -> None:
        self._runs, self._plans, self._settings, self._on_progress = runs, plans, settings, on_progress
        judged = [one for one in plans if one.model not in MODELS]
        wanted = settings.reference_points == "yes" and judged
        points = ReferencePoints(judged[0], settings, on_progress) if wanted else None
        self._points = points if points is not None and points.there_are_any else None

    async def run(self) -> list[RunResult | I2SError]:
        """Do what remains of each run; nothing is started if nothing remains."""
        try:
            with ExitStack() as opened:
                folders = [
                    opened.enter_context(RunFolder.open(one.out, self._settings)) for one in self._runs
                ]
                return await self._run(folders)
        finally:
            for one in self._runs:
                await close_model(one.model)

    async def _run(self, folders: Sequence[RunFolder]) -> list[RunResult | I2SError]:
        runners = [
            Runner(plan, folder, tuple(StageName), self._settings, self._on_progress, run.model)
            for plan, folder, run in zip(self._plans, folders, self._runs, strict=True)
        ]
        pending = [await runner.pending() for runner in runners]
        failed = await self._preflight(runners, pending)
        pending = [None if at in failed else one for at, one in enumerate(pending)]
        needs = [runner.needs(one) for runner, one in zip(runners, pending, strict=True) if one is not None]
        points = self._points
        kept = [points.keep(one) for one in folders] if points is not None else []
        missing = points is not None and not all(kept) and len(failed) < len(runners)
        if needs or missing:
            wanted = [*needs, points.needs()] if points is not None and missing else needs
            try:
                async with open_needed(self._settings, folders[0], wanted) as services:
                    failed |= await self._ask(runners, pending, services, finish=missing)
                    await self._measure([one for at, one in enumerate(folders) if at not in failed], services)
            except I2SError as error:
                if needs:
                    raise
                _tell_missing(error)  # all runs have ended, and nothing but reference points was wanted
        return [
            failed.get(at) or finalize(runner.folder, runner.plan.instances, self._settings)
            for at, runner in enumerate(runners)
        ]

    async def _preflight(
        self, runners: Sequence[Runner], pending: Sequence[list[Instance] | None]
    ) -> dict[int, I2SError]:
        """Return why models do not answer a small question, by their place, before anything is started.

        Raises:
            ModelAccessError: The only model does not.
        """
        failed: dict[int, I2SError] = {}
        for at, (runner, one) in enumerate(zip(runners, pending, strict=True)):
            try:
                await runner.preflight(one or ())
            except ModelAccessError as error:
                if len(runners) == 1:
                    raise
                failed[at] = error
        return failed

    async def _ask(
        self,
        runners: Sequence[Runner],
        pending: Sequence[list[Instance] | None],
        services: Services,
        *,
        finish: bool,
    ) -> dict[int, I2SError]:
        """Do what remains of each run, and return why models could not be asked, by their place.

        Args:
            runners: The runs.
            pending: What remains of each; None if nothing does.
            services: The services that they need, open.
            finish: Whether numbers and report are written at the end of each run, since what follows may be
                interrupted.
        """
        failed: dict[int, I2SError] = {}
        for at, (runner, one) in enumerate(zip(runners, pending, strict=True)):
            try:
                if one is not None:
                    await runner.work(one, services)
            except (ModelAccessError, AllCallsFailedError) as error:
                if len(runners) == 1:
                    raise
                failed[at] = error
                continue
            if finish:
                finalize(runner.folder, runner.plan.instances, self._settings)
        return failed

    async def _measure(self, folders: Sequence[RunFolder], services: Services) -> None:
        """Evaluate the reference points unless each folder has them; a failure is told and costs no run."""
        points = self._points
        if points is None:
            return
        for folder in folders:
            if points.keep(folder):
                continue
            try:
                await points.work(folder, services)
            except I2SError as error:
                _tell_missing(error)
                return


def _tell_missing(error: I2SError) -> None:
    _log.warning("reference points are missing: %s; the same command tries again", error.message)
