"""A run folder as its readers see it: what it is, what it was going to do, and what became of that."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from i2s_sdk.data.selection import Shard
from i2s_sdk.errors import DataError, UsageError
from i2s_sdk.json_text import read_json
from i2s_sdk.run.storage.codec import read_record, read_rendering
from i2s_sdk.run.storage.folder import MANIFEST, RECORDS, RENDERINGS, image_name, read_asked, read_manifest
from i2s_sdk.run.storage.interface import Lines, PathOrUrl, RunStorage, open_storage
from i2s_sdk.run.storage.manifest import INSTANCES, Manifest, PlannedInstance, parse_planned
from i2s_sdk.run.storage.record import Record, SampleRendering, StoredQuestion, without_texts


@dataclass(frozen=True)
class StoredRun:
    """What a run folder holds."""

    #: The folder or object store that the run lies in.
    storage: RunStorage
    #: What the run is.
    manifest: Manifest
    #: Every instance of the run, of all its shards, in the order of the data set.
    whole: tuple[PlannedInstance, ...]
    #: Records by instance, without their texts, which are most of the memory; see ``with_texts``.
    records: Mapping[str, Record]
    _lines: Lines | None = field(default=None, repr=False)
    _offsets: Mapping[str, tuple[int, int]] = field(default_factory=dict, repr=False)

    @property
    def path(self) -> PathOrUrl:
        """The folder, or the text of its URL."""
        return self.storage.where

    @property
    def shard(self) -> Shard | None:
        """Which part of a run this is; None if it is all of it."""
        return _shard(self.manifest)

    @cached_property
    def planned(self) -> tuple[PlannedInstance, ...]:
        """The instances of the shard, in the order of the data set."""
        return _of_shard(self.whole, self.shard)

    def ordered(self) -> list[Record]:
        """Return the records in the order of the data set, without their texts."""
        return [self.records[one.id] for one in self.planned if one.id in self.records]

    def with_texts(self, record: Record) -> Record:
        """Return one of the records as it stands in the file, with completion, structure and messages."""
        if self._lines is None:
            return record
        try:
            return read_record(read_json(self._lines.read(*self._offsets[record.instance.id])))
        except (ValueError, KeyError, TypeError) as error:
            raise DataError(str(self._lines), 0, f"was changed while it was read: {error!r}") from None

    def rendering(self, identity: str) -> SampleRendering | None:
        """Return what the stage "render" kept of a sample; None if it kept nothing."""
        lines, places = self._renderings
        place = places.get(identity)
        if place is None:
            return None
        try:
            return read_rendering(read_json(lines.read(*place)))[1]
        except (ValueError, KeyError, TypeError) as error:
            raise DataError(str(lines), 0, f"holds no rendering of {identity!r}: {error!r}") from None

    @cached_property
    def asked(self) -> Mapping[str, tuple[tuple[str, StoredQuestion], ...]]:
        """What the model was asked, by instance: each question with its name."""
        return read_asked(self.storage)

    @cached_property
    def _renderings(self) -> tuple[Lines, dict[str, tuple[int, int]]]:
        """Return the file of renderings, and where the last line of each sample lies."""
        lines = self.storage.lines(RENDERINGS)
        places: dict[str, tuple[int, int]] = {}
        for offset, raw in lines:
            try:
                places[str(read_json(raw)["id"])] = (offset, len(raw))
            except (ValueError, KeyError, TypeError) as error:
                raise DataError(str(lines), 0, f"a line is not a rendering: {error!r}") from None
        return lines, places

    def picture(self, digest: str) -> bytes | None:
        """Return an image; None if the folder does not hold it."""
        try:
            return self.storage.read(image_name(digest))
        except OSError:
            return None


def read_run(where: PathOrUrl | RunStorage) -> StoredRun:
    """Return what a run folder holds.

    Args:
        where: The folder, or its URL.

    Raises:
        UsageError: It is not a run, or of another version.
        DataError: A record is damaged.
        StoreError: The store does not answer.
    """
    storage = open_storage(where)
    manifest = read_manifest(storage)
    if manifest is None:
        raise UsageError(f"{storage} is not the folder of a run: it holds no {MANIFEST}")
    lines = storage.lines(RECORDS)
    records, offsets = _records(lines)
    return StoredRun(storage, manifest, _planned(storage), records, lines, offsets)


def read_planned(storage: RunStorage, manifest: Manifest) -> tuple[PlannedInstance, ...]:
    """Return the instances of a run, or of its shard, in the order of the data set.

    Args:
        storage: The storage of the run.
        manifest: Its manifest.

    Raises:
        UsageError: They are not there, or a line is none.
    """
    return _of_shard(_planned(storage), _shard(manifest))


def _shard(manifest: Manifest) -> Shard | None:
    return Shard.parse(manifest.options.shard) if manifest.options.shard else None


def _of_shard(whole: tuple[PlannedInstance, ...], shard: Shard | None) -> tuple[PlannedInstance, ...]:
    return whole if shard is None else tuple(one for one in whole if shard.has(one.id))


def _records(lines: Lines) -> tuple[dict[str, Record], dict[str, tuple[int, int]]]:
    """Return the records of a file without their texts, and where each lies; of one id the last counts."""
    records: dict[str, Record] = {}
    offsets: dict[str, tuple[int, int]] = {}
    for number, (offset, raw) in enumerate(lines, start=1):
        try:
            record = read_record(read_json(raw))
        except (ValueError, KeyError, TypeError) as error:
            raise DataError(str(lines), number, f"is not a record: {error!r}") from None
        records[record.instance.id] = without_texts(record)
        offsets[record.instance.id] = (offset, len(raw))
    return records, offsets


def _planned(storage: RunStorage) -> tuple[PlannedInstance, ...]:
    try:
        return parse_planned(storage.read(INSTANCES), storage.at(INSTANCES))
    except FileNotFoundError:
        raise UsageError(f"{storage} holds no {INSTANCES}: this run was not begun by this i2s-sdk") from None
