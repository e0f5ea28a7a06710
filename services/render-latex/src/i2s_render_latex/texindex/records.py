"""What trials have shown before: a trial whose circumstances are the same need not be made again.

Circumstances are the engine, the names that are asked for, and for each file that TeX looked for what it
holds, or that it is not installed. Trials in the trees of known distributions come with this package
(``trials.json.xz``); those of this machine are kept in its index.
"""

from __future__ import annotations

import base64
import hashlib
import json
import lzma
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources

from .trial import Trial

_SHIPPED = "trials.json.xz"


@dataclass(frozen=True, slots=True)
class Record:
    """What the trial of a package has shown, and when it holds."""

    #: Base names of the files that TeX looked for, in order.
    looked_for: tuple[str, ...]
    #: Digest of the circumstances.
    key: str
    #: A bit for each name that was asked for, in their order; None if the package did not load.
    answer: bytes | None


Records = Mapping[str, Sequence[Record]]


class TrialRecords:
    """The trials of a build: what earlier ones have shown, and what this one adds."""

    def __init__(self, earlier: Iterable[Records], identity: str, digest_of: Callable[[str], str]) -> None:
        """Take what is remembered.

        Args:
            earlier: Records of earlier trials.
            identity: Digest of the engine and its formats.
            digest_of: Digest of the content of a file by its base name; empty if it is not installed.
        """
        self._earlier = list(earlier)
        self._identity = identity
        self._digest_of = digest_of
        #: The records of the trials that this build has asked for.
        self.used: dict[str, list[Record]] = {}
        #: Packages whose trials had to be made.
        self.made: set[str] = set()

    def find(self, package: str, asked: Sequence[str]) -> Trial | None:
        """Return what a trial would show; None if it has to be made."""
        for records in self._earlier:
            for record in records.get(package, ()):
                if record.key == self._key(asked, record.looked_for):
                    self.used[package] = [record]
                    return Trial(_names(record.answer, asked), frozenset(record.looked_for))
        return None

    def keep(self, package: str, asked: Sequence[str], trial: Trial) -> None:
        """Remember what a trial has shown, unless it was stopped."""
        self.made.add(package)
        if trial.looked_for is not None:
            looked_for = tuple(sorted(trial.looked_for))
            answer = None if trial.names is None else _bits(trial.names, asked)
            self.used[package] = [Record(looked_for, self._key(asked, looked_for), answer)]

    def _key(self, asked: Sequence[str], looked_for: Sequence[str]) -> str:
        digest = hashlib.blake2b(self._identity.encode(), digest_size=16)
        for name in asked:
            digest.update(f"\0{name}".encode())
        for name in looked_for:
            digest.update(f"\0\0{name}\0{self._digest_of(name)}".encode())
        return digest.hexdigest()


def _bits(names: Iterable[str], asked: Sequence[str]) -> bytes:
    existing = frozenset(names)
    bits = sum(1 << place for place, name in enumerate(asked) if name in existing)
    return bits.to_bytes(len(asked) // 8 + 1, "little")


def _names(answer: bytes | None, asked: Sequence[str]) -> frozenset[str] | None:
    if answer is None:
        return None
    return frozenset(name for place, name in enumerate(asked) if answer[place >> 3] >> (place & 7) & 1)


def shipped_records() -> Records:
    """Return the records that come with this package."""
    return unpack_records((resources.files(__package__) / _SHIPPED).read_bytes())


def pack_records(records: Records) -> bytes:
    """Return records as bytes, the same ones for equal records."""
    files = sorted({name for several in records.values() for record in several for name in record.looked_for})
    places = {name: place for place, name in enumerate(files)}
    trials = {
        package: [
            [
                [places[name] for name in one.looked_for],
                one.key,
                None if one.answer is None else base64.b85encode(one.answer).decode(),
            ]
            for one in sorted(several, key=lambda one: one.key)
        ]
        for package, several in sorted(records.items())
    }
    text = json.dumps({"files": files, "trials": trials}, separators=(",", ":"))
    return lzma.compress(text.encode(), preset=6)


def unpack_records(packed: bytes) -> Records:
    """Return what `pack_records` was given.

    Raises:
        ValueError: It is something else.
    """
    try:
        read = json.loads(lzma.decompress(packed))
        files: list[str] = read["files"]
        return {
            package: [
                Record(
                    tuple(files[place] for place in places),
                    key,
                    None if answer is None else base64.b85decode(answer),
                )
                for places, key, answer in several
            ]
            for package, several in read["trials"].items()
        }
    except (lzma.LZMAError, ValueError, KeyError, TypeError, IndexError) as error:
        raise ValueError(f"no records of trials: {error}") from None
