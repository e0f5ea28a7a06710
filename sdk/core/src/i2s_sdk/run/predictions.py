"""Evaluations of predictions that are at hand: several systems, a run each, and one report of all."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Unpack

from i2s_sdk.models.predictions import Predictions, find_predictions
from i2s_sdk.run.evaluate import ModelRun, evaluate_models
from i2s_sdk.run.progress import OnProgress
from i2s_sdk.run.selection_args import SelectionArgs, resolve_selection
from i2s_sdk.run.several import SeveralResult, run_folders, several_result
from i2s_sdk.run.storage.storage import PathOrUrl
from i2s_sdk.settings import Settings


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
    found = find_predictions(Path(predictions), choice.whole, systems)
    folders = run_folders([one.system for one in found], out)
    runs = [ModelRun(Predictions(one, settings.completion_characters), folders[one.system]) for one in found]
    ended = evaluate_models(data, runs, settings, on_progress, **wanted)
    return several_result({one.system: result for one, result in zip(found, ended, strict=True)}, out)
