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
from i2s_sdk.runlog.reader import read_planned, read_run
from i2s_sdk.runlog.storage import Followed, PathOrUrl, is_url


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
    """The progress of a run. Lines that were read once are not read again.

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
        self._files: tuple[Followed, Followed] | None = None
        self._records: dict[str, str | None] = {}  # the last outcome of each sample
        self._rendered: set[str] = set()

    def now(self) -> dict[str, Any]:
        """Return the counts, as JSON has them.

        Raises:
            UsageError: The run is damaged.
            DataError: The same.
        """
        if not is_url(self.run) and not Path(self.run).exists():
            return self._shown()
        if self._files is None:
            self._files = self._begin()
        if self._files is None:
            return self._shown()
        records, renderings = self._files
        for line in records.new():
            plain = read_json(line)
            self._records[plain["id"]] = plain["outcome"]
        self._rendered.update(read_json(line)["id"] for line in renderings.new())
        return self._shown()

    def _begin(self) -> tuple[Followed, Followed] | None:
        """Read what the run is going to do; returns its records and renderings, None if it has not begun."""
        storage = open_storage(self.run)
        manifest = read_manifest(storage)
        if manifest is None:
            return None
        self.planned = len(read_planned(storage, manifest))
        self._model = shareable_model(manifest.options.model)
        return storage.follow(RECORDS), storage.follow(RENDERINGS)

    def _shown(self) -> dict[str, Any]:
        planned = self.planned or 0
        ended = self._records
        return {
            "run": self._model or open_storage(self.run).name,
            "begun": self.planned is not None,
            "planned": planned,
            "rendered": min(len(self._rendered), planned),
            "scored": sum(Outcome(one).counts for one in ended.values() if one),
            "ended": len(ended),
        }
