"""Runs of several models or systems, a folder each, and one report of all."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Unpack

from i2s_sdk.errors import I2SError, UsageError
from i2s_sdk.models import Model, open_model
from i2s_sdk.models.options import ModelOptions, options_from
from i2s_sdk.report.page import Report, write_report
from i2s_sdk.run.evaluate import ModelRun, evaluate_models
from i2s_sdk.run.finalize import RunResult
from i2s_sdk.run.progress import OnProgress
from i2s_sdk.run.selection_args import SelectionArgs
from i2s_sdk.run.storage.storage import PathOrUrl, is_url
from i2s_sdk.settings import Settings


@dataclass(frozen=True, slots=True)
class SeveralResult:
    """Runs of several models or systems.

    Attributes:
        runs: Runs by name; those that have ended.
        report: Report of all runs, with the leaderboard; None if there is one, which has its own.
        errors: Reasons why a model could not be asked, by its name.
    """

    runs: Mapping[str, RunResult]
    report: Report | None
    errors: Mapping[str, I2SError] = field(default_factory=dict)

    @property
    def covered(self) -> bool:
        """Whether no run has more failures of ours than the settings allow, and every model was asked."""
        return not self.errors and all(one.covered for one in self.runs.values())


def evaluate_several(
    data: Path | str | None,
    models: Sequence[str | Model],
    *,
    out: PathOrUrl,
    settings: Settings | None = None,
    on_progress: OnProgress | None = None,
    **wanted: Unpack[SelectionArgs],
) -> SeveralResult:
    """Evaluate models on the same instances, and write a report that compares them.

    A model that cannot be asked at all, such as one with a wrong key, keeps no other from being asked.

    >>> evaluate_several("my-set", ["openai/a", "openai/b"], out="runs/both")  # doctest: +SKIP

    Args:
        data: The data set; see ``evaluate``.
        models: Their names, or models of your own; each has another name.
        out: Run folder of the only model, or its URL; of several, the folder of the report over all, with a
            folder in it for the run of each.
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
    opened = [open_model(one, options) if isinstance(one, str) else one for one in models]
    folders = run_folders([one.name for one in opened], out)
    runs = [ModelRun(one, folders[one.name]) for one in opened]
    ended = evaluate_models(data, runs, settings, on_progress, **wanted)
    found = {run.model.name: one for run, one in zip(runs, ended, strict=True)}
    return several_result(found, out)


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
        if len({one.name for one in own}) < repeats:
            raise UsageError(f"--repeats asks a model again, and {name} gives the same answers every time")
        models += own
    return models


def several_result(ended: Mapping[str, RunResult | I2SError], out: PathOrUrl) -> SeveralResult:
    """Return runs that have ended, with a report of all if there are several.

    Args:
        ended: The run, or why the model could not be asked, by the name of the model.
        out: Folder of the report.
    """
    runs = {name: one for name, one in ended.items() if isinstance(one, RunResult)}
    errors = {name: one for name, one in ended.items() if isinstance(one, I2SError)}
    folders = [one.folder for one in runs.values()]
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
