"""The duplicates among all pieces that were kept: fingerprints, their comparison, their SQLite file."""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
import math
import re
import sqlite3
import unicodedata
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from i2s_collect.candidates import Piece
from i2s_collect.images.values import on_white
from i2s_collect.state import transaction
from i2s_sdk.errors import DataError
from i2s_sdk.files import writing
from i2s_sdk.instances.images import decode_image
from i2s_sdk.json_text import read_json

if TYPE_CHECKING:
    from PIL import Image


#: Bits of a difference hash in each direction: 256 in all.
HASH_SIDE = 16

#: Grey levels by which a cell must be lighter than its neighbour to count as lighter. Without it, noise of
#: compression in empty parts of a page decides most bits.
HASH_MARGIN = 3

#: Pixels of the grey thumbnail in each direction: 1,024 bytes.
THUMBNAIL_SIDE = 32

#: Permutations of MinHash. The standard error of the similarity of 0.8 is then 0.035.
PERMUTATIONS = 128

#: Decides the permutations. Fingerprints of different seeds cannot be compared.
SEED = 1

#: Consecutive tokens that make a shingle. A text of fewer tokens is not compared by its shingles.
SHINGLE = 5

#: The first tokens of a text that are looked at.
MOST_TOKENS = 50_000

_TOKEN = re.compile(r"\\[A-Za-z]+|\w+|[^\w\s]")


