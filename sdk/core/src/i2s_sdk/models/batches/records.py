"""Batches that were sent and not read yet, on disk, so that a run that is resumed waits for them.

::

    FOLDER/NAME.json    vendor, model, base_url, name, batch (the vendor's id), keys, begun

A file is written before its batch is sent, with an empty id, and again when the vendor has given the id.
"""

from __future__ import annotations

import contextlib
import json
import uuid
from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from i2s_sdk.errors import WriteError
from i2s_sdk.json_text import read_json
from i2s_sdk.models.cache import AskedModel
from i2s_sdk.writing import write_whole, writing

FORMAT = 1

#: Time after which no vendor has the results of a batch any more.
KEPT_FOR = timedelta(days=30)


@dataclass(frozen=True, slots=True)
class BatchRecord:
    """A batch.

    Attributes:
        vendor: Vendor of the model, as the provider has it; so are the next two.
        model: Name of the model.
        base_url: Address of the server.
        name: Our name for the batch.
        batch: The vendor's id; empty if it is not known whether the batch was accepted.
        keys: Keys of its questions.
        begun: When it was about to be sent, in ISO 8601.
    """

    vendor: str
    model: str
    base_url: str
    name: str
    batch: str
    keys: tuple[str, ...]
    begun: str


class BatchRecords:
    """The records of batches in a folder, of one model.

    Args:
        folder: Folder of the records; made when a batch is sent.
        asked: The provider, whose batches are read.
    """

    def __init__(self, folder: Path, asked: AskedModel) -> None:
        self._folder, self._asked = folder, asked

    def read(self) -> list[BatchRecord]:
        """Return the batches of the model that may still have results, the oldest first."""
        ours = (self._asked.vendor, self._asked.model, self._asked.base_url)
        oldest = (datetime.now(UTC) - KEPT_FOR).isoformat()
        found = []
        for path in self._folder.glob("*.json"):
            record = _read(path)
            if record is None or (record.vendor, record.model, record.base_url) != ours:
                continue
            if record.begun < oldest:
                self.remove(record)
            else:
                found.append(record)
        return sorted(found, key=lambda one: one.begun)

    def begin(self, keys: Iterable[str]) -> BatchRecord:
        """Write down that a batch is about to be sent.

        Raises:
            WriteError: It cannot be written, so the batch must not be sent: nobody would find it again.
        """
        ours = (self._asked.vendor, self._asked.model, self._asked.base_url)
        begun = datetime.now(UTC).isoformat(timespec="seconds")
        record = BatchRecord(*ours, uuid.uuid4().hex, "", tuple(keys), begun)
        self._write(record)
        return record

    def sent(self, record: BatchRecord, batch: str) -> BatchRecord:
        """Write down the id of a batch that was sent.

        Raises:
            WriteError: It cannot be written.
        """
        record = replace(record, batch=batch)
        self._write(record)
        return record

    def replace(self, record: BatchRecord) -> None:
        """Write down which questions of a batch are left, or remove its record if none are."""
        if not record.keys:
            self.remove(record)
            return
        with contextlib.suppress(WriteError):  # all of its answers are read again, which costs nothing
            self._write(record)

    def remove(self, record: BatchRecord) -> None:
        """Remove the record of a batch: its results are read, or there are none."""
        with contextlib.suppress(OSError):  # it is read again, which costs nothing
            self._path(record).unlink()

    def _write(self, record: BatchRecord) -> None:
        path = self._path(record)
        with writing(path):
            write_whole(path, json.dumps({"format": FORMAT, **asdict(record)}, indent=1).encode())

    def _path(self, record: BatchRecord) -> Path:
        return self._folder / f"{record.name}.json"


def _read(path: Path) -> BatchRecord | None:
    """Return the record in a file; None if it is none."""
    try:
        content = read_json(path.read_bytes())
        if content.pop("format") != FORMAT:
            return None
        record = BatchRecord(**{**content, "keys": tuple(map(str, content["keys"]))})
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None
    texts = (record.vendor, record.model, record.base_url, record.name, record.batch, record.begun)
    return record if all(isinstance(one, str) for one in texts) and record.name == path.stem else None
