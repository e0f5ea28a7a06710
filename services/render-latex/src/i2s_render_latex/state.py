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
from i2s_chassis.jail.errors import killed_by
from i2s_render_latex.texindex import (
    IndexFileError,
    IndexSummary,
    Progress,
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


#: The index of the TeX tree for all users of a machine, which root makes with the command ``index``.
SHARED_INDEX = Path("/var/cache/i2s/texindex.sqlite")


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


def open_index(folder: Path, shared: Path | None = None) -> TexIndex | None:
    """Open the index of the TeX tree, in the state folder or else that of all users.

    Args:
        folder: The state folder.
        shared: The index of all users; None if there is none.

    Returns:
        The index; None if none is there of the tree as it is, made by this code, that this process, root
        and nobody else can have written.

    Raises:
        StartError: There is no TeX tree.
    """
    try:
        digest = current_digest(tree_roots())
    except TreeError as error:
        raise StartError(str(error)) from None
    for path in (index_file(folder), shared):
        if path is None:
            continue
        try:
            index = TexIndex.load(path)
        except IndexFileError as error:
            _log.debug("%s", error)
            continue
        if index.digest == digest:
            return index
        index.close()
    return None


def rebuild_index(path: Path, progress: Progress) -> IndexSummary:
    """Build the index; its folder is made if it is missing.

    Raises:
        StartError: It cannot be built.
    """
    try:
        return build_index(tree_roots(), path, progress=progress)
    except (TreeError, OSError) as error:
        raise StartError(f"the index of the TeX tree cannot be built: {error}") from error


async def index_for_service(folder: Path, shared: Path | None = None) -> TexIndex:
    """Open the index, built before in a process of its own if it has to be.

    A service waits for it: a repair injects the first provider that an answer names, so an answer without
    providers would give a run another number.

    Args:
        folder: The state folder, in which it is built.
        shared: The index of all users.

    Raises:
        StartError: It cannot be built.
    """
    index = await asyncio.to_thread(open_index, folder, shared)
    if index is None:
        async with _alone(folder):  # what another service has built meanwhile is not built again
            index = await asyncio.to_thread(open_index, folder, shared)
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
    """Build the index; what the command says of its progress is logged."""
    command = [sys.executable, "-m", "i2s_render_latex", "index", "--state-dir", str(folder)]
    process = await asyncio.create_subprocess_exec(
        *command, stdout=DEVNULL, stderr=PIPE, stdin=DEVNULL, start_new_session=True
    )
    assert process.stderr is not None
    said = ""
    try:
        async for line in process.stderr:
            said = line.decode(errors="replace").strip()
            _log.info("building the index of the TeX tree", extra={"fields": {"progress": said}})
        await process.wait()
    finally:
        # Where the start was broken off, the builder and the engine that it tries packages with end too.
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        await process.wait()
    if process.returncode:
        message = f"the index of the TeX tree cannot be built: {said[-300:]}"
        raise StartError(message) from killed_by(process.returncode, "the builder of the index")
