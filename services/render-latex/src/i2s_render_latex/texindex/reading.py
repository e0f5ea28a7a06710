"""Reading the source files of the trees, on all processors: how they hang together, then what they define.

Only the files of packages, classes and libraries that can be loaded are read for what they define, which
costs several times as much as to see what a file loads.
"""

from __future__ import annotations

import hashlib
import multiprocessing
import os
import re
import threading
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from types import TracebackType
from typing import TypeVar

from .definitions import Category, How, clean, definitions, keys
from .trees import TreeFile
from .units import Scanned, Unit, demands_other_engine, loads

Name = tuple[Category, str]
Evidence = Mapping[Name, How]
#: Is told what is done, how much of it is done, and of how much.
Progress = Callable[[str, int, int], None]

_A = TypeVar("_A")
_B = TypeVar("_B")

_WORD = re.compile(r"[A-Za-z]{2,40}")
_TOGETHER = 64  # files that a process is given at a time
_WORTH_PROCESSES = 500  # files; fewer are read before the first process would be there


def processors() -> int:
    """Return the number of processors that this process may use."""
    return len(os.sched_getaffinity(0))


@dataclass(frozen=True, slots=True)
class Structure:
    """How a file hangs together with others."""

    #: Its bundle and what it loads.
    scanned: Scanned
    #: Whether it demands another engine.
    demands: bool
    #: Digest of its content.
    digest: str


@dataclass(frozen=True, slots=True)
class Names:
    """What a file defines."""

    #: The surest way in which it defines each name.
    evidence: Evidence
    #: All its words, if they were asked for.
    words: frozenset[str]


@dataclass(slots=True)
class Scans:
    """What was read in the files of the trees, by base name."""

    #: All files, read or not.
    installed: dict[str, TreeFile]
    #: How the source files hang together.
    files: dict[str, Scanned] = field(default_factory=dict)
    #: Source files that demand another engine.
    demanding: set[str] = field(default_factory=set)
    #: Digests of the contents of source files.
    digests: dict[str, str] = field(default_factory=dict)
    #: What each file of a unit defines.
    names: dict[str, Names] = field(default_factory=dict)

    def words(self, unit: Unit) -> set[str]:
        """Return every word in the files of a unit, and the commands and environments that it defines.

        What it borrows from others is among the latter.
        """
        found = set[str]().union(*(self.names[file].words for file in unit.own))
        for file in unit.own | unit.lent:
            found.update(name for category, name in self.names[file].evidence if category is not Category.KEY)
        return found


class Readers:
    """Processes that read files; none where there is little to read. A context manager."""

    def __init__(self, files: int) -> None:
        """Take the number of files that are to be read."""
        self._pool: ProcessPoolExecutor | None = None
        if files >= _WORTH_PROCESSES and processors() > 1:
            # A copy of a process with threads may wait for ever for what one of them held.
            method = "fork" if threading.active_count() == 1 else "spawn"
            self._pool = ProcessPoolExecutor(processors(), multiprocessing.get_context(method))

    def __enter__(self) -> Readers:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)

    def map(self, read: Callable[[_A], _B], files: Sequence[_A]) -> Iterator[_B]:
        """Yield what is read in each file, in order."""
        return map(read, files) if self._pool is None else self._pool.map(read, files, chunksize=_TOGETHER)


def read_structure(files: Sequence[TreeFile], readers: Readers, progress: Progress) -> Scans:
    """Read every source file for how it hangs together with others."""
    scans = Scans({file.name: file for file in files})
    sources = [file for file in files if file.is_source]
    for number, (file, read) in enumerate(zip(sources, readers.map(_structure, sources), strict=True), 1):
        scans.files[file.name] = read.scanned
        scans.digests[file.name] = read.digest
        if read.demands:
            scans.demanding.add(file.name)
        progress("files read for what they load", number, len(sources))
    return scans


def read_names(
    scans: Scans, units: Collection[Unit], tried: Collection[Unit], readers: Readers, progress: Progress
) -> None:
    """Read the files of units for what they define, and those of units that are tried for their words too."""
    with_words = frozenset[str]().union(*(unit.own for unit in tried))
    wanted = sorted(frozenset[str]().union(*(unit.own | unit.lent for unit in units)))
    read = partial(_names, with_words)
    found = readers.map(read, [scans.installed[name] for name in wanted])
    for number, (name, names) in enumerate(zip(wanted, found, strict=True), 1):
        scans.names[name] = names
        progress("files read for what they define", number, len(wanted))


def _structure(file: TreeFile) -> Structure:
    content = file.path.read_bytes()
    text = clean(_text(content))
    scanned = Scanned(file.bundle, tuple(loads(text)))
    return Structure(scanned, demands_other_engine(text), digest_of(content))


def _names(with_words: Collection[str], file: TreeFile) -> Names:
    text = clean(_text(file.path.read_bytes()))
    words = frozenset(_WORD.findall(text)) if file.name in with_words else frozenset[str]()
    return Names(evidence_of(text), words)


def _text(content: bytes) -> str:
    """Return the content of a file as text, with the ends of lines that Python's text files have."""
    return content.decode("latin-1").replace("\r\n", "\n").replace("\r", "\n")


def digest_of(content: bytes) -> str:
    """Return a digest of a file's content."""
    return hashlib.blake2b(content, digest_size=16).hexdigest()


def evidence_of(text: str) -> Evidence:
    """Return the surest way in which a text defines each of its names.

    Args:
        text: Cleaned text of a file.
    """
    surest: dict[Name, How] = {}
    for found in (*definitions(text), *keys(text)):
        key = found.category, found.name
        surest[key] = max(found.how, surest.get(key, found.how))
    return surest
