"""The scorer of SO-Bench: exact match, validity under the schema, and field matching."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from i2s_sdk.scoring.limits import ScorerLimits
from i2s_sdk.scoring.scorer import Aggregate, Metric, Scorable, Values
from i2s_sdk.tasks.sobench.field_match import ABSENT, Counts, Node, match_fields
from i2s_sdk.tasks.sobench.reading import read_answer
from i2s_sdk.tasks.sobench.rows import rows_of
from i2s_sdk.tasks.sobench.schema_check import follows_schema
from i2s_wire.metrics.profile import Profile

#: Name of the scorer, and of its detail in records.
NAME = "sobench"
#: CPU time and memory for a sample.
LIMITS = ScorerLimits(cpu_seconds=2.0, memory_bytes=512 << 20)

_NOTHING_COUNTS = "no field of the answer counts"


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

    Attributes:
        profile: Profile whose rules are followed.
        name: Name as the manifest calls it.
        version: Grows whenever a value can change.
        in_worker: True: schemas and answers can take any time.
        limits: Limits of a sample.
    """

    profile: Profile
    name: str = NAME
    version: str = "2"
    in_worker: bool = True
    limits: ScorerLimits = LIMITS

    @property
    def metrics(self) -> tuple[Metric, ...]:
        """The six columns."""
        unread = None if self.profile is Profile.HELM else 0.0
        share, pooled = Aggregate.SHARE, Aggregate.POOLED
        return (
            Metric("fma", unread, aggregate=pooled),
            Metric("fsma", unread, aggregate=share),
            Metric("followed_schema", aggregate=share),
            Metric("exact_match", aggregate=share),
            Metric("fma_exact", unread, aggregate=pooled),
            Metric("fsma_exact", unread, aggregate=share),
        )

    def applies(self, sample: Scorable) -> bool:
        """Return whether there is a gold answer."""
        return isinstance(sample.target, dict) and "answer" in sample.target

    def score(self, sample: Scorable) -> Values:
        """Return the values of an answer."""
        answer = read_answer(sample.structure or "", self.profile)
        values = self._fields(answer, sample)
        whole = {
            "exact_match": float(bool(answer == sample.target["answer"])),
            "followed_schema": float(follows_schema(answer, sample.inputs.get("schema"), self.profile)),
        }
        return Values({**whole, **values.metrics}, values.undefined, values.parts, values.detail)

    def unusable(self, sample: Scorable) -> Values:
        """Return the values of an answer that cannot be read, or takes too much to be scored."""
        whole = {"exact_match": 0.0, "followed_schema": 0.0}
        values = self._fields(ABSENT, sample)
        if self.profile is Profile.HELM:
            others = dict.fromkeys(("fma", "fsma", "fma_exact", "fsma_exact"))
            return Values({**whole, **others}, detail=values.detail)
        shares = dict.fromkeys(("fsma", "fsma_exact"), 0.0)
        return Values({**whole, **values.metrics, **shares}, values.undefined, values.parts, values.detail)

    def _fields(self, answer: Any, sample: Scorable) -> Values:  # noqa: ANN401 - a JSON value
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
        return Values(metrics, undefined, parts, rows_of(shown))

    def _matched(self, answer: Any, gold: Any, label: Any) -> Node:  # noqa: ANN401
        return match_fields(answer, gold, label, self.profile)
