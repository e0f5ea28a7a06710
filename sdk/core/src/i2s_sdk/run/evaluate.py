"""The evaluation of models, or of predictions at hand, on a data set: from names to numbers and a report."""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Unpack

from i2s_sdk.data import Instance
from i2s_sdk.errors import I2SError, UsageError
from i2s_sdk.models import Model, open_model
from i2s_sdk.models.completion import AllCallsFailedError, ModelAccessError
from i2s_sdk.models.model import ModelLike, as_model
from i2s_sdk.models.options import ModelOptions, options_from
from i2s_sdk.models.predictions import Predictions, find_predictions
from i2s_sdk.report.page import Report, write_report
from i2s_sdk.report.view import shareable_model
from i2s_sdk.run.finalize import RunResult, finalize
from i2s_sdk.run.pipeline import OnProgress, say_nothing
from i2s_sdk.run.plan import (
    Plan,
    ResolvedSelection,
    SelectionArgs,
    model_fingerprint,
    plan_run,
    resolve_selection,
)
from i2s_sdk.run.reference_points import MODELS, ReferencePoints
from i2s_sdk.run.runner import Runner, StageName, open_needed
from i2s_sdk.run.storage.folder import RunFolder
from i2s_sdk.run.storage.interface import PathOrUrl, is_url
from i2s_sdk.run.truths import Truths
from i2s_sdk.settings import Settings
from i2s_sdk.stack.blocking import run_blocking
from i2s_sdk.stack.services import Services
from i2s_sdk.tasks.own_prompts import read_prompts

__all__ = ["OnProgress", "RunResult", "evaluate", "evaluate_models"]

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ModelRun:
    """A run that is to be made: which model, and where."""

    #: The model that answers.
    model: Model
    #: Folder of the run, or its URL.
    out: PathOrUrl
    #: File of the prompts of this variant; None takes that of the settings.
    prompts: Path | None = None
    #: Label of this variant; empty takes that of the settings.
    label: str = ""

    @property
    def name(self) -> str:
        """The name of the run among those of the same command."""
        return self.label or self.model.name

    def plan(self, choice: ResolvedSelection) -> Plan:
        """Return its plan.

        Raises:
            UsageError: The file of prompts cannot be used.
        """
        if self.prompts is not None:
            choice = replace(choice, prompts=read_prompts(self.prompts))
        return plan_run(choice, self.model.name, model_fingerprint(choice, self.model))


