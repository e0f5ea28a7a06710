"""The caches of evaluations: answers of renderers and of the metric service, for every later run.

::

    FOLDER/renders/ab/abcdef…      answers of renderers, named by SHA-256 of everything that decides them
    FOLDER/scores/ab/abcdef…       values of metrics, one file for each metric of a pair

The entries lie in a folder that processes share, or in an object store.
"""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import hashlib
import json
import logging
import math
import os
import shutil
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Protocol

from i2s_sdk.errors import StoreError, WriteError
from i2s_sdk.files import KeptBytes, cache_folder, write_whole
from i2s_sdk.models.options import answer_cache_folder, default_cache_folder
from i2s_sdk.run.storage.interface import is_url
from i2s_sdk.run.storage.object_access import Access
from i2s_sdk.settings import Settings
from i2s_wire.errors import ContractError
from i2s_wire.metrics.description import MetricsDescription
from i2s_wire.metrics.profile import Profile
from i2s_wire.metrics.score import MetricFailureKind, MetricResult, SizePolicy
from i2s_wire.metrics.serialized import result_bytes, result_from_bytes
from i2s_wire.render.description import RendererDescription
from i2s_wire.render.rendering import Rendering, Verdict
from i2s_wire.render.request import RenderRequest
from i2s_wire.render.serialized import rendering_bytes, rendering_from_bytes, request_bytes
from i2s_wire.tracing import current_span

#: First bytes of an entry; another form of entries has others.
_MAGIC = b"i2s entry 1\n"

#: What a file takes on the disk is a multiple of this.
_BLOCK = 4096

#: The cache is measured again when this process has written so much of its bound.
_MEASURED_AFTER = 1 / 16

#: What is left of the bound when entries were removed, so that not every entry removes another.
_LEFT = 7 / 8

#: Seconds after which a file that was begun and never named belongs to a process that was killed.
_ABANDONED = 3600.0

_LOCK = ".lock"


@dataclass(frozen=True, slots=True)
class CacheSize:
    """The number, size and age of the entries of a cache."""

    #: How many entries.
    entries: int
    #: How many bytes they take.
    bytes: int
    #: When the entry was written or last used that was not for longest, in ISO 8601; empty if there is none,
    #: or it is not known.
    oldest: str = ""
    #: The same of the latest.
    newest: str = ""


def size_of(files: Iterable[tuple[float, int]]) -> CacheSize:
    """Return the size of a cache.

    Args:
        files: The time and the size of each entry.
    """
    entries = list(files)
    if not entries:
        return CacheSize(0, 0)
    times = [when for when, _ in entries]
    first, last = (datetime.fromtimestamp(one, UTC) for one in (min(times), max(times)))
    seconds = [one.isoformat(timespec="seconds") for one in (first, last)]
    return CacheSize(len(entries), sum(size for _, size in entries), *seconds)


def framed(key: str, content: bytes) -> bytes:
    """Return an entry as it is written: with a digest over its name and its bytes."""
    return _MAGIC + _digest(key, content) + content


def unframed(key: str, entry: bytes) -> bytes | None:
    """Return the bytes of an entry, or None if it is damaged or has another name."""
    start = len(_MAGIC)
    digest, content = entry[start : start + 32], entry[start + 32 :]
    whole = entry.startswith(_MAGIC) and digest == _digest(key, content)
    return content if whole else None


def _digest(key: str, content: bytes) -> bytes:
    return hashlib.sha256(key.encode() + b"\n" + content).digest()


