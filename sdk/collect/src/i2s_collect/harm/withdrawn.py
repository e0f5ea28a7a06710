"""The list of documents whose authors want them left out."""

from __future__ import annotations

from pathlib import Path

from i2s_sdk.errors import DataError
from i2s_sdk.json_text import read_json


def read_withdrawn(path: Path) -> frozenset[str]:
    """Return the ids of a file ``withdrawn.jsonl``: one object a line, with at least a member ``id``.

    Other members, such as the reason and the date, are for people. Empty lines are skipped. A file that is
    not there withdraws nothing.

    Raises:
        DataError: A line is none of these; the message names it.
    """
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return frozenset()
    except OSError as error:
        raise DataError(path, 0, f"cannot be read: {error.strerror}") from None
    ids = set()
    for number, line in enumerate(content.split(b"\n"), 1):
        if not line.strip():
            continue
        try:
            one = read_json(line)
        except ValueError:
            raise DataError(path, number, "is no JSON") from None
        key = one.get("id") if isinstance(one, dict) else None
        if not isinstance(key, str) or not key:
            raise DataError(path, number, 'is no withdrawal, as {"id": "2611.01234v1"}')
        ids.add(key)
    return frozenset(ids)