def evaluate(
    data: Path | str | None = None,
    model: str | ModelLike | Model = "oracle",
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
            ``limit``, ``seed``, ``shard``; ``scorers`` and ``turns``; see ``i2s_sdk.run.plan.SelectionArgs``.

    Raises:
        UsageError: A name, the data set or the run folder does not fit; says why.
        StackError: A service cannot be started.
        ServiceError: A service that was named does not answer.
    """
    settings = settings or Settings.load()
    opened = open_model(model, options_from(settings)) if isinstance(model, str) else as_model(model)
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
    plans = [run.plan(choice) for run in runs]
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
        judged = [plan for plan in plans if plan.model not in MODELS]
        wanted = settings.reference_points == "yes" and judged
        self._truths = Truths(settings.truth_characters)
        points = ReferencePoints(judged[0], settings, on_progress, self._truths) if wanted else None
        self._points = points if points is not None and points.there_are_any else None

    async def run(self) -> list[RunResult | I2SError]:
        """Do what remains of each run; nothing is started if nothing remains."""
        try:
            with ExitStack() as opened:
                folders = [
                    opened.enter_context(RunFolder.open(run.out, self._settings)) for run in self._runs
                ]
                return await self._run(folders)
        finally:
            for model in {id(run.model): run.model for run in self._runs}.values():
                await model.close()

    async def _run(self, folders: Sequence[RunFolder]) -> list[RunResult | I2SError]:
        runners = [
            Runner(
                plan,
                folder,
                tuple(StageName),
                self._settings_of(run),
                self._on_progress,
                run.model,
                run.name,
                self._truths,
            )
            for plan, folder, run in zip(self._plans, folders, self._runs, strict=True)
        ]
        pending = [await runner.pending() for runner in runners]
        failed = await self._preflight(runners, pending)
        pending = [None if at in failed else one for at, one in enumerate(pending)]
        needs = [runner.needs(one) for runner, one in zip(runners, pending, strict=True) if one is not None]
        points = self._points
        kept = [points.keep(folder) for folder in folders] if points is not None else []
        missing = points is not None and not all(kept) and len(failed) < len(runners)
        if needs or missing:
            wanted = [*needs, points.needs()] if points is not None and missing else needs
            try:
                async with open_needed(self._settings, folders[0], wanted) as services:
                    failed |= await self._ask(runners, pending, services, finish=missing)
                    await self._measure(
                        [folder for at, folder in enumerate(folders) if at not in failed], services
                    )
            except I2SError as error:
                if needs:
                    raise
                _tell_missing(error)  # all runs have ended, and nothing but reference points was wanted
        return [
            failed.get(at) or finalize(runner.folder, runner.plan.instances, self._settings)
            for at, runner in enumerate(runners)
        ]

    def _settings_of(self, run: ModelRun) -> Settings:
        """Return the settings of a run; a label of the user stands before that of a variant."""
        labels = [one for one in (self._settings.label, run.label) if one]
        return replace(self._settings, label=", ".join(labels)) if run.label else self._settings

    async def _preflight(
        self, runners: Sequence[Runner], pending: Sequence[list[Instance] | None]
    ) -> dict[int, I2SError]:
        """Return why models do not answer a small question, by their place, before anything is started.

        Raises:
            ModelAccessError: The only model does not.
        """
        failed: dict[int, I2SError] = {}
        for at, (runner, remaining) in enumerate(zip(runners, pending, strict=True)):
            try:
                await runner.preflight(remaining or ())
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
        for at, (runner, remaining) in enumerate(zip(runners, pending, strict=True)):
            try:
                if remaining is not None:
                    await runner.work(remaining, services)
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


@dataclass(frozen=True, slots=True)
class SeveralResult:
    """Runs of several models or systems."""

    #: Runs by name; those that have ended.
    runs: Mapping[str, RunResult]
    #: Report of all runs, with the leaderboard; None if there is one, which has its own.
    report: Report | None
    #: Reasons why a model could not be asked, by its name.
    errors: Mapping[str, I2SError] = field(default_factory=dict)

    @property
    def covered(self) -> bool:
        """Whether no run has more failures of ours than the settings allow, and every model was asked."""
        return not self.errors and all(run.covered for run in self.runs.values())


def evaluate_several(
    data: Path | str | None,
    models: Sequence[str | ModelLike | Model],
    *,
    out: PathOrUrl,
    prompts: Sequence[Path | str] = (),
    settings: Settings | None = None,
    on_progress: OnProgress | None = None,
    **wanted: Unpack[SelectionArgs],
) -> SeveralResult:
    """Evaluate models, or variants of prompts, on the same instances, and write a report that compares them.

    A model that cannot be asked at all, such as one with a wrong key, keeps no other from being asked.

    >>> evaluate_several("my-set", ["openai/a", "openai/b"], out="runs/both")  # doctest: +SKIP

    Args:
        data: The data set; see ``evaluate``.
        models: Their names, or models of your own; each has another name.
        out: Run folder of the only model, or its URL; of several, the folder of the report over all, with a
            folder in it for the run of each.
        prompts: Files of prompts, each a variant with which every model is asked; none takes that of the
            settings.
        settings: None reads environment and configuration file.
        on_progress: See ``evaluate``; called for one run after the other.
        wanted: See ``evaluate``.

    Raises:
        UsageError: A name, the data set or a run folder does not fit; says why.
        StackError: A service cannot be started.
        ServiceError: A service that was named does not answer.
    """
    settings = settings or Settings.load()
    options = options_from(settings)
    opened = [open_model(model, options) if isinstance(model, str) else as_model(model) for model in models]
    runs = model_runs(opened, out, prompts)
    ended = evaluate_models(data, runs, settings, on_progress, **wanted)
    return several_result({run.name: run_result for run, run_result in zip(runs, ended, strict=True)}, out)


def model_runs(models: Sequence[Model], out: PathOrUrl, prompts: Sequence[Path | str] = ()) -> list[ModelRun]:
    """Return the run of each model, or of each model with each file of prompts, named by the file's stem.

    Raises:
        UsageError: Two of them would have one name, or one folder.
    """
    variants: list[tuple[Model, Path | None, str]] = [(model, None, "") for model in models]
    if prompts:
        files = [Path(prompt) for prompt in prompts]
        alone = len(models) == 1
        variants = [
            (model, file, file.stem if alone else f"{shareable_model(model.name)}, {file.stem}")
            for model in models
            for file in files
        ]
    folders = run_folders([label or model.name for model, _, label in variants], out)
    return [ModelRun(model, folders[label or model.name], file, label) for model, file, label in variants]


def repeated_models(names: Sequence[str], options: ModelOptions, repeats: int) -> list[Model]:
    """Return models, each as often as it is asked.

    Args:
        names: Names of the models.
        options: Options of their calls.
        repeats: How often each is asked the same.

    Raises:
        UsageError: A model gives the same answers every time, or the temperature is the default.
    """
    if repeats > 1 and not options.temperature_chosen:
        raise UsageError("--repeats needs --temperature: at the default, 0, a model repeats itself")
    models = []
    for name in names:
        own = [open_model(name, replace(options, repeat=at, repeats=repeats)) for at in range(1, repeats + 1)]
        if len({model.name for model in own}) < repeats:
            raise UsageError(f"--repeats asks a model again, and {name} gives the same answers every time")
        models += own
    return models


def several_result(ended: Mapping[str, RunResult | I2SError], out: PathOrUrl) -> SeveralResult:
    """Return runs that have ended, with a report of all if there are several.

    Args:
        ended: The run, or why the model could not be asked, by the name of the model.
        out: Folder of the report.
    """
    runs = {name: run_result for name, run_result in ended.items() if isinstance(run_result, RunResult)}
    errors = {name: error for name, error in ended.items() if isinstance(error, I2SError)}
    folders = [run.folder for run in runs.values()]
    report = write_report(folders, out) if len(ended) > 1 and runs else None
    return SeveralResult(runs, report, errors)


def run_folders(names: Sequence[str], out: PathOrUrl) -> dict[str, PathOrUrl]:
    """Return where the run of each model or system lies.

    Args:
        names: Their names.
        out: See ``evaluate_several``.

    Raises:
        UsageError: Two names are the same, or differ only in characters that names of folders do not have.
    """
    if len(names) == 1:
        return {names[0]: out}
    folders = {name: re.sub(r"[^\w.+-]+", "-", name).strip("-") for name in names}
    if len(folders) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise UsageError(f"{twice} is named twice")
    if len(set(folders.values())) < len(names):
        raise UsageError(f"these would have one run folder: {', '.join(names)}; rename one")
    if is_url(out):
        return {name: f"{str(out).rstrip('/')}/{folder}" for name, folder in folders.items()}
    return {name: Path(out) / folder for name, folder in folders.items()}


def evaluate_predictions(
    data: Path | str | None,
    predictions: Path | str,
    *,
    out: PathOrUrl,
    systems: Sequence[str] = (),
    settings: Settings | None = None,
    on_progress: OnProgress | None = None,
    **wanted: Unpack[SelectionArgs],
) -> SeveralResult:
    """Score predictions that tools have written into a folder; no model is asked.

    >>> evaluate_predictions("my-set", "outputs", out="runs/outputs")  # doctest: +SKIP

    Args:
        data: The data set; see ``evaluate``.
        predictions: Their folder, in one of the layouts of ``i2s_sdk.models.predictions``. An instance
            without a file counts as an empty prediction.
        out: Run folder of the only system, or its URL; of several, the folder of the report over all, with a
            folder in it for the run of each.
        systems: Names of those that are evaluated; none means all that the folder has.
        settings: None reads environment and configuration file.
        on_progress: See ``evaluate``; called for one run after the other.
        wanted: See ``evaluate``.

    Raises:
        UsageError: A name, the data set, the predictions or a run folder does not fit; says why.
        StackError: A service cannot be started.
        ServiceError: A service that was named does not answer.
    """
    settings = settings or Settings.load()
    choice = resolve_selection(data, settings, **wanted)
    if choice.turns > 1:
        raise UsageError("--predictions asks no model, so there are no turns: leave out --turns")
    predicted = find_predictions(Path(predictions), choice.whole, systems)
    folders = run_folders([prediction_folder.system for prediction_folder in predicted], out)
    runs = [
        ModelRun(
            Predictions(prediction_folder, settings.completion_characters), folders[prediction_folder.system]
        )
        for prediction_folder in predicted
    ]
    ended = evaluate_models(data, runs, settings, on_progress, **wanted)
    return several_result(
        {
            prediction_folder.system: result
            for prediction_folder, result in zip(predicted, ended, strict=True)
        },
        out,
    )
