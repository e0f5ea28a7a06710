"""The counts of a collection by stage and reason, which add up."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from i2s_collect.candidates import CollectStage, Reason


@dataclass(frozen=True, slots=True)
class Drop:
    """A document or piece that did not become an instance."""

    #: Stage in which it was dropped.
    stage: CollectStage
    #: Why.
    reason: Reason
    #: Key of the document; empty if it has none.
    document: str
    #: Subset of the piece; empty for a document.
    subset: str = ""
    #: Key of the piece; empty for a document, and for what was refused while it was cut.
    piece: str = ""
    #: Detail for people.
    detail: str = ""

    def line(self) -> str:
        """Return it as a line of JSON."""
        return json.dumps(
            {
                "stage": self.stage.value,
                "reason": self.reason.value,
                "document": self.document,
                "subset": self.subset,
                "piece": self.piece,
                "detail": self.detail,
            },
            ensure_ascii=False,
        )


@dataclass(slots=True)
class CollectSummary:
    """Counts of a collection."""

    #: Name of the source.
    source: str
    #: Instances asked for, of each subset.
    wanted: int
    #: Documents that were published in the window, dropped ones included.
    documents: int = 0
    #: Documents that were fetched or tried to be.
    visited: int = 0
    #: Documents that were not visited, since every subset they could serve was full, or capped for their day
    #: or owner.
    not_needed: int = 0
    #: Documents that are not at hand: not stored, in an offline collection, or not among the files that were
    #: given.
    not_cached: int = 0
    #: Pieces that were found in visited documents, by subset, refused ones included.
    pieces: Counter[str] = field(default_factory=Counter)
    #: Instances by subset.
    accepted: dict[str, int] = field(default_factory=dict)
    #: Pieces and documents that were dropped, by stage, subset ("" for documents) and reason.
    drops: Counter[tuple[CollectStage, str, Reason]] = field(default_factory=Counter)

    def count(self, drops: Iterable[Drop]) -> None:
        """Add to the count of dropped pieces."""
        for drop in drops:
            self.drops[drop.stage, drop.subset, drop.reason] += 1

    @property
    def full(self) -> bool:
        """Whether every subset has as many instances as were asked for."""
        return all(count >= self.wanted for count in self.accepted.values())

    def faults(self) -> tuple[str, ...]:
        """Return which sums do not add up; empty if all do."""
        faults = []
        dropped = sum(count for (stage, _, _), count in self.drops.items() if stage is CollectStage.DISCOVER)
        if self.documents != dropped + self.visited + self.not_needed + self.not_cached:
            faults.append("documents")
        for subset, count in self.accepted.items():
            lost = sum(number for (_, one, _), number in self.drops.items() if one == subset)
            if self.pieces[subset] != count + lost:
                faults.append(f"pieces of {subset}")
        return tuple(faults)

    def as_json(self) -> dict[str, Any]:
        """Return the counts as a document."""
        by_stage: dict[str, list[Mapping[str, Any]]] = {}
        for (stage, subset, reason), count in sorted(self.drops.items()):
            entry = {"subset": subset, "reason": reason.value, "count": count}
            by_stage.setdefault(stage.value, []).append(entry)
        return {
            "source": self.source,
            "full": self.full,
            "wanted": self.wanted,
            "accepted": self.accepted,
            "documents": self.documents,
            "visited": self.visited,
            "not_needed": self.not_needed,
            "not_cached": self.not_cached,
            "pieces": dict(sorted(self.pieces.items())),
            "dropped": by_stage,
        }
