"""Scores that people gave to the images of a run, as its folder keeps them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from i2s_sdk.errors import UsageError
from i2s_sdk.json_text import read_json
from i2s_sdk.run.storage.storage import RunStorage

#: File in a run folder; absent if nobody has brought scores.
HUMAN = "human-scores.json"

FORMAT = 1


@dataclass(frozen=True, slots=True)
class RunHumanScores:
    """What people said of the images of a run.

    Attributes:
        task: Whose samples they are.
        system: What the files call the model of the run.
        sources: SHA-256 of each file by its name.
        rows: Number of rows of that system in the files.
        scores: Scores by sample, in the order of the criteria of the task's rubric; the mean of several rows.
    """

    task: str
    system: str
    sources: Mapping[str, str]
    rows: int
    scores: Mapping[str, tuple[float, ...]]

    def to_json(self) -> dict[str, Any]:
        """Return the scores as JSON has them."""
        return {
            "format": FORMAT,
            "task": self.task,
            "system": self.system,
            "sources": dict(self.sources),
            "rows": self.rows,
            "scores": {sample: list(values) for sample, values in sorted(self.scores.items())},
        }


def write_human_scores(storage: RunStorage, scores: RunHumanScores) -> None:
    """Keep scores with a run in place of earlier ones; only within ``storage.alone()``."""
    storage.write(HUMAN, (json.dumps(scores.to_json(), indent=1) + "\n").encode())


def read_human_scores(storage: RunStorage) -> RunHumanScores | None:
    """Return the scores that were brought to a run; None without any.

    Raises:
        UsageError: Their file is damaged, or of another format.
    """
    try:
        content = storage.read(HUMAN)
    except FileNotFoundError:
        return None
    try:
        plain = read_json(content)
        if plain["format"] != FORMAT:
            raise ValueError(f"format {plain['format']!r}")
        scores = {
            str(sample): tuple(float(value) for value in values) for sample, values in plain["scores"].items()
        }
        return RunHumanScores(
            str(plain["task"]), str(plain["system"]), dict(plain["sources"]), int(plain["rows"]), scores
        )
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise UsageError(f"{storage.at(HUMAN)} holds no scores of people: {error!r}") from None
