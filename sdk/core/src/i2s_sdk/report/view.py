"""What a report shows of a run."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from i2s_sdk.report.paths import shareable_model
from i2s_sdk.runlog.asked import Asked
from i2s_sdk.runlog.manifest import Manifest
from i2s_sdk.runlog.planned import GroupedSample
from i2s_sdk.runlog.reader import StoredRun
from i2s_sdk.runlog.record import Record
from i2s_sdk.runlog.rendered import Rendered
from i2s_sdk.runlog.storage import RunStorage
from i2s_sdk.stats.aggregate import RENDERED, Summary
from i2s_sdk.stats.columns import Columns
from i2s_sdk.stats.leaderboard import labels
from i2s_sdk.stats.results import summarize_run, task_columns
from i2s_sdk.tasks.registry import task_spec
from i2s_wire.metrics.profile import Profile

_DIGEST = re.compile("[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class RunView:
    """A run as a report shows it.

    Attributes:
        label: A name that no other run of the report has.
        manifest: What the run is.
        summary: Its numbers.
        records: Its samples, in the order of the data set.
        storage: Where the run lies.
        whole: Returns a record with its texts, if ``records`` are without.
        planned: Its instances, in the order of the data set; empty if they are not known.
        rendered: Returns what was rendered of a sample; None if nothing is known.
        asked: What the model was asked, by instance: each question with its name.
    """

    label: str
    manifest: Manifest
    summary: Summary
    records: Sequence[Record]
    storage: RunStorage
    whole: Callable[[Record], Record] = lambda record: record
    planned: Sequence[GroupedSample] = ()
    rendered: Callable[[str], Rendered | None] = lambda identity: None
    asked: Mapping[str, tuple[tuple[str, Asked], ...]] = field(default_factory=dict)

    @property
    def columns(self) -> dict[str, Columns]:
        """Return the columns of each task."""
        return {task: task_columns(self.manifest, task) for task in self.summary.tasks}

    @property
    def metrics(self) -> dict[str, tuple[str, ...]]:
        """Return the metrics that samples of each task have values of, in the order shown."""
        return {task: tuple(one.name for one in own.metrics) for task, own in self.columns.items()}


def views_of(runs: Sequence[StoredRun]) -> list[RunView]:
    """Return what a report shows of runs that were read."""
    names = labels(
        [
            (shareable_model(run.manifest.options.model), run.manifest.options.profile, run.storage.name)
            for run in runs
        ]
    )
    return [
        RunView(
            name,
            run.manifest,
            summarize_run(run),
            run.ordered(),
            run.storage,
            run.with_texts,
            run.planned,
            run.rendered,
            run.asked,
        )
        for name, run in zip(names, runs, strict=True)
    ]


def usable_word(task: str) -> str:
    """Return what a usable sample of a task is called: "rendered" if the task renders."""
    return "rendered" if task_spec(task).renders else "usable"


def metric_word(task: str, metric: str) -> str:
    """Return what a metric is called: its name, and the word of a task for the share of usable samples."""
    return usable_word(task) if metric == RENDERED else metric


def profile_word(task: str, profile: str) -> str:
    """Return what a profile is called for a task: ``helm`` is "reference" if HELM lacks the task."""
    return "reference" if profile == Profile.HELM and not task_spec(task).hub_name else profile


def checked(record: Record) -> Record:
    """Return a record without names of pictures that are none: they become paths."""
    return replace(
        record,
        reference_sha256=_digest(record.reference_sha256),
        rendering_sha256=_digest(record.rendering_sha256),
    )


def is_digest(text: str) -> bool:
    """Return whether a text is the name that a picture can have."""
    return _DIGEST.fullmatch(text) is not None


def _digest(text: str) -> str:
    return text if is_digest(text) else ""
