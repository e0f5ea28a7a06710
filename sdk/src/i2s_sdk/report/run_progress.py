"""How far a run is, read again and again while it grows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from i2s_sdk.json_text import read_json
from i2s_sdk.report.paths import shareable_model
from i2s_sdk.runlog.folder import RECORDS, RENDERINGS, read_manifest
from i2s_sdk.runlog.local import LOCK
from i2s_sdk.runlog.opening import open_storage
from i2s_sdk.runlog.outcome import Outcome
from i2s_sdk.runlog.reader import read_run
from i2s_sdk.runlog.storage import PathOrUrl, RunStorage, is_url


def require_run_or_none_yet(run: PathOrUrl) -> None:
    """Return if a folder holds a run, or can hold one that has not begun.

    Raises:
        UsageError: The folder holds something else.
    """
    if not is_url(run):
        folder = Path(run)
        beginning = folder.is_dir() and (folder / LOCK).exists() and read_manifest(open_storage(run)) is None
        if not folder.exists() or beginning:
            return
    read_run(run)


class RunProgress:
    """How far a run is. What was read once is not read again.

    Args:
        run: Folder of the run, or its URL.

    Attributes:
        run: The same.
        planned: Samples of the run, or of its shard; None if it has not begun.
    """

    def __init__(self, run: PathOrUrl) -> None:
        self.run = run
        self.planned: int | None = None
        self._model = ""
        self._records = _Counted(RECORDS)
        self._rendered = _Counted(RENDERINGS)

    def now(self) -> dict[str, Any]:
        """Return the counts, as JSON has them.

        Raises:
            UsageError: The run is damaged.
            DataError: The same.
        """
        if not is_url(self.run) and not Path(self.run).exists():
            return self._shown()
        storage = open_storage(self.run)
        if self.planned is None:
            if read_manifest(storage) is None:
                return self._shown()
            stored = read_run(self.run)
            self.planned, self._model = len(stored.planned), shareable_model(stored.manifest.options.model)
        for one in (self._records, self._rendered):
            one.read(storage)
        return self._shown()

    def _shown(self) -> dict[str, Any]:
        planned = self.planned or 0
        ended = self._records.outcomes
        return {
            "run": self._model or open_storage(self.run).name,
            "begun": self.planned is not None,
            "planned": planned,
            "rendered": min(len(self._rendered.outcomes), planned),
            "scored": sum(Outcome(one).counts for one in ended.values() if one),
            "ended": len(ended),
        }


class _Counted:
    """The last outcome of each sample in a file of lines that only grows.

    Args:
        name: Name of the file in the run.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._offset = 0
        self.outcomes: dict[str, str | None] = {}

    def read(self, storage: RunStorage) -> None:
        """Read the lines that were appended since; of a store, all lines."""
        if isinstance(storage.where, Path):
            try:
                with storage.open(self._name) as file:
                    file.seek(self._offset)
                    new = file.read()
            except FileNotFoundError:
                return
            whole = new[: new.rfind(b"\n") + 1]  # the last line may not be whole yet
            self._offset += len(whole)
            lines = whole.splitlines()
        else:
            lines = [line for _, line in storage.lines(self._name)]
        for line in lines:
            plain = read_json(line)
            self.outcomes[plain["id"]] = plain["outcome"]
