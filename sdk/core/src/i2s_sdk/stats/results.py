"""The numbers of a run from what its folder holds, the same for a run, a shard and a merge of shards."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence

from i2s_sdk.models.asked_with import max_tokens_of
from i2s_sdk.runlog.manifest import Manifest
from i2s_sdk.runlog.planned import GroupedSample
from i2s_sdk.runlog.reader import StoredRun
from i2s_sdk.runlog.record import Record
from i2s_sdk.stats.aggregate import Summary, aggregate
from i2s_sdk.stats.columns import Columns
from i2s_sdk.tasks.metrics import image_metrics, metrics_of
from i2s_sdk.tasks.registry import BENCHMARKS, SPECS, open_task, task_spec
from i2s_wire.metrics.profile import Profile


def summarize_run(run: StoredRun) -> Summary:
    """Return the numbers of a run that was read from its folder."""
    return summarize(run.manifest, run.planned, run.records)


def summarize(manifest: Manifest, planned: Sequence[GroupedSample], records: Mapping[str, Record]) -> Summary:
    """Return the numbers of a run.

    Args:
        manifest: Manifest of the run.
        planned: Its instances in any order; of a shard, its own.
        records: Records by instance.
    """
    present = {one.task for one in planned}
    columns = {task: task_columns(manifest, task) for task in SPECS if task in present}
    profile, limits = Profile(manifest.options.profile), max_tokens(manifest, present)
    return aggregate(planned, records, columns, profile, BENCHMARKS, limits)


def max_tokens(manifest: Manifest, tasks: Iterable[str]) -> dict[str, int]:
    """Return the most tokens of a completion by task; a task is left out if they are not known."""
    chosen = max_tokens_of(manifest.about)
    return {} if chosen is None else {task: task_spec(task).max_tokens or chosen for task in tasks}


def task_columns(manifest: Manifest, task: str) -> Columns:
    """Return the columns that a task has in a run.

    The manifest alone decides, so that they are the same on a machine with other packages.
    """
    known, spec = open_task(task, Profile(manifest.options.profile)), task_spec(task)
    pictures = image_metrics(known)
    metrics = tuple(
        one
        for one in metrics_of(known)
        if one.name in manifest.options.metrics
        and (one.name in pictures or f"{one.name} of {task}" not in manifest.unavailable)
    )
    there = {one.name for one in metrics}
    averages = tuple(one for one in spec.averages if there.intersection(one.of))
    return Columns(metrics, averages, spec.mean_of_cells)


def results_document(summary: Summary, manifest: Manifest) -> bytes:
    """Return the content of results.json: the same bytes whatever the order of the data set."""
    numbers = {**summary.to_json(), "unavailable": dict(sorted(manifest.unavailable.items()))}
    return (json.dumps(numbers, indent=2) + "\n").encode()
