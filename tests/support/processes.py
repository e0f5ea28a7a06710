"""The processes below one of ours, as the kernel shows them."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Process:
    """A process.

    Attributes:
        pid: Its number.
        kind: What runs, by the kernel's short name, such as "pdflatex"; with the type of a browser's process.
        depth: Generations below the process that was asked for; its children have 1.
        born: When it started, so that another one of the same number is not taken for it.
        words: Its command line.
    """

    pid: int
    kind: str
    depth: int
    born: str
    words: tuple[str, ...]


def below(pid: int, depth: int = 1) -> list[Process]:
    """Return the processes below one; those that end meanwhile are left out."""
    return [one for child in children(pid, depth) for one in (child, *below(child.pid, depth + 1))]


def children(pid: int, depth: int = 1) -> list[Process]:
    """Return the children of a process; those that end meanwhile are left out."""
    found: list[Process] = []
    for child in _children(pid):
        with contextlib.suppress(OSError, IndexError):
            found.append(_process(child, depth))
    return found


def is_there(process: Process) -> bool:
    """Return whether a process has not ended."""
    try:
        state, born = _stat(process.pid)
    except (OSError, IndexError):
        return False
    return state != "Z" and born == process.born


def _children(pid: int) -> list[int]:
    found: list[int] = []
    with contextlib.suppress(OSError):
        for task in Path(f"/proc/{pid}/task").iterdir():
            with contextlib.suppress(OSError):
                found += [int(one) for one in (task / "children").read_text().split()]
    return found


def _process(pid: int, depth: int) -> Process:
    command = Path(f"/proc/{pid}/cmdline").read_bytes().decode("utf-8", "replace")
    words = tuple(command.rstrip("\0").split("\0"))
    typed = next((word for word in words if word.startswith("--type=")), "")
    kind = Path(f"/proc/{pid}/comm").read_text().strip() + typed.removeprefix("--")
    return Process(pid, kind, depth, _born(pid), words)


def _stat(pid: int) -> tuple[str, str]:
    """Return the state of a process and when it was born."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return fields[0], fields[19]


def _born(pid: int) -> str:
    return _stat(pid)[1]
