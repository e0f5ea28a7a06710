"""Values of the oracle and of baselines on the instances of a run, which its folder keeps beside its own.

::

    RUN/reference-points.jsonl     one line for each model and instance
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from i2s_sdk.errors import DataError
from i2s_sdk.json_text import read_json
from i2s_sdk.run.storage.codec import read_record, record_line
from i2s_sdk.run.storage.interface import RunStorage
from i2s_sdk.run.storage.record import Record

#: File in a run folder; may be missing.
REFERENCE_POINTS = "reference-points.jsonl"

#: Samples by the name of the model that gave them.
Points = Mapping[str, Sequence[Record]]

#: Fields of a record that a value is computed from.
_FIELDS = (
    "id",
    "task",
    "subset",
    "difficulty",
    "outcome",
    "usable",
    "metrics",
    "parts",
    "reference_sha256",
    "target_sha256",
)


def read_points(storage: RunStorage) -> dict[str, list[Record]]:
    """Return the values that a run folder keeps; empty if it keeps none.

    Raises:
        DataError: A line is damaged.
    """
    try:
        content = storage.read(REFERENCE_POINTS)
    except OSError:
        return {}
    return parse_points(content, storage.at(REFERENCE_POINTS))


def parse_points(content: bytes, where: object) -> dict[str, list[Record]]:
    """Return the values in the content of a file.

    Args:
        content: Content of the file.
        where: Its path, for the message.

    Raises:
        DataError: A line is damaged.
    """
    found: dict[str, list[Record]] = {}
    for number, line in enumerate(content.splitlines(), start=1):
        try:
            plain = read_json(line)
            found.setdefault(str(plain.pop("model")), []).append(read_record(plain))
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise DataError(str(where), number, f"is not a reference point: {error!r}") from None
    return found


def point_lines(points: Points) -> bytes:
    """Return the content of a file of values."""
    return b"".join(
        json.dumps(_line(model, one)).encode("ascii") + b"\n"
        for model, records in points.items()
        for one in records
    )


def write_points(storage: RunStorage, points: Points) -> None:
    """Keep values in a run folder."""
    storage.write(REFERENCE_POINTS, point_lines(points))


def joined_points(parts: Iterable[Points]) -> dict[str, list[Record]]:
    """Return the values of shards as those of one run; of an instance that two have, the first counts."""
    found: dict[str, dict[str, Record]] = {}
    for part in parts:
        for model, records in part.items():
            own = found.setdefault(model, {})
            for one in records:
                own.setdefault(one.instance.id, one)
    return {model: list(records.values()) for model, records in found.items()}


def _line(model: str, record: Record) -> dict[str, Any]:
    plain = record_line(record)
    return {"model": model, **{name: plain[name] for name in _FIELDS if name in plain}}
