"""The model that answers with completions recorded before."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path

from i2s_sdk.data.instance import Instance
from i2s_sdk.errors import DataError, ModelError
from i2s_sdk.models.model import Completion
from i2s_sdk.tasks.prompts import Prompt


class Replay:
    """Answers from a file of JSON lines with ``id`` and ``completion``.

    Other fields are ignored, so the records of a run can be replayed as they are. Where an id stands twice
    the later line counts, as in a run that was resumed; a completion that is null is none.

    Args:
        path: The file.

    Raises:
        DataError: It cannot be read, or a line is malformed.
    """

    def __init__(self, path: Path) -> None:
        try:
            raw = path.read_bytes()
        except OSError as error:
            raise DataError(path, 0, f"cannot be read: {error.strerror}; replay: needs a file") from None
        self.name = f"replay:{path.name}"
        self.fingerprint = hashlib.sha256(raw).hexdigest()
        self._path = path
        self._completions = _completions(path, raw)

    async def complete(self, instance: Instance, prompt: Prompt) -> Completion:
        """Return the recorded completion.

        Raises:
            ModelError: There is none for this instance.
        """
        text = self._completions.get(instance.id)
        if text is None:
            raise ModelError(f"{self._path} has no completion for instance {instance.id!r}")
        return Completion(text)


def _completions(path: Path, raw: bytes) -> Mapping[str, str]:
    found: dict[str, str] = {}
    for number, line in enumerate(raw.split(b"\n"), start=1):
        if not line.strip():
            continue
        try:
            entry = json.loads(line)
        except ValueError:
            raise DataError(path, number, "is not a line of JSON in UTF-8") from None
        match entry:
            case {"id": str(identity), "completion": str(text)}:
                found[identity] = text
            case {"id": str(), "completion": None}:
                pass
            case _:
                raise DataError(path, number, "must be an object with the texts 'id' and 'completion'")
    return found
