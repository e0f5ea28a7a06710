"""Work in a forked child, such as what is done as another user: nothing that it does to its process lasts."""

from __future__ import annotations

import os
from collections.abc import Callable

_DONE, _FAILED = b"+", b"-"
_MAX_WORDS = 1000


class ChildError(Exception):
    """The work failed; the message says how."""


def in_a_child(work: Callable[[], bytes]) -> bytes:
    """Return what a function returns in a forked child. There may be one thread only.

    Raises:
        ChildError: The function raised, or its process ended before it returned.
    """
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.close(reading)
            _answer(writing, work)
        finally:
            os._exit(0)
    os.close(writing)
    with open(reading, "rb") as pipe:
        answer = pipe.read()
    os.waitpid(child, 0)
    if answer[:1] == _DONE:
        return answer[1:]
    raise ChildError(answer[1:].decode(errors="replace") or "the process that was to do it has ended")


def _answer(writing: int, work: Callable[[], bytes]) -> None:
    try:
        answer = _DONE + work()
    except BaseException as error:  # nothing may run on in the forked child
        answer = _FAILED + f"{type(error).__name__}: {error}".encode(errors="replace")[:_MAX_WORDS]
    with open(writing, "wb") as pipe:
        pipe.write(answer)
