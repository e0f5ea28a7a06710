"""Finds duplicates among all pieces that were kept so far."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from i2s_collect.candidates import Piece
from i2s_collect.pictures.fingerprint import HASH_SIDE, PERMUTATIONS, THUMBNAIL_SIDE, Fingerprint, fingerprint
from i2s_sdk.instances.images import decode_image

#: Bits of the difference hashes that may differ.
MOST_BITS = 6

#: How far widths, and heights, of equal pictures may differ, as part of the larger.
SIZE_TOLERANCE = 0.05

#: The mean difference of the grey values of thumbnails, from 0 to 255, stays below this.
GREY_DIFFERENCE = 2.0

#: The sum of these differences is at most this part of the mean ink of both. Ink is the sum of all deviations
#: from the background, which is the median.
INK_DIFFERENCE = 0.05

#: Estimated Jaccard similarity of the shingles, at least.
SIMILARITY = 0.8

#: How many of the numbers of a MinHash are compared with those of every piece before all are compared.
HEAD = 28

#: Pieces for which an index reserves memory when it runs out.
GROWTH = 1_024


class Ring(StrEnum):
    """The comparisons, from the strictest on. The values are stored and printed."""

    SOURCE = "equal source"
    PICTURE = "equal picture"
    LOOK = "picture that looks the same"
    TEXT = "similar text"


class Match(NamedTuple):
    """A kept piece that is the same.

    Attributes:
        key: Key of the kept piece.
        ring: Name of the comparison that found it.
    """

    key: str
    ring: Ring


@dataclass(slots=True)
class _Rows:
    """The fingerprints of a subset as arrays, which have space for more rows than are filled."""

    keys: list[str] = field(default_factory=list)
    sources: dict[str, int] = field(default_factory=dict)
    pictures: dict[str, int] = field(default_factory=dict)
    sizes: NDArray[np.int32] = field(default_factory=lambda: np.empty((0, 2), np.int32))
    hashes: NDArray[np.uint64] = field(default_factory=lambda: np.empty((0, HASH_SIDE**2 // 64), np.uint64))
    thumbnails: NDArray[np.uint8] = field(default_factory=lambda: np.empty((0, THUMBNAIL_SIDE**2), np.uint8))
    shingles: NDArray[np.uint32] = field(default_factory=lambda: np.empty((0, PERMUTATIONS), np.uint32))
    heads: NDArray[np.uint32] = field(default_factory=lambda: np.empty((0, HEAD), np.uint32))
    with_text: NDArray[np.bool_] = field(default_factory=lambda: np.empty(0, np.bool_))

    def add(self, key: str, one: Fingerprint) -> None:
        row = len(self.keys)
        if row == len(self.sizes):
            self._grow(row + max(GROWTH, row // 2))
        self.keys.append(key)
        self.sources.setdefault(one.source, row)
        self.pictures.setdefault(one.picture, row)
        self.sizes[row] = (one.width, one.height)
        self.hashes[row] = np.frombuffer(one.difference, np.uint64)
        self.thumbnails[row] = np.frombuffer(one.thumbnail, np.uint8)
        self.with_text[row] = bool(one.shingles)
        self.heads[row] = np.frombuffer(one.shingles[: 4 * HEAD], "<u4") if one.shingles else 0
        self.shingles[row] = np.frombuffer(one.shingles, "<u4") if one.shingles else 0

    def _grow(self, rows: int) -> None:
        for name in ("sizes", "hashes", "thumbnails", "shingles", "heads", "with_text"):
            old = getattr(self, name)
            new = np.zeros((rows, *old.shape[1:]), old.dtype)
            new[: len(old)] = old
            setattr(self, name, new)

    def alike(self, one: Fingerprint) -> int | None:
        """Return the first row whose picture looks the same."""
        filled = len(self.keys)
        size = np.array([one.width, one.height])
        sizes = self.sizes[:filled]
        near = np.abs(sizes - size) <= SIZE_TOLERANCE * np.maximum(sizes, size)
        rows = np.flatnonzero(near.all(axis=1))
        differing = np.bitwise_count(self.hashes[rows] ^ np.frombuffer(one.difference, np.uint64))
        rows = rows[differing.sum(axis=1) <= MOST_BITS]
        if not len(rows):
            return None
        own = np.frombuffer(one.thumbnail, np.uint8).astype(np.int16)
        others = self.thumbnails[rows].astype(np.int16)
        difference = np.abs(others - own)
        ink = np.abs(own - np.median(own)).sum() + np.abs(
            others - np.median(others, axis=1, keepdims=True)
        ).sum(axis=1)
        same = (difference.mean(axis=1) < GREY_DIFFERENCE) & (
            difference.sum(axis=1) <= INK_DIFFERENCE * ink / 2
        )
        return int(rows[same][0]) if same.any() else None

    def similar(self, one: Fingerprint) -> int | None:
        """Return the first row whose text is similar enough."""
        if not one.shingles:
            return None
        own = np.frombuffer(one.shingles, "<u4")
        # A row that is equal in enough numbers is equal in some of its first ones too.
        fewest = HEAD - PERMUTATIONS + math.ceil(SIMILARITY * PERMUTATIONS)
        equal = np.count_nonzero(self.heads[: len(self.keys)] == own[:HEAD], axis=1)
        rows = np.flatnonzero(equal >= fewest)
        rows = rows[self.with_text[rows]]
        equal = np.count_nonzero(self.shingles[rows] == own, axis=1)
        rows = rows[equal >= SIMILARITY * PERMUTATIONS]
        return int(rows[0]) if len(rows) else None


class DuplicateIndex:
    """The fingerprints of all pieces that were kept. Pieces of different subsets are never compared.

    A piece takes about 2 KiB of memory. A search looks at every piece of the subset.
    """

    def __init__(self) -> None:
        self._rows: dict[str, _Rows] = {}

    def __len__(self) -> int:
        """Return the number of pieces."""
        return sum(len(rows.keys) for rows in self._rows.values())

    def add(self, subset: str, key: str, one: Fingerprint) -> None:
        """Add a piece."""
        self._rows.setdefault(subset, _Rows()).add(key, one)

    def find(self, subset: str, one: Fingerprint) -> Match | None:
        """Return the piece that was added first among those found by the strictest comparison, or None."""
        rows = self._rows.get(subset)
        if rows is None:
            return None
        found = (
            (Ring.SOURCE, rows.sources.get(one.source)),
            (Ring.PICTURE, rows.pictures.get(one.picture)),
        )
        for ring, row in found:
            if row is not None:
                return Match(rows.keys[row], ring)
        if (row := rows.alike(one)) is not None:
            return Match(rows.keys[row], Ring.LOOK)
        if (row := rows.similar(one)) is not None:
            return Match(rows.keys[row], Ring.TEXT)
        return None


class KnownPieces:
    """The duplicates of a collection: implements ``collect.judging.Duplicates``.

    Args:
        index: Index of earlier collections; pieces are added to it.
    """

    def __init__(self, index: DuplicateIndex | None = None) -> None:
        self._index = DuplicateIndex() if index is None else index
        #: What was added: subset, key and fingerprint, in the order of additions.
        self.added: list[tuple[str, str, Fingerprint]] = []

    def fingerprint(self, piece: Piece, png: bytes) -> str:
        """Return what is compared of a piece, as text.

        Raises:
            ImageFaultError: The picture cannot be read.
        """
        return fingerprint(decode_image(png), piece.structure or png, piece.text).as_text()

    def find(self, subset: str, fingerprint: str) -> str | None:
        """Return which kept piece is the same and by which comparison, for people, or None.

        Raises:
            FingerprintError: The text is no fingerprint.
        """
        match = self._index.find(subset, Fingerprint.from_text(fingerprint))
        return f"{match.key} ({match.ring.value})" if match else None

    def add(self, subset: str, key: str, fingerprint: str) -> None:
        """Keep a piece.

        Raises:
            FingerprintError: The text is no fingerprint.
        """
        one = Fingerprint.from_text(fingerprint)
        self._index.add(subset, key, one)
        self.added.append((subset, key, one))
