"""The view of a run that a report shows, without the paths of the machine that the run was made on."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import PurePath

from i2s_sdk.run.storage.folder import StoredRun
from i2s_sdk.run.storage.interface import RunStorage
from i2s_sdk.run.storage.manifest import GroupedSample, Manifest, PlannedSample
from i2s_sdk.run.storage.record import Record, SampleRendering, StoredQuestion
from i2s_sdk.stats.aggregate import RENDERED, Summary, summarize_run, task_columns
from i2s_sdk.stats.columns import Columns
from i2s_sdk.stats.leaderboard import labels
from i2s_sdk.tasks.registry import task_spec
from i2s_wire.metrics.profile import Profile

#: An absolute path of two or more names, which is not part of an address or of a relative path.
_PATH = re.compile(r"(?<![\w:/.~<])~?/(?:[\w.@+-]+/)+[\w.@+-]*")


def without_paths(text: str) -> str:
    """Return a text in which only the last name of each absolute path is left."""
    return _PATH.sub(lambda found: f"…/{PurePath(found.group()).name}", text)


def shareable_model(name: str) -> str:
    """Return the name of a model without the folders of a program, its arguments and recorded answers."""
    kind, colon, line = name.partition(":")
    if not colon or kind not in ("command", "replay"):
        return name
    try:
        words = shlex.split(line) if kind == "command" else [line]
    except ValueError:
        words = line.split()
    own = [PurePath(word).name if _is_path(word) else without_paths(word) for word in words]
    return f"{kind}:{shlex.join(own) if kind == 'command' and len(own) > 1 else ' '.join(own)}"


def run_name(manifest: Manifest) -> str:
    """Return the name of a run: its label, else its model as it may be shared."""
    return manifest.label or shareable_model(manifest.options.model)


def _is_path(word: str) -> bool:
    return word.startswith(("/", "~/", "../")) and len(PurePath(word).parts) > 1


_DIGEST = re.compile("[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class RunView:
    """A run as a report shows it."""

    #: A name that no other run of the report has.
    label: str
    #: What the run is.
    manifest: Manifest
    #: Its numbers.
    summary: Summary
    #: Its samples, in the order of the data set.
    records: Sequence[Record]
    #: Where the run lies.
    storage: RunStorage
    #: Returns a record with its texts, if ``records`` are without.
    whole: Callable[[Record], Record] = lambda record: record
    #: Its instances, in the order of the data set; empty if they are not known.
    planned: Sequence[PlannedSample] = ()
    #: Returns what was rendered of a sample; None if nothing is known.
    rendered: Callable[[str], SampleRendering | None] = lambda identity: None
    #: What the model was asked, by instance: each question with its name.
    asked: Mapping[str, tuple[tuple[str, StoredQuestion], ...]] = field(default_factory=dict)
    #: Records of answers after the first by instance, in order; with their texts by ``whole``.
    turns: Mapping[str, Sequence[Record]] = field(default_factory=dict)

    @property
    def instances(self) -> Sequence[GroupedSample]:
        """Its instances; if they are not known, those that have a record."""
        return self.planned or [record.instance for record in self.records]

    @property
    def columns(self) -> dict[str, Columns]:
        """Return the columns of each task."""
        return {task: task_columns(self.manifest, task) for task in self.summary.tasks}

    @property
    def metrics(self) -> dict[str, tuple[str, ...]]:
        """Return the metrics that samples of each task have values of, in the order shown."""
        return {task: tuple(metric.name for metric in own.metrics) for task, own in self.columns.items()}


def views_of(runs: Sequence[StoredRun]) -> list[RunView]:
    """Return what a report shows of runs that were read."""
    names = labels([(run_name(run.manifest), run.manifest.options.profile, run.storage.name) for run in runs])
    return [
        RunView(
            name,
            run.manifest,
            summarize_run(run),
            run.ordered(),
            run.storage,
            run.with_texts,
            run.planned,
            run.rendering,
            run.asked,
            run.turns,
        )
        for name, run in zip(names, runs, strict=True)
    ]


_LEVELS = ("easy", "medium", "hard")


def difficulty_order(name: str) -> tuple[int, str]:
    """Return what difficulties are sorted by; unknown ones stand behind the others, by name."""
    return _LEVELS.index(name) if name in _LEVELS else len(_LEVELS), name


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
    """Return a record without names of images that are none: they become paths."""
    return replace(
        record,
        instance=replace(record.instance, reference_sha256=_digest(record.instance.reference_sha256)),
        rendering=replace(record.rendering, sha256=_digest(record.rendering.sha256)),
    )


def is_digest(text: str) -> bool:
    """Return whether a text is the name that an image can have."""
    return _DIGEST.fullmatch(text) is not None


def _digest(text: str) -> str:
    return text if is_digest(text) else ""
