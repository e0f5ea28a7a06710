"""Recordings of the present version in tests/recorded/current, which a test compares or, asked to, writes.

A change that moves or merges code changes none of them. One that changes something which a user sees records
anew with ``I2S_RECORD=1``, and its review shows the difference.
"""

from __future__ import annotations

import difflib
import hashlib
import json
import os
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

from recorded import RECORDED, lost

CURRENT = RECORDED / "current"
#: Set to have recordings written in place of compared.
RECORD = "I2S_RECORD"
#: Columns of recorded texts, whatever the terminal has.
COLUMNS = 100
#: Characters of a value that stand in a recording as they are; of a longer one its digest does.
_LONGEST = 160
#: Lines of differences that a failure shows.
_SHOWN = 60
_README = "tests/recorded/README.md"


def compare_text(name: str, now: str) -> None:
    """Compare a text with a recording, or record it.

    Args:
        name: Path of the recording below ``CURRENT``.
        now: The present text.
    """
    if _recorded(name, now):
        return
    before = (CURRENT / name).read_text(encoding="utf-8")
    changed = difflib.unified_diff(before.splitlines(), now.splitlines(), "recorded", "now", lineterm="", n=1)
    _fail(name, changed)


def compare_json(name: str, now: Any, without: Collection[str] = ()) -> None:
    """Compare a JSON document with a recording, or record it: values, and the order of keys.

    Args:
        name: Path of the recording below ``CURRENT``.
        now: The present document.
        without: Its keys that are not compared.
    """
    if not _recorded(name, json.dumps(now, indent=1) + "\n"):
        _fail(name, differences(_without(recorded(name), without), _without(_plain(now), without)))


def compare_lines(name: str, now: Iterable[Any], without: Collection[str] = ()) -> None:
    """Compare JSON documents with the lines of a recording, or record them: values, and the order of keys.

    Args:
        name: Path of the recording below ``CURRENT``.
        now: The present documents.
        without: Their keys that are not compared.
    """
    items = [_plain(item) for item in now]
    if not _recorded(name, "".join(json.dumps(item) + "\n" for item in items)):
        lines = (CURRENT / name).read_text(encoding="utf-8").splitlines()
        before = [_without(json.loads(line), without) for line in lines]
        _fail(name, differences(before, [_without(item, without) for item in items]))


def differences(before: Any, now: Any) -> Iterator[str]:
    """Yield how two JSON documents differ: in values, in keys, in the order of keys."""
    yield from lost(before, now)
    yield from (f"new: {line}" for line in lost(now, before) if line.endswith(": gone"))
    yield from _other_order(before, now, "")


def recorded(name: str) -> Any:
    """Return a recorded JSON document; None if there is none yet."""
    file = CURRENT / name
    return json.loads(file.read_text(encoding="utf-8")) if file.exists() else None


def is_recorded(name: str, now: Any) -> bool:
    """Return whether a JSON document is the recorded one; record it if recordings are written."""
    return _recorded(name, json.dumps(now, indent=1) + "\n") or bool(recorded(name) == now)


def condensed(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a record, with digests in place of long values."""
    return {name: _short(value) for name, value in record.items()}


def masked(text: str, folder: Path) -> str:
    """Return a text without what differs between two runs of a command: folders, ports, times, durations."""
    for path in {str(folder), str(folder.resolve())}:
        text = text.replace(path, "FOLDER")
    text = re.sub(r"127\.0\.0\.1:\d+", "127.0.0.1:PORT", text)
    text = re.sub(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d)?(\.\d+)?(\+\d\d:\d\d)?", "TIME", text)
    return re.sub(r"\b\d+(\.\d+)? (s|seconds)\b", "N \\2", text)


def visible_lines(page: str) -> str:
    """Return the texts of a page of HTML and the data of its samples, without styles and programs."""
    reader = _Texts()
    reader.feed(page)
    return "\n".join(line for text in reader.texts if (line := " ".join(text.split()))) + "\n"


class _Texts(HTMLParser):
    """The texts of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []
        self._hidden = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._hidden += tag == "style" or (tag == "script" and dict(attrs).get("type") != "application/json")
        self.texts += [value for name, value in attrs if name in ("alt", "title", "aria-label") and value]

    def handle_endtag(self, tag: str) -> None:
        self._hidden -= self._hidden > 0 and tag in ("script", "style")

    def handle_data(self, data: str) -> None:
        if not self._hidden:
            self.texts.append(data)


def _recorded(name: str, content: str) -> bool:
    recording = bool(os.environ.get(RECORD))
    if recording:
        (CURRENT / name).parent.mkdir(parents=True, exist_ok=True)
        (CURRENT / name).write_text(content, encoding="utf-8")
    return recording


def _fail(name: str, changed: Iterable[str]) -> None:
    lines = list(changed)
    told = "\n".join(lines[:_SHOWN])
    assert not lines, (
        f"{name} is not as recorded ({len(lines)} lines); if that is meant, see {_README}:\n{told}"
    )


def _without(document: Any, keys: Collection[str]) -> Any:
    return {key: value for key, value in document.items() if key not in keys} if keys else document


def _plain(document: Any) -> Any:
    return json.loads(json.dumps(document))


def _short(value: Any) -> Any:
    written = json.dumps(value)
    if len(written) <= _LONGEST or (isinstance(value, Mapping) and _is_flat(value)):
        return value
    return f"sha256:{hashlib.sha256(written.encode()).hexdigest()[:32]} of {len(written)} characters"


def _is_flat(value: Mapping[str, Any]) -> bool:
    return not any(isinstance(item, Mapping | list | str) for item in value.values())


def _other_order(before: Any, now: Any, at: str) -> Iterator[str]:
    if isinstance(before, Mapping) and isinstance(now, Mapping):
        shared = [key for key in now if key in before]
        if shared != [key for key in before if key in now]:
            yield f"{at}: keys have another order"
        for key in shared:
            yield from _other_order(before[key], now[key], f"{at}/{key}")
    elif isinstance(before, list) and isinstance(now, list):
        for number, (item, other) in enumerate(zip(before, now, strict=False)):
            yield from _other_order(item, other, f"{at}/{number}")
