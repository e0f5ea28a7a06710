"""The numbers of a run from what its folder holds, the same for a run, a shard and a merge of shards."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from i2s_sdk.profile import Profile
from i2s_sdk.runlog.manifest import Manifest
from i2s_sdk.runlog.planned import Sample
from i2s_sdk.runlog.reader import StoredRun
from i2s_sdk.runlog.record import Record
from i2s_sdk.stats.aggregate import Summary, aggregate
from i2s_sdk.tasks.registry import SPECS, open_task


def summarize_run(run: StoredRun) -> Summary:
    """Return the numbers of a run that was read from its folder."""
    return summarize(run.manifest, run.planned, run.records)


def summarize(manifest: Manifest, planned: Sequence[Sample], records: Mapping[str, Record]) -> Summary:
    """Return the numbers of a run.

    Args:
        manifest: Of the run.
        planned: Its instances in any order; of a shard, its own.
        records: By instance.
    """
    present = {one.task for one in planned}
    metrics = {task: task_metrics(manifest, task) for task in SPECS if task in present}
    return aggregate(planned, records, metrics, Profile(manifest.options.profile))


def task_metrics(manifest: Manifest, task: str) -> tuple[str, ...]:
    """Return the metrics that the samples of a task have in a run, in the order shown.

    Told from the manifest alone, so that it is the same on a machine with other packages.
    """
    known = open_task(task, Profile(manifest.options.profile))
    computed = manifest.options.metrics
    pictures = known.rendering.image_metrics if known.rendering is not None else ()
    here = (metric.name for scorer in known.scorers for metric in scorer.metrics)
    available = (name for name in here if f"{name} of {task}" not in manifest.unavailable)
    return tuple(name for name in (*pictures, *available) if name in computed)


def results_document(summary: Summary, manifest: Manifest) -> bytes:
    """Return the content of results.json: the same bytes whatever the order of the data set."""
    numbers = {**summary.to_json(), "unavailable": dict(sorted(manifest.unavailable.items()))}
    return (json.dumps(numbers, indent=2) + "\n").encode()
