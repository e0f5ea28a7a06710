"""Which pieces are accepted: the first in order that are not duplicates and pass no cap."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import sha256

from i2s_collect.candidates import Reason, SourceDocument
from i2s_collect.images.duplicates import KnownPieces
from i2s_collect.state import PieceOutcome


@dataclass(frozen=True, slots=True)
class Caps:
    """How many pieces are accepted. All caps hold for each subset by itself.

    That is why a collection with a larger ``per_subset`` holds the smaller one.
    """

    #: The most instances of a subset.
    per_subset: int = 300
    #: The most instances of documents of one day.
    per_day: int = 40
    #: Documents of one owner; documents without one are not counted.
    per_owner: int = 1


@dataclass(frozen=True, slots=True)
class Accepted:
    """A piece that becomes an instance, and its document."""

    document: SourceDocument
    outcome: PieceOutcome


@dataclass(frozen=True, slots=True)
class Refused:
    """A piece that passed all filters and is not accepted."""

    document: SourceDocument
    outcome: PieceOutcome
    reason: Reason
    detail: str = ""


@dataclass(slots=True)
class Acceptance:
    """Accepts pieces of documents that are offered in their order."""

    #: Caps on the numbers of accepted pieces.
    caps: Caps
    #: Index of pieces that were kept before; accepted pieces are added.
    duplicates: KnownPieces
    #: Ids of instances that must not be used.
    withdrawn: frozenset[str] = frozenset()
    #: Pieces by subset.
    accepted: defaultdict[str, list[Accepted]] = field(default_factory=lambda: defaultdict(list))
    #: All that were not.
    refused: list[Refused] = field(default_factory=list)
    _days: Counter[tuple[str, str]] = field(default_factory=Counter)
    _owners: defaultdict[tuple[str, str], set[str]] = field(default_factory=lambda: defaultdict(set))

    def is_full(self, subset: str) -> bool:
        """Return whether a subset has all its pieces."""
        return len(self.accepted[subset]) >= self.caps.per_subset

    def wants(self, document: SourceDocument, subset: str) -> Reason | None:
        """Return why no piece of a document can be accepted in a subset, or None."""
        if self.is_full(subset):
            return Reason.ENOUGH_OF_SUBSET
        if self._days[subset, document.day.isoformat()] >= self.caps.per_day:
            return Reason.ENOUGH_OF_DAY
        owners = self._owners[subset, document.owner]
        if document.owner and document.key not in owners and len(owners) >= self.caps.per_owner:
            return Reason.ENOUGH_OF_OWNER
        return None

    def offer(self, document: SourceDocument, subset: str, outcomes: Sequence[PieceOutcome]) -> None:
        """Accept what can be accepted of a document in a subset."""
        for outcome in outcomes:
            if outcome.reason is not None:
                continue
            if instance_id(document, subset, outcome.key) in self.withdrawn:
                self.refused.append(Refused(document, outcome, Reason.WITHDRAWAL_LIST))
            elif reason := self.wants(document, subset):
                self.refused.append(Refused(document, outcome, reason))
            elif same := self.duplicates.find(subset, outcome.fingerprint):
                self.refused.append(Refused(document, outcome, Reason.DUPLICATE, same))
            else:
                self._accept(document, subset, outcome)

    def _accept(self, document: SourceDocument, subset: str, outcome: PieceOutcome) -> None:
        self.accepted[subset].append(Accepted(document, outcome))
        self.duplicates.add(subset, outcome.key, outcome.fingerprint)
        self._days[subset, document.day.isoformat()] += 1
        if document.owner:
            self._owners[subset, document.owner].add(document.key)


def instance_id(document: SourceDocument, subset: str, key: str) -> str:
    """Return the id of an instance: of its document, its subset, and where it stood there."""
    readable = "".join(
        char if char.isascii() and (char.isalnum() or char in ".-") else "_" for char in document.key
    )
    return f"{readable[:120]}-{subset}-{sha256(key.encode()).hexdigest()[:8]}"
