"""What a report shows of a run."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from i2s_sdk.runs.aggregate import Summary
from i2s_sdk.runs.leaderboard import labels
from i2s_sdk.runs.manifest import Manifest
from i2s_sdk.runs.place import Place
from i2s_sdk.runs.record import Record
from i2s_sdk.runs.stored import StoredRun

_DIGEST = re.compile("[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class RunView:
    """A run as a report shows it.

    Attributes:
        label: A name that no other run of the report has.
        manifest: What the run is.
        summary: Its numbers.
        records: Its samples, in the order of the data set.
        place: Where the run lies.
        whole: Returns a record with its texts, where ``records`` are without.
    """

    label: str
    manifest: Manifest
    summary: Summary
    records: Sequence[Record]
    place: Place
    whole: Callable[[Record], Record] = lambda record: record

    @property
    def metrics(self) -> dict[str, tuple[str, ...]]:
        """Return the metrics of each task, in the order shown."""
        return {task: tuple(result.total.metrics) for task, result in self.summary.tasks.items()}


def views_of(runs: Sequence[StoredRun]) -> list[RunView]:
    """Return what a report shows of runs that were read."""
    names = labels(
        [(run.manifest.options.model, run.manifest.options.profile, run.place.name) for run in runs]
    )
    return [
        RunView(name, run.manifest, run.summary, run.ordered(), run.place, run.with_texts)
        for name, run in zip(names, runs, strict=True)
    ]


def checked(record: Record) -> Record:
    """Return a record without names of pictures that are none: they become paths."""
    return replace(
        record,
        reference_sha256=_digest(record.reference_sha256),
        rendering_sha256=_digest(record.rendering_sha256),
    )


def _digest(text: str) -> str:
    return text if _DIGEST.fullmatch(text) else ""
