"""What decides whether a drawn piece is kept: filters, and the comparison with everything kept before."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from i2s_collect.candidates import Dropped, Piece


@dataclass(frozen=True, slots=True)
class Judged:
    """What the filters found.

    Attributes:
        values: Values of the filters, by name; JSON, becomes part of the provenance.
        dropped: Why the piece is left out; None if it is not.
        flags: What people should know of it, such as "email_address".
    """

    values: Mapping[str, Any] = field(default_factory=dict)
    dropped: Dropped | None = None
    flags: tuple[str, ...] = ()


class PieceJudge(Protocol):
    """Filters on pieces. The same piece and picture have the same result everywhere."""

    @property
    def facts(self) -> Mapping[str, str]:
        """Names and versions of the filters, and of the models in them."""
        ...

    def judge(self, piece: Piece, png: bytes, text: str) -> Judged:
        """Return what the filters find.

        Args:
            piece: Its source.
            png: Its picture.
            text: What readers see.
        """
        ...


class Duplicates(Protocol):
    """Tells whether a piece is a duplicate of one that was kept before, here or in an earlier collection."""

    def fingerprint(self, piece: Piece, png: bytes) -> str:
        """Return what is compared of a piece, as text."""
        ...

    def find(self, subset: str, fingerprint: str) -> str | None:
        """Return which kept piece of a subset is the same and by which comparison, or None."""
        ...

    def add(self, subset: str, key: str, fingerprint: str) -> None:
        """Add a kept piece, so that later duplicates of it are found."""
        ...
