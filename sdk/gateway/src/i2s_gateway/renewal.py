"""Certificates that are renewed while a gateway serves: it looks at their files again, and takes them up."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import ssl
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from i2s_sdk.errors import SettingsError

_log = logging.getLogger(__name__)

#: Seconds between two looks.
LOOK_EVERY = 30.0

_Mark = tuple[int, int] | None


@asynccontextmanager
async def watched(files: Sequence[Path | None], take_up: Callable[[], None]) -> AsyncIterator[None]:
    """Have renewed files taken up as long as the block lasts.

    Files that cannot be used yet, such as a certificate whose key is still the old one, are tried again at
    the next look; what was in use stays in use.

    Args:
        files: The files; None stands for one that there is not.
        take_up: Reads them; called after a change of any.
    """
    given = [file for file in files if file is not None]
    if not given:
        yield
        return
    watching = asyncio.create_task(_watch(given, take_up))
    try:
        yield
    finally:
        watching.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await watching


async def _watch(files: Sequence[Path], take_up: Callable[[], None]) -> None:
    known = [_mark(file) for file in files]
    while True:
        await asyncio.sleep(LOOK_EVERY)
        marks = [_mark(file) for file in files]
        if marks == known:
            continue
        names = ", ".join(str(file) for file in files)
        try:
            take_up()
        except (OSError, ssl.SSLError, SettingsError) as error:
            _log.warning("%s: renewed, and cannot be used yet: %s", names, error)
        else:
            known = marks
            _log.info("%s: renewed", names)


def _mark(file: Path) -> _Mark:
    """Return what changes with the content of a file, also of one that a link leads to."""
    try:
        about = file.stat()
    except OSError:
        return None
    return about.st_mtime_ns, about.st_ino
