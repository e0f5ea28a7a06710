"""The end of a run: numbers and report of what its folder holds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from i2s_sdk.errors import UsageError
from i2s_sdk.instances.instance import Instance
from i2s_sdk.report.page import write_page
from i2s_sdk.report.view import run_name
from i2s_sdk.run.caches import open_caches
from i2s_sdk.run.failures import FailureReason, failure_reasons
from i2s_sdk.run.plan import with_taken_answers
from i2s_sdk.run.storage.folder import RESULTS, RunFolder, read_asked, read_turns
from i2s_sdk.run.storage.interface import PathOrUrl
from i2s_sdk.run.storage.record import Record
from i2s_sdk.settings import Settings
from i2s_sdk.stats.aggregate import Summary, results_document, summarize
from i2s_sdk.stats.skill import Skill
from i2s_sdk.stats.spending import Spending


@dataclass(frozen=True, slots=True)
class RunResult:
    """A finished run."""

    #: Where it is kept: a path, or the text of a URL. So is its report.
    folder: PathOrUrl
    #: Its page.
    report: PathOrUrl
    #: Its numbers.
    summary: Summary
    #: Metrics that could not be computed, and why.
    unavailable: Mapping[str, str]
    #: Whether no more samples failed for reasons of ours than the settings allow.
    covered: bool
    #: Why samples have no score, the most frequent reason first.
    failures: tuple[FailureReason, ...]
    #: Calls of the model that an earlier start had begun when it was stopped; they may have been billed. By
    #: instance.
    unanswered_calls: Mapping[str, int]
    #: Skill in the main metric of each task, if the folder keeps values of baselines.
    skills: Mapping[str, Skill] = field(default_factory=dict)
    #: The same in each subset of these tasks; None if no floor is known.
    skills_by_subset: Mapping[str, Mapping[str, Skill | None]] = field(default_factory=dict)
    #: The name that the user gave it; empty if it was given none.
    label: str = ""

    @property
    def spending(self) -> Spending:
        """The calls, tokens and cost of the answers."""
        return self.summary.spending


def finalize(folder: RunFolder, instances: Sequence[Instance], settings: Settings) -> RunResult:
    """Write numbers and report of what the folder holds.

    Args:
        folder: Folder of the run.
        instances: Instances that the run has; of a shard, its own.
        settings: How many failures are allowed, and the caches.
    """
    manifest = folder.manifest()
    if manifest is None:
        raise UsageError(f"{folder.storage} holds no run")
    records = folder.records(texts=False)
    later = read_turns(folder.storage) if manifest.options.turns > 1 else {}
    summary = summarize(manifest, instances, records, later)
    manifest = folder.tell(with_taken_answers(manifest.about, summary.spending.from_cache))
    folder.storage.write(RESULTS, results_document(summary, manifest))
    ordered = [records[instance.id] for instance in instances if instance.id in records]

    def whole(record: Record) -> Record:
        """Return the record with its texts, which are not all in memory."""
        return folder.record(record.instance.id, record.turn.turn) or record

    folder.storage.flush()
    asked = read_asked(folder.storage)
    report = write_page(
        folder.storage,
        manifest,
        summary,
        ordered,
        whole,
        instances,
        folder.rendering_of,
        asked,
        open_caches(settings).renders,
        later,
    )
    label = run_name(manifest)
    own = {task: skill for task, skills in report.skills.items() if (skill := skills.get(label))}
    return RunResult(
        folder=folder.path,
        report=report.path,
        summary=summary,
        unavailable=manifest.unavailable,
        covered=summary.failures <= settings.failures_allowed(summary.planned),
        failures=failure_reasons([*ordered, *(one for own in later.values() for one in own)]),
        unanswered_calls=dict(folder.unanswered_calls()),
        skills=own,
        skills_by_subset={task: report.skills_by_subset[task][label] for task in own},
        label=manifest.label,
    )
