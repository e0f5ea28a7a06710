"""One ``up`` at a time, and ``down`` while one is at work.

A lock in the folder of the stack is held from the first look at what is up until all services serve: by the
command ``up``, and by the supervisor that it starts, so that a killed command leaves it to the supervisor.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from i2s_sdk.stack.state import supervisor

_LOCK, _REQUEST = "starting.lock", "end.request"
_LOOK_EVERY = 0.05
#: What ``up`` says if ``down`` was called while it started services.
ENDED_BY_DOWN = "`i2s-sdk down` ended the services while they were starting"


@contextlib.contextmanager
def starting(folder: Path, on_wait: Callable[[], None]) -> Iterator[int]:
    """Be the one process that starts services of a folder as long as the block lasts.

    Args:
        folder: Folder of the stack; made if it is not there.
        on_wait: Called if another process starts services, before its end is waited for.

    Yields:
        The descriptor of the lock; a child process that inherits it has the lock too.
    """
    lock = _try_lock(folder)
    if lock is None:
        on_wait()
    while lock is None:
        time.sleep(_LOOK_EVERY)
        lock = _try_lock(folder)
    try:
        (folder / _REQUEST).unlink(missing_ok=True)  # of a killed `down`; one that waits asks again
        yield lock
    finally:
        os.close(lock)


@contextlib.contextmanager
def ending(folder: Path) -> Iterator[bool]:
    """Let no process start services of a folder as long as the block lasts; a start under way is ended.

    Yields:
        Whether a start was under way.
    """
    lock = _try_lock(folder)
    interrupted = lock is None
    while lock is None:
        with contextlib.suppress(FileNotFoundError):  # another `down` removed the folder just now
            (folder / _REQUEST).touch()
        pid = supervisor(folder)
        if pid is not None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGTERM)
        time.sleep(_LOOK_EVERY)
        lock = _try_lock(folder)
    try:
        yield interrupted
    finally:
        os.close(lock)


def end_requested(folder: Path) -> bool:
    """Return whether ``down`` waits for the end of the start that is under way."""
    return (folder / _REQUEST).exists()


def _try_lock(folder: Path) -> int | None:
    """Return the descriptor of the lock; None if another process has it."""
    path = folder / _LOCK
    while True:
        folder.mkdir(parents=True, exist_ok=True)
        try:
            lock = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except FileNotFoundError:  # `down` removed the folder just now
            continue
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if os.path.samestat(os.fstat(lock), path.stat()):
                return lock
        except BlockingIOError:
            os.close(lock)
            return None
        except FileNotFoundError:
            pass
        os.close(lock)  # that of a folder which `down` has removed
