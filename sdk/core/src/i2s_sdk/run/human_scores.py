"""Scores of people brought to a run: kept in its folder, and compared with judges and metrics."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

from i2s_sdk.errors import DataError
from i2s_sdk.run.storage.human import write_human_scores
from i2s_sdk.run.storage.opening import open_storage
from i2s_sdk.run.storage.reader import read_run
from i2s_sdk.run.storage.storage import PathOrUrl
from i2s_sdk.stats.agreement import Agreement, agreements, human_scored_task, human_scores_of_run
from i2s_sdk.stats.human_scores import human_scoring_of, read_scores
from i2s_sdk.stats.judge_scores import judged_runs


def human_scores(
    run: PathOrUrl, files: Sequence[Path | str], *, system: str | None = None, task: str | None = None
) -> list[Agreement]:
    """Keep what people said of the images of a run with it, and return how judges and metrics agree.

    Tables and reports of the run show the scores from then on. Scores that were brought before are replaced.

    Args:
        run: The folder of the run, or its URL.
        files: CSV files; see :mod:`i2s_sdk.stats.human_scores`.
        system: The name of the run's model in the files; None if they have one system alone.
        task: The task whose images were scored; None if the run has one task alone whose images people score.

    Raises:
        DataError: A file cannot be read, or a line has no scores.
        UsageError: The folder holds no run, or the scores are not of its samples.
    """
    paths = [Path(one) for one in files]
    storage = open_storage(run)
    stored = read_run(storage)
    scored = human_scored_task(stored, task)
    scoring = human_scoring_of(scored)
    scores = [score for path in paths for score in read_scores(path, scoring)]
    sources = {path.name: _digest(path) for path in paths}
    found = human_scores_of_run(stored, scored, scores, sources, system)
    with storage.alone():
        write_human_scores(storage, found)
    return agreements(stored, found, judged_runs(stored))


def _digest(path: Path) -> str:
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError as error:
        raise DataError(path, 0, f"cannot be read: {error.strerror}") from None
