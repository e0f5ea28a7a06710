"""Evaluations of predictions that are at hand: several systems, a run each, and one report of all."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Unpack

from i2s_sdk.errors import UsageError
from i2s_sdk.evaluation.evaluate import evaluate
from i2s_sdk.evaluation.finalize import RunResult
from i2s_sdk.evaluation.progress import OnProgress
from i2s_sdk.evaluation.selection_args import SelectionArgs, resolve_selection
from i2s_sdk.models.predictions import Predictions, find_predictions
from i2s_sdk.report.page import Report, write_report
from i2s_sdk.runlog.storage import PathOrUrl, is_url
from i2s_sdk.settings import Settings


@dataclass(frozen=True, slots=True)
class PredictionsResult:
    """Runs of several systems.

    Attributes:
        runs: By the name of the system.
        report: Of all runs, with the leaderboard; None if there is one system, whose run has its own.
    """

    runs: Mapping[str, RunResult]
    report: Report | None

    @property
    def covered(self) -> bool:
        """Whether no run has more failures of ours than the settings allow."""
        return all(one.covered for one in self.runs.values())


def evaluate_predictions(
    data: Path | str | None,
    predictions: Path | str,
    *,
    out: PathOrUrl,
    systems: Sequence[str] = (),
    settings: Settings | None = None,
    on_progress: OnProgress | None = None,
    **wanted: Unpack[SelectionArgs],
) -> PredictionsResult:
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
    found = find_predictions(Path(predictions), choice.whole, systems)
    folders = _run_folders([one.system for one in found], out)
    runs = {
        one.system: evaluate(
            data,
            Predictions(one, settings.completion_characters),
            out=folders[one.system],
            settings=settings,
            on_progress=on_progress,
            **wanted,
        )
        for one in found
    }
    report = write_report(tuple(folders.values()), out) if len(folders) > 1 else None
    return PredictionsResult(runs, report)


def _run_folders(systems: Sequence[str], out: PathOrUrl) -> dict[str, PathOrUrl]:
    """Return where the run of each system lies.

    Raises:
        UsageError: Two names differ only in characters that names of folders do not have.
    """
    if len(systems) == 1:
        return {systems[0]: out}
    names = {system: re.sub(r"[^\w.+-]+", "-", system) for system in systems}
    if len(set(names.values())) < len(names):
        raise UsageError(
            f"these systems would have one run folder: {', '.join(systems)}; rename their folders"
        )
    if is_url(out):
        return {system: f"{str(out).rstrip('/')}/{name}" for system, name in names.items()}
    return {system: Path(out) / name for system, name in names.items()}
