"""The files that the service keeps between starts: the folder itself, and the index of the TeX tree in it."""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import logging
import os
import signal
import stat
import sys
from asyncio.subprocess import DEVNULL, PIPE
from collections.abc import AsyncIterator
from pathlib import Path

from i2s_chassis.errors import StartError
from i2s_render_latex.texindex import (
    IndexFileError,
    IndexSummary,
    TexIndex,
    TreeError,
    build_index,
    current_digest,
    tree_roots,
)


def state_folder(chosen: Path | None) -> Path:
    """Return the folder for what is made once.

    Args:
        chosen: Folder that the operator chose; None takes the default.
    """
    if chosen is not None:
        return chosen
    if os.geteuid() == 0:
        return Path("/var/cache/i2s-render-latex")
    cache = os.environ.get("XDG_CACHE_HOME")
    return (Path(cache) if cache else Path.home() / ".cache") / "i2s-render-latex"


def index_file(folder: Path) -> Path:
    """Return where the index of the TeX tree lies in a state folder."""
    return folder / "texindex.sqlite"


_LOCK = ".index.lock"
_LOCK_PAUSE_SECONDS = 0.2

_log = logging.getLogger(__name__)


def prepare_folder(folder: Path) -> None:
    """Make the state folder; jobs, which may have users of their own, read formats in it.

    Raises:
        StartError: It cannot be made.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if folder.stat().st_uid == os.geteuid():
            folder.chmod(0o755)
    except OSError as error:
        raise StartError(
            f"--state-dir {folder} cannot be used: {error.strerror}; name another folder"
        ) from None


def keep_for_jobs(made: Path, kept: Path) -> None:
    """Move a folder of prepared files to where services look for it, below the state folder.

    Root makes such folders in the command ``index``, and later a service without privileges does; so the
    folder around them belongs to the owner of the state folder. If another process has made the same one
    meanwhile, that one stays.

    Args:
        made: Folder in the state folder; every user may read it and what is in it afterwards.
        kept: Its place: STATE/KIND/NAME.

    Raises:
        OSError: It cannot be moved there.
    """
    for path in (made, *made.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)
    kept.parent.mkdir(parents=True, exist_ok=True)
    # Not by its name: the owner of the state folder could put a link to any other folder in its place.
    around = os.open(kept.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        if os.geteuid() == 0:
            owner = kept.parent.parent.stat()
            os.fchown(around, owner.st_uid, owner.st_gid)
        if os.geteuid() in (0, os.fstat(around).st_uid):
            os.fchmod(around, 0o755)
    finally:
        os.close(around)
    try:
        made.rename(kept)
    except OSError:
        if not kept.is_dir():
            raise


def check_reachable(folder: Path) -> None:
    """Check that other users reach the state folder, which may not be there yet.

    Raises:
        StartError: They do not.
    """
    above = [path for path in folder.resolve().parents if path.exists()]
    closed = next((path for path in above if not path.stat().st_mode & stat.S_IXOTH), None)
    if closed is not None:
        raise StartError(
            f"--state-dir {folder} cannot be reached by the users that jobs run as, because {closed} is "
            "closed to others; name another folder"
        )


def open_index(folder: Path) -> TexIndex | None:
    """Open the index of the TeX tree; None if it is missing or the tree has changed since.

    Raises:
        StartError: There is no TeX tree.
    """
    try:
        index = TexIndex.load(index_file(folder))
        if index.digest == current_digest(tree_roots()):
            return index
    except IndexFileError:
        return None
    except TreeError as error:
        raise StartError(str(error)) from None
    index.close()
    return None


def rebuild_index(folder: Path) -> IndexSummary:
    """Build the index, which takes minutes of CPU time.

    Raises:
        StartError: It cannot be built.
    """
    try:
        return build_index(tree_roots(), index_file(folder))
    except (TreeError, OSError) as error:
        raise StartError(f"the index of the TeX tree cannot be built: {error}") from error


async def index_for_service(folder: Path) -> TexIndex:
    """Open the index, built before in a process of its own if it has to be.

    Raises:
        StartError: It cannot be built.
    """
    index = await asyncio.to_thread(open_index, folder)
    if index is None:
        async with _alone(folder):  # what another service has built meanwhile is not built again
            index = await asyncio.to_thread(open_index, folder)
            if index is None:
                path = str(index_file(folder))
                _log.info("building the index of the TeX tree", extra={"fields": {"path": path}})
                await _run_index_command(folder)
                index = await asyncio.to_thread(open_index, folder)
    if index is None:
        raise StartError(
            f"the index of the TeX tree in {folder} is stale at once; is the tree being changed?"
        )
    return index


@contextlib.asynccontextmanager
async def _alone(folder: Path) -> AsyncIterator[None]:
    """Be the only service of this machine that builds the index in a folder; waits for another one."""
    try:
        lock = (folder / _LOCK).open("ab")
    except OSError as error:
        raise StartError(f"no index can be built in --state-dir {folder}: {error.strerror}") from None
    with lock:
        while True:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                await asyncio.sleep(_LOCK_PAUSE_SECONDS)
            else:
                break
        yield


async def _run_index_command(folder: Path) -> None:
    command = [sys.executable, "-m", "i2s_render_latex", "index", "--state-dir", str(folder)]
    process = await asyncio.create_subprocess_exec(
        *command, stdout=DEVNULL, stderr=PIPE, stdin=DEVNULL, start_new_session=True
    )
    try:
        _, complaint = await process.communicate()
    finally:
        # Where the start was broken off, the builder and the engine that it tries packages with end too.
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        await process.wait()
    if process.returncode:
        raise StartError(
            f"the index of the TeX tree cannot be built: {complaint.decode(errors='replace')[-300:]}"
        )