class FingerprintError(ValueError):
    """Text that is not a fingerprint; the message says why."""


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """The parts of a piece that are compared."""

    #: SHA-256 of its normalised source, in hexadecimal.
    source: str
    #: SHA-256 of the pixels and the size of its image, in hexadecimal.
    picture: str
    #: Width of the image in pixels.
    width: int
    #: The same.
    height: int
    #: The difference hash of the image: HASH_SIDE² bits, as bytes.
    difference: bytes
    #: Grey values of the image, reduced to THUMBNAIL_SIDE², row by row.
    thumbnail: bytes
    #: The MinHash of the tokens: PERMUTATIONS numbers of 32 bits, as bytes in little-endian order; empty if
    #: there are fewer than SHINGLE tokens.
    shingles: bytes

    def __post_init__(self) -> None:
        lengths = (len(self.difference), len(self.thumbnail))
        if lengths != (HASH_SIDE**2 // 8, THUMBNAIL_SIDE**2):
            raise FingerprintError(f"hash and thumbnail have {lengths} bytes")
        if len(self.shingles) not in {0, 4 * PERMUTATIONS}:
            raise FingerprintError(f"the MinHash has {len(self.shingles)} bytes, not {4 * PERMUTATIONS}")
        if self.width < 1 or self.height < 1:
            raise FingerprintError(f"the picture has {self.width} × {self.height} pixels")

    def as_text(self) -> str:
        """Return it as JSON in one line; ``from_text`` reads it."""
        stored = {
            "source": self.source,
            "picture": self.picture,
            "size": [self.width, self.height],
            "difference": self.difference.hex(),
            "thumbnail": base64.b64encode(self.thumbnail).decode(),
            "shingles": base64.b64encode(self.shingles).decode(),
        }
        return json.dumps(stored, sort_keys=True)

    @classmethod
    def from_text(cls, text: str) -> Fingerprint:
        """Return the fingerprint that a text holds.

        Raises:
            FingerprintError: It holds none.
        """
        try:
            stored: dict[str, Any] = read_json(text)
            width, height = stored["size"]
            return cls(
                str(stored["source"]),
                str(stored["picture"]),
                int(width),
                int(height),
                bytes.fromhex(stored["difference"]),
                base64.b64decode(stored["thumbnail"], validate=True),
                base64.b64decode(stored["shingles"], validate=True),
            )
        except FingerprintError:
            raise
        except (ValueError, KeyError, TypeError, AttributeError, binascii.Error):
            raise FingerprintError("the text is no fingerprint") from None


def fingerprint(image: Image.Image, source: bytes, text: str) -> Fingerprint:
    """Return what is compared of a piece. It is the same in every process and on every machine.

    Args:
        image: Its image.
        source: Its ground truth; UTF-8 text is normalised first, anything else is taken as it is.
        text: Its source or what readers see, of which the shingles are made.
    """
    colored = on_white(image)
    pixels = hashlib.sha256(f"{colored.width} {colored.height} ".encode() + colored.tobytes())
    grey = colored.convert("L")
    return Fingerprint(
        hashlib.sha256(normalized(source)).hexdigest(),
        pixels.hexdigest(),
        colored.width,
        colored.height,
        difference_hash(grey),
        _reduced(grey, THUMBNAIL_SIDE, THUMBNAIL_SIDE).tobytes(),
        minhash(text),
    )


def normalized(source: bytes) -> bytes:
    """Return a source in Unicode's form C, each run of whitespace as one space.

    Bytes that are not UTF-8 are returned as they are.
    """
    try:
        text = source.decode("utf-8")
    except UnicodeDecodeError:
        return source
    return " ".join(unicodedata.normalize("NFC", text).split()).encode()


def difference_hash(grey: Image.Image) -> bytes:
    """Return for each cell of a reduced image whether its right neighbour is lighter, as HASH_SIDE² bits.

    Lighter means by more than HASH_MARGIN.

    Args:
        grey: An image of mode L.
    """
    cells = _reduced(grey, HASH_SIDE + 1, HASH_SIDE)
    return np.packbits(cells[:, 1:].astype(np.int16) - cells[:, :-1] > HASH_MARGIN).tobytes()


def minhash(text: str) -> bytes:
    r"""Return the MinHash of the shingles of a text, as ``Fingerprint.shingles`` holds it.

    Tokens are commands of TeX and LilyPond (``\alpha``), words and single other characters.
    """
    from datasketch import MinHash

    tokens = [match.group() for match, _ in zip(_TOKEN.finditer(text), range(MOST_TOKENS), strict=False)]
    if len(tokens) < SHINGLE:
        return b""
    shingles = {
        " ".join(tokens[at : at + SHINGLE]).encode("utf-8", "surrogatepass")
        for at in range(len(tokens) - SHINGLE + 1)
    }
    signature = MinHash(num_perm=PERMUTATIONS, seed=SEED)
    signature.update_batch(sorted(shingles))
    return np.asarray(signature.hashvalues, dtype="<u4").tobytes()


def _reduced(grey: Image.Image, width: int, height: int) -> NDArray[np.uint8]:
    from PIL import Image

    return np.asarray(grey.resize((width, height), Image.Resampling.BOX), dtype=np.uint8)


#: Bits of the difference hashes that may differ.
MOST_BITS = 6

#: How far widths, and heights, of equal images may differ, as part of the larger.
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
    """A kept piece that is the same."""

    #: Key of the kept piece.
    key: str
    #: Name of the comparison that found it.
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

    def add(self, key: str, added: Fingerprint) -> None:
        row = len(self.keys)
        if row == len(self.sizes):
            self._grow(row + max(GROWTH, row // 2))
        self.keys.append(key)
        self.sources.setdefault(added.source, row)
        self.pictures.setdefault(added.picture, row)
        self.sizes[row] = (added.width, added.height)
        self.hashes[row] = np.frombuffer(added.difference, np.uint64)
        self.thumbnails[row] = np.frombuffer(added.thumbnail, np.uint8)
        self.with_text[row] = bool(added.shingles)
        self.heads[row] = np.frombuffer(added.shingles[: 4 * HEAD], "<u4") if added.shingles else 0
        self.shingles[row] = np.frombuffer(added.shingles, "<u4") if added.shingles else 0

    def _grow(self, rows: int) -> None:
        for name in ("sizes", "hashes", "thumbnails", "shingles", "heads", "with_text"):
            old = getattr(self, name)
            new = np.zeros((rows, *old.shape[1:]), old.dtype)
            new[: len(old)] = old
            setattr(self, name, new)

    def alike(self, wanted: Fingerprint) -> int | None:
        """Return the first row whose image looks the same."""
        filled = len(self.keys)
        size = np.array([wanted.width, wanted.height])
        sizes = self.sizes[:filled]
        near = np.abs(sizes - size) <= SIZE_TOLERANCE * np.maximum(sizes, size)
        rows = np.flatnonzero(near.all(axis=1))
        differing = np.bitwise_count(self.hashes[rows] ^ np.frombuffer(wanted.difference, np.uint64))
        rows = rows[differing.sum(axis=1) <= MOST_BITS]
        if not len(rows):
            return None
        own = np.frombuffer(wanted.thumbnail, np.uint8).astype(np.int16)
        others = self.thumbnails[rows].astype(np.int16)
        difference = np.abs(others - own)
        ink = np.abs(own - np.median(own)).sum() + np.abs(
            others - np.median(others, axis=1, keepdims=True)
        ).sum(axis=1)
        same = (difference.mean(axis=1) < GREY_DIFFERENCE) & (
            difference.sum(axis=1) <= INK_DIFFERENCE * ink / 2
        )
        return int(rows[same][0]) if same.any() else None

    def similar(self, wanted: Fingerprint) -> int | None:
        """Return the first row whose text is similar enough."""
        if not wanted.shingles:
            return None
        own = np.frombuffer(wanted.shingles, "<u4")
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

    def add(self, subset: str, key: str, added: Fingerprint) -> None:
        """Add a piece."""
        self._rows.setdefault(subset, _Rows()).add(key, added)

    def find(self, subset: str, wanted: Fingerprint) -> Match | None:
        """Return the piece that was added first among those found by the strictest comparison, or None."""
        rows = self._rows.get(subset)
        if rows is None:
            return None
        found = (
            (Ring.SOURCE, rows.sources.get(wanted.source)),
            (Ring.PICTURE, rows.pictures.get(wanted.picture)),
        )
        for ring, row in found:
            if row is not None:
                return Match(rows.keys[row], ring)
        if (row := rows.alike(wanted)) is not None:
            return Match(rows.keys[row], Ring.LOOK)
        if (row := rows.similar(wanted)) is not None:
            return Match(rows.keys[row], Ring.TEXT)
        return None


class KnownPieces:
    """The kept pieces of a collection and of earlier ones, with which new pieces are compared.

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
            ImageFaultError: The image cannot be read.
        """
        return fingerprint(decode_image(png), piece.structure or png, piece.text).as_text()

    def find(self, subset: str, fingerprint: str) -> str | None:
        """Return which kept piece is the same and by which comparison, for people, or None.

        Raises:
            FingerprintError: The text is not a fingerprint.
        """
        match = self._index.find(subset, Fingerprint.from_text(fingerprint))
        return f"{match.key} ({match.ring.value})" if match else None

    def add(self, subset: str, key: str, fingerprint: str) -> None:
        """Keep a piece.

        Raises:
            FingerprintError: The text is not a fingerprint.
        """
        one = Fingerprint.from_text(fingerprint)
        self._index.add(subset, key, one)
        self.added.append((subset, key, one))


#: Version of the tables below. Files of another version are refused.
VERSION = 1

#: Seconds that a transaction waits for that of another process.
LOCK_SECONDS = 30.0

_SCHEMA = f"""
BEGIN;
CREATE TABLE IF NOT EXISTS pieces (
    collection TEXT NOT NULL, position INTEGER NOT NULL, subset TEXT NOT NULL, key TEXT NOT NULL,
    source TEXT NOT NULL, picture TEXT NOT NULL, width INTEGER NOT NULL, height INTEGER NOT NULL,
    difference BLOB NOT NULL, thumbnail BLOB NOT NULL, shingles BLOB NOT NULL,
    PRIMARY KEY (collection, position)
);
PRAGMA user_version = {VERSION};
COMMIT;
"""


class SeenStore:
    """A file of fingerprints, by collection. A second collection compares its pieces with those of the first.

    Args:
        path: Path of the file, which is made if it is not there; so is its folder.

    Raises:
        WriteError: It cannot be written.
        DataError: It is not such a file.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        with writing(path.parent):
            path.parent.mkdir(parents=True, exist_ok=True)
        with self._readable():
            self._database = sqlite3.connect(path, isolation_level=None, timeout=LOCK_SECONDS)
        try:
            with self._readable():
                (version,) = self._database.execute("PRAGMA user_version").fetchone()
                if version not in {0, VERSION}:
                    raise DataError(path, 0, f"has version {version}; this program knows version {VERSION}")
                self._database.execute("PRAGMA journal_mode=WAL")
                self._database.execute("PRAGMA synchronous=FULL")
                self._database.executescript(_SCHEMA)
        except BaseException:
            self._database.close()
            raise

    def close(self) -> None:
        """Close the file."""
        self._database.close()

    def load(self, leave_out: str = "") -> DuplicateIndex:
        """Return an index of all pieces, in the order in which they were stored.

        Args:
            leave_out: A collection whose own pieces are not wanted, because it is resumed.

        Raises:
            DataError: The file is damaged.
        """
        index = DuplicateIndex()
        with self._readable():
            rows = self._database.execute(
                "SELECT subset, key, source, picture, width, height, difference, thumbnail, shingles"
                " FROM pieces WHERE collection != ? ORDER BY rowid",
                (leave_out,),
            )
            for subset, key, *values in rows:
                index.add(subset, key, Fingerprint(*values))
        return index

    def replace(self, collection: str, pieces: Iterable[tuple[str, str, Fingerprint]]) -> None:
        """Store the pieces of a collection in place of those that are stored of it, in one transaction.

        Args:
            collection: Its name, which is not empty.
            pieces: Subset, key and fingerprint of each.

        Raises:
            ValueError: The name is empty.
            DataError: The file cannot be used.
        """
        if not collection:
            raise ValueError("a collection has a name")
        with self._readable(), transaction(self._database):
            self._database.execute("DELETE FROM pieces WHERE collection = ?", (collection,))
            self._database.executemany(
                "INSERT INTO pieces VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    (collection, position, subset, key, *_columns(one))
                    for position, (subset, key, one) in enumerate(pieces)
                ),
            )

    @contextmanager
    def _readable(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, FingerprintError, TypeError) as error:
            raise DataError(self._path, 0, f"cannot be used: {error}") from None


def _columns(stored: Fingerprint) -> tuple[str, str, int, int, bytes, bytes, bytes]:
    return (
        stored.source,
        stored.picture,
        stored.width,
        stored.height,
        stored.difference,
        stored.thumbnail,
        stored.shingles,
    )
