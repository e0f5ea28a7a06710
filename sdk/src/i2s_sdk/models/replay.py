"""Models that answer with completions recorded before."""

from __future__ import annotations

import asyncio
import glob
import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from i2s_sdk.data.instance import Instance
from i2s_sdk.errors import DataError, ModelError
from i2s_sdk.models.errors import ModelRefusedError
from i2s_sdk.models.helm_replay import STATE_FILE, HelmReplay
from i2s_sdk.models.model import Completion, Finish, Model
from i2s_sdk.tasks.prompts import Prompt

#: Of a run folder.
RECORDS_FILE = "records.jsonl"

_FORM = "must be an object with the texts 'id' and 'completion'"


def open_replay(where: str) -> Model:
    """Return the model that answers from a file or a folder.

    Args:
        where: A file of JSON lines; a run folder; a ``scenario_state.json`` of HELM, a folder of such files
            at any depth, or a pattern such as ``runs/v1.0.1/image2latex*model=openai_gpt-4o*``.

    Raises:
        DataError: It cannot be read, or holds no completions.
    """
    path = Path(where)
    if path.is_file():
        return HelmReplay([path]) if path.name == STATE_FILE else Replay(path)
    if (path / RECORDS_FILE).is_file():
        return Replay(path / RECORDS_FILE, name=path.resolve().name)
    folders = [path] if path.exists() else [Path(one) for one in sorted(glob.glob(where))]
    states = [file for folder in folders for file in _states(folder)]
    if states:
        return HelmReplay(states)
    if folders:
        raise DataError(path, 0, f"holds neither {RECORDS_FILE} of a run nor {STATE_FILE} of HELM")
    raise DataError(path, 0, "cannot be read: there is no such file or folder; replay: needs one")


def _states(folder: Path) -> list[Path]:
    return [folder] if folder.is_file() else sorted(folder.rglob(STATE_FILE))


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a line lies in the file: first byte and length."""

    offset: int
    length: int


class Replay:
    """Answers from a file of JSON lines with ``id`` and ``completion``.

    Other fields are ignored, so the records of a run can be replayed as they are. Where an id stands twice
    the later line counts, as in a run that was resumed; a completion that is null is none. The file is read
    once, and again line by line as answers are asked for, so that its size does not matter.

    Args:
        path: The file.
        name: Of the model, behind ``replay:``; empty takes that of the file.

    Raises:
        DataError: It cannot be read, or a line is malformed.
    """

    def __init__(self, path: Path, *, name: str = "") -> None:
        self.name = f"replay:{name or path.name}"
        self._path = path
        try:
            self.fingerprint, self._places = _index(path)
        except OSError as error:
            raise DataError(path, 0, f"cannot be read: {error.strerror}; replay: needs a file") from None

    async def complete(self, instance: Instance, prompt: Prompt) -> Completion:
        """Return the recorded completion.

        Raises:
            ModelRefusedError: The model refused at that time.
            ModelError: There is none for this instance.
        """
        place = self._places.get(instance.id)
        if place is None:
            raise ModelError(f"{self._path} has no completion for instance {instance.id!r}")
        entry = await asyncio.to_thread(self._read, place)
        if entry.get("outcome") == "refused":
            said = entry.get("message") or (entry.get("failure") or {}).get("message")
            message = said or "the model refused to answer"
            raise ModelRefusedError(message, Completion(entry["completion"] or "", Finish.REFUSED))
        return Completion(entry["completion"])

    def _read(self, place: _Place) -> dict[str, Any]:
        try:
            with self._path.open("rb") as file:
                file.seek(place.offset)
                entry: dict[str, Any] = json.loads(file.read(place.length))
                return entry
        except (OSError, ValueError):
            raise DataError(self._path, 0, "was changed while it was replayed") from None


def _index(path: Path) -> tuple[str, dict[str, _Place]]:
    """Return the SHA-256 of the file, and where the line of each id lies that says something."""
    digest, found, offset = hashlib.sha256(), dict[str, _Place](), 0
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            digest.update(line)
            identity = _identity(path, number, line) if line.strip() else None
            if identity is not None:
                found[identity] = _Place(offset, len(line))
            offset += len(line)
    return digest.hexdigest(), found


def _identity(path: Path, number: int, line: bytes) -> str | None:
    try:
        entry = json.loads(line)
    except ValueError:
        raise DataError(path, number, "is not a line of JSON in UTF-8") from None
    match entry:
        case {"id": str(identity), "completion": str()}:
            return identity
        case {"id": str(identity), "completion": None, "outcome": "refused"}:
            return identity
        case {"id": str(), "completion": None}:
            return None
    raise DataError(path, number, _FORM)
