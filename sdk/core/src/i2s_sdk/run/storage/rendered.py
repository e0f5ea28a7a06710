"""What the stage "render" keeps of a sample: structure, verdict, repairs, picture, texts to compare."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from i2s_sdk.run.storage.outcome import Outcome
from i2s_sdk.run.storage.read_sample import ReadSample, read_values
from i2s_sdk.run.storage.typed_fields import with_checked_fields

#: Fields that a line has only if there is something.
_KEPT = ("document", "log", "target")


@dataclass(frozen=True, slots=True)
class Rendered(ReadSample):
    """A sample whose completion was read, and rendered if its task renders.

    Attributes:
        outcome: NO_STRUCTURE or REFUSED if the sample is not usable for these reasons; None if it is still to
            be scored.
        text: Text of the rendering, for metrics of texts; None if it has none or none is wanted.
        truth: Text that it is compared with; None if there is none or none is wanted.
        document: What was rendered last, as its engine counts the lines; None if it is the structure, or was
            not kept since it is too long.
        log: What the engine wrote in the last render, bounded; None if it wrote nothing.
        target: The structure of the ground truth, which a report shows beside that of the answer; None if
            there is none, or it is too long.
    """

    outcome: Outcome | None = field(default=None, kw_only=True)
    text: str | None = None
    truth: str | None = None
    document: str | None = None
    log: str | None = None
    target: str | None = None

    def to_json(self) -> dict[str, Any]:
        """Return what this stage decides as JSON has it; the outcome of a sample to be scored is null."""
        plain = ReadSample.to_json(self)
        plain["outcome"] = str(self.outcome) if self.outcome is not None else None
        return {name: value for name, value in plain.items() if name not in _KEPT or value is not None}

    @classmethod
    def from_json(cls, plain: Mapping[str, Any]) -> Rendered:
        """Return what a line holds, also one with the fields of other stages, as they were written once.

        Raises:
            KeyError, TypeError, ValueError: It is nothing of this kind.
        """
        values = read_values(cls, plain)
        values |= {name: plain[name] for name in ("text", "truth")}
        # Lines of earlier versions call a sample that is still to be scored "cancelled".
        outcome = Outcome(plain["outcome"]) if plain["outcome"] else Outcome.CANCELLED
        values["outcome"] = None if outcome is Outcome.CANCELLED else outcome
        return with_checked_fields(cls(**values))
