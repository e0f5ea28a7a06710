"""What is kept of one sample, and its form as a line of JSON."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from i2s_sdk.run.storage.outcome import Outcome
from i2s_sdk.run.storage.read_sample import ReadSample, read_values
from i2s_sdk.run.storage.typed_fields import with_checked_fields

#: Fields that a line has only if they say something, beside those of ReadSample.
_OPTIONAL = ("parts", "detail", "cached_cost", "cached_at", "reasoning")
#: Fields that a line begins with.
_FIRST = ("id", "task", "subset", "difficulty", "outcome")
#: Bytes of the digest of a completion in memory.
_DIGEST_BYTES = 16


@dataclass(frozen=True, slots=True)
class Failure:
    """What stopped a sample: the name of the error and its message."""

    kind: str
    message: str


@dataclass(frozen=True, slots=True)
class TokenUsage:
    """Tokens of the call that was answered, as the server counted them; None if it did not say."""

    input_tokens: int | None = None
    output_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class Record(ReadSample):
    """One sample of a run: what its three stages found, joined. ``usable`` is that of the last stage.

    Attributes:
        outcome: How the sample ended.
        metrics: Values by name; None if a metric is not defined for the pair. A sample that is not
            usable has in each what the metric says of such a sample. Empty if the sample has no score.
        undefined: Why a metric is not defined, by name.
        parts: Numerator and denominator of each metric that is pooled over samples, by name.
        detail: What a report shows of how the values came about, by the name of the scorer.
        completion: What the model said, verbatim; None if it said nothing.
        failure: What stopped the sample.
        finish: Why the completion ends where it does, such as "stop" or "length".
        usage: Tokens of the completion.
        cost: Cost of the completion in US dollars by the list of prices; None if it is not known.
        cached: Whether the completion was kept from an earlier call and nothing was paid now.
        attempts: Calls made for it; 0 if nothing was asked.
        cached_cost: Part of ``cost`` that was not paid now, if only some of the completions of several
            questions were kept from earlier calls.
        cached_at: When the completion was given, if it or a part of it came from the answer cache, in ISO
            8601: the earliest date; empty otherwise.
        reasoning: Reasoning that the provider returned apart from the completion, or its beginning.
        kept_digest: The digest of the completion of a record without texts. It is not written.
    """

    outcome: Outcome = field(kw_only=True)
    metrics: Mapping[str, float | None] = field(default_factory=dict)
    undefined: Mapping[str, str] = field(default_factory=dict)
    parts: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    detail: Mapping[str, Any] = field(default_factory=dict)
    completion: str | None = None
    failure: Failure | None = None
    finish: str = ""
    usage: TokenUsage = field(default_factory=TokenUsage)
    cost: float | None = None
    cached: bool = False
    attempts: int = 0
    cached_cost: float = 0.0
    cached_at: str = ""
    reasoning: str = ""
    kept_digest: str = field(default="", repr=False, compare=False)

    @property
    def completion_digest(self) -> str:
        """A digest of the completion without white space around it, by which equal ones are found."""
        if self.kept_digest or self.completion is None:
            return self.kept_digest
        text = self.completion.strip().encode("utf-8", "surrogatepass")
        return hashlib.blake2b(text, digest_size=_DIGEST_BYTES).hexdigest()

    def has_data_of(self, other: Record) -> bool:
        """Return whether two records are of the same instance: of one id, reference picture and target.

        Records of earlier versions do not say which target they were compared with; theirs is every target.
        """
        same = (self.id, self.reference_sha256) == (other.id, other.reference_sha256)
        return same and same_targets((self, other))

    def to_json(self) -> dict[str, Any]:
        """Return the record as JSON has it: enums by name, without fields that only some tasks fill."""
        plain = ReadSample.to_json(self)
        for name in _OPTIONAL:
            if not plain[name]:
                del plain[name]
        del plain["kept_digest"]
        plain["outcome"] = str(self.outcome)
        return {name: plain[name] for name in _FIRST} | plain

    @classmethod
    def from_json(cls, plain: Mapping[str, Any]) -> Record:
        """Return the record of a line; fields of later versions are left out.

        Raises:
            KeyError, TypeError, ValueError: It is not a record.
        """
        values = read_values(cls, plain)
        values.pop("kept_digest", None)
        values["outcome"] = Outcome(values["outcome"])
        values["parts"] = {
            name: (top, bottom) for name, (top, bottom) in dict(values.get("parts", {})).items()
        }
        values["failure"] = (
            with_checked_fields(Failure(**values["failure"])) if values.get("failure") else None
        )
        values["usage"] = (
            with_checked_fields(TokenUsage(**values["usage"])) if values.get("usage") else TokenUsage()
        )
        return with_checked_fields(cls(**values))


def same_targets(records: Iterable[Record]) -> bool:
    """Return whether records can be of one target; one of an earlier version can be of any."""
    return len({one.target_sha256 for one in records} - {""}) < 2


def without_texts(record: Record) -> Record:
    """Return a record without what takes most of its memory: completion, structure, messages.

    A text that many records of a run have in common is there once.
    """
    return replace(
        record,
        completion=None if record.completion is None else "",
        reasoning="",
        structure=None if record.structure is None else "",
        message="",
        error=None,
        error_before_repair=None,
        repairs=(),
        undefined={},
        detail={},
        task=sys.intern(record.task),
        subset=sys.intern(record.subset),
        difficulty=sys.intern(record.difficulty),
        finish=sys.intern(record.finish),
        engine_digest=sys.intern(record.engine_digest),
        isolation=sys.intern(record.isolation),
        metrics={sys.intern(name): value for name, value in record.metrics.items()},
        seconds={},
        kept_digest=record.completion_digest,
    )
