"""The scorer of SO-Bench: exact match, validity under the schema, field matching, and rows for the report."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from i2s_sdk.scoring.scorer import Aggregate, Metric, MetricValues, Scorable, ScorerLimits
from i2s_sdk.tasks.sobench.field_match import ABSENT, Counts, Node, match_fields
from i2s_sdk.tasks.sobench.json_schema import follows_schema
from i2s_sdk.tasks.sobench.reading import read_answer
from i2s_wire.metrics.profile import Profile

#: The longest text of a value, in characters.
_TEXT = 200
#: Bytes of all rows as JSON, less than the detail of a sample may have.
_BYTES = 60_000

#: Depth, name, gold value, predicted value, and "matched", "missed", "extra" or "ignored".
Row = tuple[int, str, str, str, str]


def rows_of(root: Node) -> dict[str, Any]:
    """Return the rows of a field and all below it as JSON, in the order of the gold value.

    Returns:
        ``rows``, as many as fit, and ``left_out``, how many did not.
    """
    rows: list[Row] = []
    used = 0
    for row in _rows(root, 0):
        used += len(json.dumps(row)) + 2
        if used > _BYTES:
            break
        rows.append(row)
    count = sum(1 + _extra_count(node) for node in root.walk())
    return {"rows": rows, "left_out": count - len(rows)}


def _rows(node: Node, depth: int) -> Iterator[Row]:
    mark = "ignored" if node.ignored else "matched" if node.matched else "missed"
    inner = bool(node.children)
    yield depth, _text(node.name), _shown(node.gold, inner), _shown(node.answer, inner), mark
    for child in node.children:
        yield from _rows(child, depth + 1)
    for name, value in _extra(node):
        yield depth + 1, _text(name), "", _shown(value, inner=False), "extra"


def _extra(node: Node) -> Iterator[tuple[str, Any]]:
    """Yield what the predicted object or list has beyond the gold one."""
    if node.ignored:
        return
    if isinstance(node.gold, dict) and isinstance(node.answer, dict):
        yield from ((name, value) for name, value in node.answer.items() if name not in node.gold)
    if isinstance(node.gold, list) and isinstance(node.answer, list):
        for index in range(len(node.gold), len(node.answer)):
            yield str(index), node.answer[index]


def _extra_count(node: Node) -> int:
    """Return how many fields or elements ``_extra`` yields."""
    if node.ignored:
        return 0
    if isinstance(node.gold, list) and isinstance(node.answer, list):
        return max(0, len(node.answer) - len(node.gold))
    return sum(1 for _ in _extra(node))


def _shown(value: Any, inner: bool) -> str:  # noqa: ANN401 - a JSON value
    """Return the text of a value; of one whose fields have rows of their own, what it is."""
    if value is ABSENT:
        return ""
    if isinstance(value, str):
        return _text(value)
    if inner and isinstance(value, dict | list):
        kind = "fields" if isinstance(value, dict) else "elements"
        return f"{len(value)} {kind if len(value) != 1 else kind[:-1]}"
    return _text(json.dumps(value, ensure_ascii=False))


def _text(value: str) -> str:
    """Return a text that is short enough and can be encoded."""
    text = value[:_TEXT].encode("utf-8", "replace").decode()
    return text + "…" if len(value) > _TEXT else text


#: Name of the scorer, and of its detail in records.
NAME = "sobench"
#: CPU time and memory for a sample.
LIMITS = ScorerLimits(cpu_seconds=2.0, memory_bytes=512 << 20)

_NOTHING_COUNTS = "no field of the answer counts"
_FMA = "Share of the fields that match, of all that count in all samples."
_FSMA = "Share of samples whose fields all match."


@dataclass(frozen=True, slots=True)
class StructuredOutputScorer:
    """Compares a JSON value with a schema and with a gold value.

    ``exact_match`` is whether the values are equal; 1, 1.0 and true are. ``followed_schema`` is whether the
    answer is valid under the schema. ``fma`` (field match accuracy) is the number of matching fields divided
    by the number of fields that count, both summed over samples. ``fsma`` (full structure match accuracy) is
    the share of samples whose fields all match. ``fma_exact`` and ``fsma_exact`` are the same with all
    labels "exact".

    An answer that cannot be read counts 0 in ``exact_match`` and ``followed_schema``. In profile
    ``reference`` it is left out of the others; in profile ``paper`` it counts in them with all its gold
    fields missed.
    """

    #: Profile whose rules are followed.
    profile: Profile
    #: Name as the manifest calls it.
    name: str = NAME
    #: Grows whenever a value can change.
    version: str = "2"
    #: True: schemas and answers can take any time.
    in_worker: bool = True
    #: Limits of a sample.
    limits: ScorerLimits = LIMITS

    @property
    def metrics(self) -> tuple[Metric, ...]:
        """The six columns."""
        unread = None if self.profile is Profile.HELM else 0.0
        share, pooled = Aggregate.SHARE, Aggregate.POOLED
        return (
            Metric("fma", unread, aggregate=pooled, summary=_FMA),
            Metric("fsma", unread, aggregate=share, summary=_FSMA),
            Metric(
                "followed_schema", aggregate=share, summary="Share of answers that are valid by the schema."
            ),
            Metric("exact_match", aggregate=share, summary="Share of answers that equal the gold answer."),
            Metric("fma_exact", unread, aggregate=pooled, summary=f"{_FMA} All are compared exactly."),
            Metric("fsma_exact", unread, aggregate=share, summary=f"{_FSMA} All are compared exactly."),
        )

    def applies(self, sample: Scorable) -> bool:
        """Return whether there is a gold answer."""
        return isinstance(sample.target, dict) and "answer" in sample.target

    def score(self, sample: Scorable) -> MetricValues:
        """Return the values of an answer."""
        answer = read_answer(sample.structure or "", self.profile)
        values = self._fields(answer, sample)
        whole = {
            "exact_match": float(bool(answer == sample.target["answer"])),
            "followed_schema": float(follows_schema(answer, sample.inputs.get("schema"), self.profile)),
        }
        return MetricValues({**whole, **values.metrics}, values.undefined, values.parts, values.detail)

    def unusable(self, sample: Scorable) -> MetricValues:
        """Return the values of an answer that cannot be read, or takes too much to be scored."""
        whole = {"exact_match": 0.0, "followed_schema": 0.0}
        values = self._fields(ABSENT, sample)
        if self.profile is Profile.HELM:
            others = dict.fromkeys(("fma", "fsma", "fma_exact", "fsma_exact"))
            return MetricValues({**whole, **others}, detail=values.detail)
        shares = dict.fromkeys(("fsma", "fsma_exact"), 0.0)
        return MetricValues(
            {**whole, **values.metrics, **shares}, values.undefined, values.parts, values.detail
        )

    def _fields(self, answer: Any, sample: Scorable) -> MetricValues:  # noqa: ANN401 - a JSON value
        """Return the values of field matching."""
        gold, labels = sample.target["answer"], sample.target.get("labels")
        shown = self._matched(answer, gold, labels)
        exact = self._matched(answer, gold, None)
        metrics: dict[str, float | None] = {}
        undefined: dict[str, str] = {}
        parts: dict[str, tuple[float, float]] = {}
        for suffix, node in (("", shown), ("_exact", exact)):
            counts = Counts.of(node)
            name = f"fma{suffix}"
            metrics[name] = counts.matches / counts.total if counts.total else None
            metrics[f"fsma{suffix}"] = float(counts.matches == counts.total)
            parts[name] = (float(counts.matches), float(counts.total))
            if not counts.total:
                undefined[name] = _NOTHING_COUNTS
        return MetricValues(metrics, undefined, parts, rows_of(shown))

    def _matched(self, answer: Any, gold: Any, label: Any) -> Node:  # noqa: ANN401
        return match_fields(answer, gold, label, self.profile)
