"""The caches of an evaluation, opened as the settings say."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from i2s_sdk.cache_folders import cache_folder
from i2s_sdk.errors import WriteError
from i2s_sdk.kept_bytes import KeptBytes
from i2s_sdk.models.options import answer_cache_folder, default_cache_folder
from i2s_sdk.run.caches.entries import CacheSize, FolderEntries
from i2s_sdk.run.caches.files import CacheFiles
from i2s_sdk.run.caches.objects import ObjectEntries
from i2s_sdk.run.storage.storage import is_url
from i2s_sdk.settings import Settings

#: Names of the caches of bytes, and of their folders.
RENDERS, SCORES = "renders", "scores"

#: Names of all caches of evaluations, in the order in which they are shown.
ANSWERS, REFERENCE_POINTS = "answers", "reference-points"
KINDS = (ANSWERS, RENDERS, SCORES, REFERENCE_POINTS)


@dataclass(frozen=True, slots=True)
class Caches:
    """What is kept between runs.

    Attributes:
        renders: Answers of renderers; None if they are not kept.
        scores: Values of metrics of pictures; the same.
    """

    renders: KeptBytes | None = None
    scores: KeptBytes | None = None


def open_caches(settings: Settings) -> Caches:
    """Return the caches that the settings want.

    Raises:
        UsageError: A package is missing that the URL of the caches needs.
    """
    return Caches(
        open_entries(settings, RENDERS) if settings.render_cache == "yes" else None,
        open_entries(settings, SCORES) if settings.score_cache == "yes" else None,
    )


def open_entries(settings: Settings, name: str) -> FolderEntries | ObjectEntries:
    """Return one of the caches, whether it is used or not.

    Args:
        settings: Where the caches lie, and how large they may be.
        name: ``RENDERS`` or ``SCORES``.

    Raises:
        UsageError: A package is missing that the URL of the caches needs.
    """
    where = place_of(settings, name)
    if isinstance(where, str):
        return ObjectEntries(where)
    return FolderEntries(where, _most_bytes(settings, name))


def open_files(settings: Settings, name: str) -> FolderEntries | ObjectEntries | CacheFiles:
    """Return one of the caches, to be looked at or emptied, whether it is used or not.

    Args:
        settings: Where the caches lie.
        name: One of KINDS.

    Raises:
        UsageError: A package is missing that the URL of the caches needs.
    """
    match name:
        case "answers":
            # Batches under way lie in a folder beside them.
            return CacheFiles(answer_cache_folder(settings) or default_cache_folder(), "[0-9a-f][0-9a-f]/*")
        case "reference-points":
            return CacheFiles(settings.reference_points_cache or cache_folder(REFERENCE_POINTS), "*.jsonl")
    return open_entries(settings, name)


def _most_bytes(settings: Settings, name: str) -> int:
    return settings.render_cache_bytes if name == RENDERS else settings.score_cache_bytes


def place_of(settings: Settings, name: str) -> Path | str:
    """Return the folder or the URL of one of the caches."""
    files = open_files(settings, name) if name in (ANSWERS, REFERENCE_POINTS) else None
    if isinstance(files, CacheFiles):
        return files.folder
    home = settings.evaluation_caches
    if home is None:
        return cache_folder(name)
    return f"{home.rstrip('/')}/{name}" if is_url(home) else Path(home) / name


@dataclass(frozen=True, slots=True)
class CacheState:
    """One of the caches, for people.

    Attributes:
        name: One of KINDS.
        place: Its folder or URL.
        size: What it holds.
        most_bytes: What it may hold; None if that is not bounded, or by a rule of the bucket.
        used: Whether evaluations use it.
    """

    name: str
    place: str
    size: CacheSize
    most_bytes: int | None
    used: bool

    def to_json(self) -> dict[str, Any]:
        """Return all but the name, as JSON has it."""
        rest = {"place": self.place, "most_bytes": self.most_bytes, "used": self.used}
        return {**rest, **asdict(self.size)}


def cache_states(settings: Settings) -> list[CacheState]:
    """Return where the caches lie and what they hold.

    Raises:
        UsageError: A package is missing that the URL of the caches needs.
        StoreError: The object store does not answer.
    """
    used = {
        ANSWERS: settings.answer_cache != "no",
        RENDERS: settings.render_cache == "yes",
        SCORES: settings.score_cache == "yes",
        REFERENCE_POINTS: settings.reference_points == "yes",
    }
    states = []
    for name in KINDS:
        place = place_of(settings, name)
        bounded = name in (RENDERS, SCORES) and not isinstance(place, str)
        most = _most_bytes(settings, name) if bounded else None
        states.append(CacheState(name, str(place), open_files(settings, name).size(), most, used[name]))
    return states


def clear_cache(settings: Settings, name: str) -> None:
    """Remove everything that one of the caches holds.

    Args:
        settings: Where the caches lie.
        name: One of KINDS.

    Raises:
        UsageError: A package is missing that the URL of the caches needs.
        StoreError: The object store does not answer.
        WriteError: An entry cannot be removed.
    """
    try:
        open_files(settings, name).clear()
    except OSError as error:
        raise WriteError(place_of(settings, name), error) from None
