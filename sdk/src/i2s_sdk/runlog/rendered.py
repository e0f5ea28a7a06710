"""What the stage "render" keeps of a sample: structure, verdict, repairs, picture, texts to compare."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from i2s_sdk.runlog.answer import Answer
from i2s_sdk.runlog.outcome import Outcome
from i2s_sdk.runlog.record import Record
from i2s_sdk.runlog.typed_fields import with_checked_fields

#: Fields of a record that the answer has, or the score.
_OF_OTHER_STAGES = frozenset(
    {
        "completion",
        "failure",
        "finish",
        "usage",
        "cost",
        "cached",
        "attempts",
        "cached_cost",
        "metrics",
        "undefined",
    }
)


@dataclass(frozen=True, slots=True)
class Rendered:
    """A sample whose completion was read, and rendered where its task renders.

    Attributes:
        record: What is known of the sample, the answer left out. Its outcome is CANCELLED where it is to be
            scored, NO_STRUCTURE or REFUSED where it is not usable for these reasons.
        text: Of the rendering, for metrics of texts; None where it has none or none is wanted.
        truth: Text that it is compared with; None where there is none or none is wanted.
        document: What was rendered last, as its engine counts the lines; None if it is the structure, or was
            not kept since it is too long.
        log: What the engine wrote in the last render, bounded; None if it wrote nothing.
        target: The structure of the ground truth, which a report shows beside that of the answer; None if
            there is none, or it is too long.
    """

    record: Record
    text: str | None = None
    truth: str | None = None
    document: str | None = None
    log: str | None = None
    target: str | None = None

    def record_with(self, answer: Answer) -> Record:
        """Return the record with what the model said."""
        return answered(self.record, answer)

    def to_json(self) -> dict[str, Any]:
        """Return what this stage decides as JSON has it; the outcome of a sample to be scored is null."""
        plain = {name: one for name, one in self.record.to_json().items() if name not in _OF_OTHER_STAGES}
        if self.record.outcome is Outcome.CANCELLED:
            plain["outcome"] = None
        kept = {"document": self.document, "log": self.log, "target": self.target}
        own = {name: text for name, text in kept.items() if text is not None}
        return {**plain, "text": self.text, "truth": self.truth, **own}

    @classmethod
    def from_json(cls, plain: Mapping[str, Any]) -> Rendered:
        """Return what a line holds, also one with the fields of other stages, as they were written once.

        Raises:
            KeyError, TypeError, ValueError: It is nothing of this kind.
        """
        record = {**plain, "outcome": plain["outcome"] or Outcome.CANCELLED}
        kept = (plain.get(name) for name in ("document", "log", "target"))
        texts = (plain["text"], plain["truth"], *kept)
        return with_checked_fields(cls(Record.from_json(record), *texts))


def answered(record: Record, answer: Answer) -> Record:
    """Return a record with what the model said, and what that took."""
    return replace(
        record,
        completion=answer.completion,
        failure=answer.failure,
        finish=answer.finish,
        usage=answer.usage,
        cost=answer.cost,
        cached=answer.cached,
        attempts=answer.attempts,
        cached_cost=answer.cached_cost,
        seconds={"generate": answer.seconds, **record.seconds},
    )