class FolderEntries:
    """Entries in a folder.

    An entry is written beside and then named, so that processes may share the folder. A read makes an entry
    young. When the folder has outgrown its bound, one process at a time removes the oldest entries.

    Args:
        folder: Folder of the entries; made when something is written.
        most_bytes: Maximum size of all entries, in blocks of 4 KiB as a disk has them; less if the disk
            has no room for twice as much. In between, each process that writes may exceed it by a sixteenth.
    """

    def __init__(self, folder: Path, most_bytes: int) -> None:
        self._folder, self._most = folder, most_bytes
        self._bound = most_bytes  # or less, when it was measured
        self._written = most_bytes  # so that the first write measures
        self._counting = threading.Lock()

    def read(self, key: str) -> bytes | None:
        """Return the bytes of an entry, or None; one that is damaged is removed."""
        path = self._path(key)
        try:
            entry = path.read_bytes()
        except OSError:
            return None
        content = unframed(key, entry)
        with contextlib.suppress(OSError):  # a folder of others is read and not written
            if content is None:
                path.unlink(missing_ok=True)
            else:
                os.utime(path)
        return content

    def write(self, key: str, content: bytes) -> None:
        """Write an entry; a full or read-only disk is no reason to fail."""
        entry = framed(key, content)
        if on_disk(len(entry)) > self._bound:
            return
        with contextlib.suppress(OSError):
            write_whole(self._path(key), entry, durable=False)
            if self._is_to_be_measured(on_disk(len(entry))):
                self.trim()

    def trim(self) -> None:
        """Remove the entries that were not used for longest until the others are within the bound.

        If another process does so at this moment, nothing is done.

        Raises:
            OSError: The folder cannot be written.
        """
        with (self._folder / _LOCK).open("wb") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                return
            entries = sorted(self._files(), key=lambda file: file[1])
            total = sum(size for _, _, size in entries)
            self._bound = min(self._most, (total + shutil.disk_usage(self._folder).free) // 2)
            if total <= self._bound:
                return
            for path, _, size in entries:
                if total <= self._bound * _LEFT:
                    return
                with contextlib.suppress(FileNotFoundError):
                    path.unlink()
                total -= size

    def size(self) -> CacheSize:
        """Return how many entries there are, how large they are together, and when they were used."""
        return size_of((when, size) for _, when, size in self._files())

    def clear(self) -> None:
        """Remove all entries.

        Raises:
            OSError: An entry cannot be removed.
        """
        if self._folder.is_dir():
            shutil.rmtree(self._folder)

    def _is_to_be_measured(self, size: int) -> bool:
        with self._counting:
            self._written += size
            due = self._written > self._bound * _MEASURED_AFTER
            if due:
                self._written = 0
            return due

    def _files(self) -> Iterator[tuple[Path, float, int]]:
        """Yield each entry with the time of its last use and its size; what was abandoned is removed."""
        with contextlib.suppress(FileNotFoundError):
            for part in os.scandir(self._folder):
                if part.is_dir(follow_symlinks=False):
                    yield from _files_of(part.path)

    def _path(self, key: str) -> Path:
        return self._folder / key[:2] / key


def on_disk(size: int) -> int:
    """Return what a file of a size takes on a disk."""
    return -(-size // _BLOCK) * _BLOCK


def _files_of(folder: str) -> Iterator[tuple[Path, float, int]]:
    with contextlib.suppress(FileNotFoundError):
        for entry in os.scandir(folder):
            with contextlib.suppress(FileNotFoundError):  # another process removed it
                facts = entry.stat(follow_symlinks=False)
                if not entry.name.startswith("."):
                    yield Path(entry.path), facts.st_mtime, on_disk(facts.st_size)
                elif time.time() - facts.st_mtime > _ABANDONED:
                    Path(entry.path).unlink(missing_ok=True)


@dataclass(frozen=True, slots=True)
class CacheFiles:
    """The files of a cache."""

    #: Its folder, which may hold other things too.
    folder: Path
    #: Which files below the folder are entries.
    pattern: str

    def size(self) -> CacheSize:
        """Return how many entries there are, how large they are together, and from when."""
        statuses = (file.stat() for file in self._files())
        return size_of((status.st_mtime, on_disk(status.st_size)) for status in statuses)

    def clear(self) -> None:
        """Remove all entries.

        Raises:
            OSError: An entry cannot be removed.
        """
        for path in list(self._files()):
            path.unlink(missing_ok=True)

    def _files(self) -> Iterator[Path]:
        return (path for path in self.folder.glob(self.pattern) if path.is_file())


_log = logging.getLogger(__name__)


class ObjectEntries:
    """Entries below a URL. Their number is not bounded here: a rule of the bucket removes old ones.

    A call is made once. If the store does not answer, it is not asked again for a time, since a cache is to
    save time.

    Args:
        url: URL of the folder.
        pause_seconds: Seconds until it is asked again; infinite for never by this process.
        clock: Returns seconds.

    Raises:
        UsageError: A package is missing that the URL needs, or nothing knows such URLs.
    """

    def __init__(
        self, url: str, pause_seconds: float = math.inf, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._access = Access(url, retry_seconds=0)
        self._pause, self._clock = pause_seconds, clock
        self._asked_from = -math.inf

    def read(self, key: str) -> bytes | None:
        """Return the bytes of an entry, or None; one that is damaged is removed."""
        if self._clock() < self._asked_from:
            return None
        name = _name(key)
        try:
            content = unframed(key, self._access.read(name))
            if content is None:
                self._access.remove([name])
            return content
        except FileNotFoundError:
            return None
        except StoreError as error:
            self._give_up(error)
            return None

    def write(self, key: str, content: bytes) -> None:
        """Write an entry, if the store takes it."""
        if self._clock() < self._asked_from:
            return
        try:
            self._access.write(_name(key), framed(key, content))
        except StoreError as error:
            self._give_up(error)

    def size(self) -> CacheSize:
        """Return how many entries there are and how large they are together.

        Raises:
            StoreError: The store does not answer.
        """
        sizes = self._access.sizes()
        return CacheSize(len(sizes), sum(sizes))

    def clear(self) -> None:
        """Remove all entries.

        Raises:
            StoreError: The store does not answer.
        """
        self._access.clear("")

    def _give_up(self, error: StoreError) -> None:
        now = self._clock()
        if now >= self._asked_from:
            how_long = "from here on" if math.isinf(self._pause) else f"for {self._pause:g} s"
            _log.warning("the cache is not used %s: %s", how_long, error.message)
        self._asked_from = now + self._pause


def _name(key: str) -> str:
    return f"{key[:2]}/{key}"


#: Names of the caches of bytes, and of their folders.
RENDERS, SCORES = "renders", "scores"

#: Names of all caches of evaluations, in the order in which they are shown.
ANSWERS, REFERENCE_POINTS = "answers", "reference-points"
KINDS = (ANSWERS, RENDERS, SCORES, REFERENCE_POINTS)


@dataclass(frozen=True, slots=True)
class Caches:
    """The caches that runs share."""

    #: Answers of renderers; None if they are not kept.
    renders: KeptBytes | None = None
    #: Values of metrics of images; the same.
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
    """One of the caches, for people."""

    #: One of KINDS.
    name: str
    #: Its folder or URL.
    place: str
    #: What it holds.
    size: CacheSize
    #: What it may hold; None if that is not bounded, or by a rule of the bucket.
    most_bytes: int | None
    #: Whether evaluations use it.
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


#: Verdicts that another machine, or this one at another time, may not repeat.
MACHINE_VERDICTS = frozenset(
    {Verdict.TIME_LIMIT, Verdict.MEMORY_LIMIT, Verdict.PROCESS_LIMIT, Verdict.CRASHED}
)

#: Limits that lead to one of these verdicts and to no other difference.
_MACHINE_LIMITS = ("cpu_seconds", "wall_seconds", "memory_bytes", "processes")


class Renderer(Protocol):
    """Renders sources: a client, or a cache before one."""

    async def render(self, request: RenderRequest) -> Rendering:
        """Return the answer to a request.

        Raises:
            ServiceError: The renderer does not answer.
            ProtocolError: It answers what it must not.
        """
        ...


@dataclass(frozen=True, slots=True)
class CachedRenderer:
    """A renderer that is asked only what it has not answered before.

    An answer that is kept is given back as it was, with its verdict, its log, and the time and memory that
    the render once took.
    """

    #: Renderer that is asked if there is no entry.
    renderer: Renderer
    #: The values that are kept.
    entries: KeptBytes
    #: What the renderer says of itself; part of the name of an entry.
    description: RendererDescription
    #: Rules of the run; part of it too.
    profile: Profile

    async def render(self, request: RenderRequest) -> Rendering:
        """Return the answer to a request, kept or new; see ``Renderer.render``."""
        key, kept = await asyncio.to_thread(self._kept, request)
        if kept is not None:
            current_span().add_event("taken from the cache")
            return kept
        rendering = await self.renderer.render(request)
        if self._may_be_kept(rendering):
            await asyncio.to_thread(self._keep, key, rendering)
        return rendering

    def _kept(self, request: RenderRequest) -> tuple[str, Rendering | None]:
        key = render_key(request, self.description, self.profile)
        content = self.entries.read(key)
        try:
            return key, rendering_from_bytes(content) if content is not None else None
        except ContractError:  # written by a version of this package that knows more
            return key, None

    def _may_be_kept(self, rendering: Rendering) -> bool:
        described = self.description
        return (
            rendering.verdict not in MACHINE_VERDICTS
            # A page that was not at rest when its time was over looks different on another day.
            and (rendering.site is None or rendering.site.settled or not rendering.verdict.has_picture)
            # Else another renderer answers at this address than the one that was described.
            and bool(described.engine.digest)
            and rendering.engine.digest == described.engine.digest
            and rendering.isolation.tier == described.isolation.tier
        )

    def _keep(self, key: str, rendering: Rendering) -> None:
        self.entries.write(key, rendering_bytes(rendering))


def render_key(request: RenderRequest, description: RendererDescription, profile: Profile) -> str:
    """Return the SHA-256 of everything that decides an answer.

    These are source, options and limits of the request, the renderer with its engine, fonts, sandbox tier and
    the limits of its operator, and the profile.

    Args:
        request: Its id does not count.
        description: What the renderer says of itself.
        profile: Rules of the run.
    """
    limits = [asdict(one) for one in (description.default_limits, description.max_limits)]
    origin = {
        "service": description.service,
        "version": description.version,
        "engine": asdict(description.engine),
        "fonts": description.fonts_digest,
        "missing": sorted(description.missing),
        "tier": int(description.isolation.tier),
        "limits": [{name: limit[name] for name in limit if name not in _MACHINE_LIMITS} for limit in limits],
        "profile": str(profile),
    }
    digest = hashlib.sha256(json.dumps(origin, sort_keys=True).encode())
    digest.update(b"\n" + request_bytes(request))
    return digest.hexdigest()


@dataclass(frozen=True, slots=True)
class ComparedPair:
    """Two images and how they are compared."""

    #: Encoded image.
    reference: bytes
    #: Encoded image.
    prediction: bytes
    #: The rule that makes the two equal in size.
    size_policy: SizePolicy
    #: Rules of the comparison.
    profile: Profile


@dataclass(frozen=True, slots=True)
class ScoreCache:
    """Values of metrics by the digests of the images."""

    #: The values that are kept.
    entries: KeptBytes
    #: What computes the values: version of the metric service, its libraries, precision and device as far as
    #: it says; part of the name of an entry.
    service: str
    #: Version of each metric by its name; the same. A metric without one is not kept.
    versions: Mapping[str, str]

    @classmethod
    def of(cls, entries: KeptBytes, description: MetricsDescription, profile: Profile) -> ScoreCache:
        """Return the cache before a metric service.

        Args:
            entries: The values that are kept.
            description: What the service says of itself.
            profile: Rules of the run; a name may have another version in other rules.
        """
        own = [metric for metric in description.metrics if profile in metric.profiles and metric.version]
        service = [description.version, sorted(description.versions.items()), description.device]
        return cls(
            entries,
            json.dumps(service),
            {metric_description.name: metric_description.version for metric_description in own},
        )

    def known(self, pair: ComparedPair, metrics: Iterable[str]) -> dict[str, MetricResult]:
        """Return by name the results that are kept of some metrics."""
        prefix = self._prefix(pair)
        results: dict[str, MetricResult] = {}
        for name in metrics:
            content = self.entries.read(self._key(prefix, name)) if name in self.versions else None
            if content is None:
                continue
            try:
                result = result_from_bytes(content)
            except ContractError:  # written by a version of this package that knows more
                continue
            if result.name == name and result.version == self.versions[name]:
                results[name] = result
        return results

    def keep(self, pair: ComparedPair, results: Iterable[MetricResult]) -> None:
        """Keep values, and that a metric is not defined for a pair; no other failure is kept."""
        prefix = self._prefix(pair)
        for result in results:
            defined = result.failure is None or result.failure.kind is MetricFailureKind.UNDEFINED
            # Another version is of another service than the one that was described.
            if defined and result.version and result.version == self.versions.get(result.name):
                self.entries.write(self._key(prefix, result.name), result_bytes(result))

    def _prefix(self, pair: ComparedPair) -> list[str]:
        digests = [hashlib.sha256(one).hexdigest() for one in (pair.reference, pair.prediction)]
        return [self.service, *digests, pair.size_policy.name, str(pair.profile)]

    def _key(self, prefix: list[str], name: str) -> str:
        return hashlib.sha256(json.dumps([*prefix, name, self.versions[name]]).encode()).hexdigest()
