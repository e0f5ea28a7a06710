"""Shards of one run into one run folder, as if it had never been sharded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

from i2s_sdk.errors import RunConflictError, UsageError
from i2s_sdk.report.page import write_page
from i2s_sdk.run.plan import with_taken_answers
from i2s_sdk.run.storage.folder import (
    ANSWERS,
    CALLS,
    MERGING,
    RENDERINGS,
    RESULTS,
    TURN_RENDERINGS,
    RunFolder,
    StoredRun,
    joined_points,
    read_asked,
    read_points,
    read_run,
    write_points,
)
from i2s_sdk.run.storage.index import read_lines
from i2s_sdk.run.storage.interface import PathOrUrl
from i2s_sdk.run.storage.manifest import Manifest, RunOptions
from i2s_sdk.run.storage.record import Record
from i2s_sdk.settings import Settings
from i2s_sdk.stats.aggregate import Summary, results_document, summarize_run

_NAMED = 5  # ids that a message names


@dataclass(frozen=True, slots=True)
class MergeResult:
    """Shards that became one run."""

    #: Folder of the run: a path, or the text of a URL. So is its report.
    folder: PathOrUrl
    #: Its page.
    report: PathOrUrl
    #: Its numbers.
    summary: Summary
    #: Instances that no shard has a record of, in the order of the data set.
    missing: tuple[str, ...]
    #: Metrics that could not be computed, and why.
    unavailable: Mapping[str, str]


def merge(runs: Sequence[PathOrUrl], out: PathOrUrl, settings: Settings | None = None) -> MergeResult:
    """Put shards of one run together; ``results.json`` is, byte for byte, that of the run in one piece.

    >>> merge(["runs/part-1", "runs/part-2", "runs/part-3"], "runs/whole")  # doctest: +SKIP

    Args:
        runs: Folders of shards, or their URLs, in any order. All should be there; what is missing is said.
        out: Folder of the whole run, or its URL, new or empty. ``evaluate`` can go on with it. A merge
            that was cut off begins anew.
        settings: Settings of stores; None takes the defaults.

    Raises:
        UsageError: A folder is not a run, or ``out`` holds something.
        RunConflictError: They are not shards of one run, or two hold the same instance; says what differs.
    """
    if not runs:
        raise UsageError("merge needs the folders of the shards")
    shards = sorted((read_run(run) for run in runs), key=_place)
    whole, owners = _merged(shards)
    with RunFolder.open(out, settings, merging=True) as target:
        if target.manifest() is not None or len(target.ended):
            raise UsageError(f"{target.storage} holds a run already; name a new folder with --out")
        target.storage.write(MERGING, b"")
        for shard in shards:
            _copy_images(shard, target)
            _copy_lines(shard, target)
        for record in whole.ordered():
            target.append(owners[record.instance.id].with_texts(record))
            for further in whole.turns.get(record.instance.id, ()):
                target.append(owners[record.instance.id].with_texts(further))
        summary = summarize_run(whole)
        about = with_taken_answers(whole.manifest.about, summary.spending.from_cache)
        whole = replace(whole, manifest=replace(whole.manifest, about=about))
        target.begin(whole.manifest, whole.whole)
        target.storage.flush()
        target.storage.write(RESULTS, results_document(summary, whole.manifest))
        points = joined_points(read_points(shard.storage) for shard in shards)
        if points:
            write_points(target.storage, points)
        report = write_page(
            target.storage,
            whole.manifest,
            summary,
            whole.ordered(),
            whole=lambda record: owners[record.instance.id].with_texts(record),
            planned=whole.planned,
            rendered=target.rendering_of,
            asked=read_asked(target.storage),
            turns=whole.turns,
        ).path
        target.storage.remove({MERGING})
    missing = tuple(
        planned_instance.id for planned_instance in whole.planned if planned_instance.id not in whole.records
    )
    return MergeResult(target.path, report, summary, missing, whole.manifest.unavailable)


def _place(run: StoredRun) -> tuple[int, str]:
    return (run.shard.index if run.shard else 0, str(run.path))


def _merged(shards: Sequence[StoredRun]) -> tuple[StoredRun, dict[str, StoredRun]]:
    """Return the run that the shards are parts of, and the shard that holds each record.

    Raises:
        RunConflictError: They are not parts of one run.
    """
    first = shards[0]
    owners: dict[str, StoredRun] = {}
    records: dict[str, Record] = {}
    engines: dict[str, str] = {}
    for run in shards:
        _require_same_run(first, run)
        for identity, record in run.records.items():
            if identity in owners:
                both = [one for one in run.records if one in owners]
                raise RunConflictError(
                    f"{owners[identity].path} and {run.path} overlap: both hold {_some(both)}; "
                    "name each shard once"
                )
            records[identity] = record
        owners |= dict.fromkeys(run.records, run)
        _require_own_records(run)
        engines |= run.manifest.options.engines
    names = f"{len(shards)} shards"
    manifest = Manifest(
        options=replace(_unsharded(first.manifest.options), engines=dict(sorted(engines.items()))),
        unavailable=first.manifest.unavailable,
        about={**first.manifest.about, "merged from": names},
    )
    turns = {name: own for run in shards for name, own in run.turns.items()}
    return StoredRun(first.storage, manifest, first.whole, records, turns=turns), owners


def _require_same_run(first: StoredRun, other: StoredRun) -> None:
    mine, theirs = (_unsharded(run.manifest.options) for run in (other, first))
    differences = mine.differences(theirs)
    counts = [run.shard.count if run.shard else 1 for run in (first, other)]
    if counts[0] != counts[1]:
        differences.append(f"shards: {counts[0]} there, {counts[1]} now")
    if first.whole != other.whole:
        differences.append(f"instances: {_unshared(first, other)}")
    if differences:
        raise RunConflictError(
            f"{first.path} and {other.path} are no shards of one run, and numbers of different runs do not "
            f"mix. {'; '.join(differences)}"
        )


def _require_own_records(run: StoredRun) -> None:
    planned = {planned_instance.id for planned_instance in run.planned}
    strangers = [identity for identity in run.records if identity not in planned]
    if strangers:
        part = f"shard {run.shard}" if run.shard else "the run"
        raise RunConflictError(f"{run.path} holds records that are not of {part}: {_some(strangers)}")


def _unsharded(options: RunOptions) -> RunOptions:
    return replace(options, shard="")


def _unshared(first: StoredRun, other: StoredRun) -> str:
    mine, theirs = ({planned_instance.id for planned_instance in run.whole} for run in (other, first))
    if mine == theirs:
        return "the same in another order, or of another subset"
    return f"{_some(sorted(mine ^ theirs))} not in both"


def _some(ids: Sequence[str]) -> str:
    more = f" and {len(ids) - _NAMED} more" if len(ids) > _NAMED else ""
    return ", ".join(ids[:_NAMED]) + more


def _copy_lines(shard: StoredRun, target: RunFolder) -> None:
    """Take what the stages of a shard have kept, so that the merged run can be gone on with."""
    for name, ledger in ((ANSWERS, target.answers), (RENDERINGS, target.renderings), (CALLS, target.calls)):
        for line in read_lines(shard.storage.lines(name)):
            ledger.append(line)
    if shard.manifest.options.turns > 1:
        for line in read_lines(shard.storage.lines(TURN_RENDERINGS)):
            target.turn_renderings.append(line)


def _copy_images(shard: StoredRun, target: RunFolder) -> None:
    def copy(digest: str) -> None:
        png = shard.image(digest)
        if png is not None:
            target.put_image(png)

    records = [*shard.records.values(), *(record for own in shard.turns.values() for record in own)]
    both = [(record.instance.reference_sha256, record.rendering.sha256) for record in records]
    asked = [stored_question.images for questions in shard.asked.values() for _, stored_question in questions]
    digests = dict.fromkeys(digest for some in (*both, *asked) for digest in some if digest)
    with ThreadPoolExecutor(max(shard.storage.threads, target.storage.threads)) as threads:
        for _ in threads.map(copy, digests):
            pass
