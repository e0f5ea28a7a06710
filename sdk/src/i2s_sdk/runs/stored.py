"""A run folder as its readers see it: what it is, what it was going to do, and what became of that."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from i2s_sdk.data.selection import Shard
from i2s_sdk.errors import DataError, UsageError
from i2s_sdk.runs.aggregate import Summary
from i2s_sdk.runs.folder import MANIFEST, RECORDS, picture_name
from i2s_sdk.runs.manifest import Manifest
from i2s_sdk.runs.planned import INSTANCES, Planned, parse_planned
from i2s_sdk.runs.record import Record, without_texts
from i2s_sdk.runs.results import summarize


@dataclass(frozen=True)
class StoredRun:
    """What a run folder holds.

    Attributes:
        path: Of the folder.
        manifest: What the run is.
        whole: Every instance of the run, of all its shards, in the order of the data set.
        records: By instance, without their texts, which are most of the memory; see ``with_texts``.
    """

    path: Path
    manifest: Manifest
    whole: tuple[Planned, ...]
    records: Mapping[str, Record]
    _places: Mapping[str, tuple[int, int]] = field(default_factory=dict, repr=False)

    @property
    def shard(self) -> Shard | None:
        """Which part of a run this is; None where it is all of it."""
        text = self.manifest.options.shard
        return Shard.parse(text) if text else None

    @cached_property
    def planned(self) -> tuple[Planned, ...]:
        """The instances of the shard, in the order of the data set."""
        shard = self.shard
        return self.whole if shard is None else tuple(one for one in self.whole if shard.has(one.id))

    @cached_property
    def summary(self) -> Summary:
        """Its numbers."""
        return summarize(self.manifest, self.planned, self.records)

    def ordered(self) -> list[Record]:
        """Return the records in the order of the data set, without their texts."""
        return [self.records[one.id] for one in self.planned if one.id in self.records]

    def with_texts(self, record: Record) -> Record:
        """Return one of the records as it stands in the file, with completion, structure and messages."""
        offset, length = self._places[record.id]
        with (self.path / RECORDS).open("rb") as file:
            file.seek(offset)
            return Record.from_json(json.loads(file.read(length)))

    def picture(self, digest: str) -> bytes | None:
        """Return a picture; None where the folder does not hold it."""
        try:
            return (self.path / picture_name(digest)).read_bytes()
        except OSError:
            return None


def read_run(path: Path | str) -> StoredRun:
    """Return what a run folder holds.

    Raises:
        UsageError: It is not a run, or of another version.
        DataError: A record is damaged.
    """
    folder = Path(path)
    if not (folder / MANIFEST).is_file():
        raise UsageError(f"{folder} is not the folder of a run: it holds no {MANIFEST}")
    manifest = Manifest.from_file(folder / MANIFEST)
    records, places = _records(folder / RECORDS)
    return StoredRun(folder, manifest, _planned(folder), records, places)


def _records(file: Path) -> tuple[dict[str, Record], dict[str, tuple[int, int]]]:
    """Return the records of a file without their texts, and where each lies; of one id the last counts."""
    records: dict[str, Record] = {}
    places: dict[str, tuple[int, int]] = {}
    if not file.exists():
        return records, places
    offset = 0
    with file.open("rb") as lines:
        for number, raw in enumerate(lines, start=1):
            if not raw.endswith(b"\n"):  # of a run that is under way, or was killed
                break
            try:
                record = Record.from_json(json.loads(raw))
            except (ValueError, KeyError, TypeError) as error:
                raise DataError(file, number, f"is not a record: {error!r}") from None
            records[record.id] = without_texts(record)
            places[record.id] = (offset, len(raw))
            offset += len(raw)
    return records, places


def _planned(folder: Path) -> tuple[Planned, ...]:
    file = folder / INSTANCES
    try:
        return parse_planned(file.read_bytes(), file)
    except FileNotFoundError:
        raise UsageError(f"{folder} holds no {INSTANCES}: this run was not begun by this i2s-sdk") from None
