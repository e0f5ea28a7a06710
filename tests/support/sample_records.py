"""Records of samples for tests, by the names that the fields have in their lines."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from i2s_sdk.run.storage.codec import read_record, record_line
from i2s_sdk.run.storage.record import Outcome, Record, SampleInstance

#: The part of a record that has a field; all others are of the rendering.
_PARTS = {
    **dict.fromkeys(
        ("id", "task", "subset", "difficulty", "assets", "reference_sha256", "target_sha256"), "instance"
    ),
    **dict.fromkeys(
        (
            "completion",
            "finish",
            "usage",
            "cost",
            "cached",
            "attempts",
            "cached_cost",
            "cached_at",
            "reasoning",
        ),
        "answer",
    ),
    **dict.fromkeys(("metrics", "undefined", "parts", "detail"), "score"),
}
_NAMES = {"rendering_sha256": "sha256"}
_STAGES = {"generate": "answer", "render": "rendering", "score": "score"}


def flat_record(
    id: str, task: str, subset: str, difficulty: str, *, outcome: Outcome, **fields: Any
) -> Record:
    """Return a record of these fields, as its line has them."""
    return changed(Record(SampleInstance(id, task, subset, difficulty)), outcome=outcome, **fields)


def changed(record: Record, **fields: Any) -> Record:
    """Return a record with other fields, as its line has them."""
    outcome, failure = fields.pop("outcome", record.outcome), fields.pop("failure", record.failure)
    parts: dict[str, dict[str, Any]] = {name: {} for name in ("instance", "answer", "rendering", "score")}
    for stage, seconds in fields.pop("seconds", {}).items():
        parts[_STAGES[stage]]["seconds"] = seconds
    for name, value in fields.items():
        parts[_PARTS.get(name, "rendering")][_NAMES.get(name, name)] = value
    for name in ("answer", "rendering", "score"):
        parts[name] |= {"outcome": None, "failure": None}
    parts[_ending_part(outcome)] |= {"outcome": outcome, "failure": failure}
    if outcome is Outcome.CANCELLED:
        parts["answer"]["outcome"] = None
    return replace(
        record,
        instance=replace(record.instance, **parts["instance"]),
        answer=replace(record.answer, **parts["answer"]),
        rendering=replace(record.rendering, **parts["rendering"]),
        score=replace(record.score, **parts["score"]),
    )


def reread(record: Record) -> Record:
    """Return a record as it is read from its line."""
    return read_record(json.loads(json.dumps(record_line(record))))


def _ending_part(outcome: Outcome) -> str:
    """Return the part of a record that was read from its line which says how the sample ended."""
    if outcome.counts or outcome is Outcome.METRIC_FAILURE:
        return "score"
    return "rendering" if outcome is Outcome.RENDER_FAILURE else "answer"
