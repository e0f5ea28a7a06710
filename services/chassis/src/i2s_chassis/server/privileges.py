"""The privileges of a service: it runs as an ordinary user, without capabilities, under a filter of its own.

What needs more, the monitor and the spawner of jails and the announcer, are processes of their own, which are
started before. ``give_up`` does the rest: it makes the folders that the service writes to for the user that
it becomes, and looks whether this user reaches its code and its files. The work folders of a service that was
killed are removed as its user.
"""

from __future__ import annotations

import contextlib
import logging
import os
import signal
import stat
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from i2s_chassis.errors import StartError
from i2s_chassis.jail import syscalls
from i2s_chassis.jail.work_folder import WorkFolder, remove_stale
from i2s_chassis.server.announcement import Announcer
from i2s_chassis.server.service_user import ChildError, UserAccount, account_of, confine, in_a_child
from i2s_chassis.server.settings import AUTO_USER, Address, ServiceSettings

_log = logging.getLogger(__name__)

_BIND_LOW_PORTS = 10  # CAP_NET_BIND_SERVICE
_FIRST_OPEN_PORT = Path("/proc/sys/net/ipv4/ip_unprivileged_port_start")
_USUAL_FIRST_OPEN_PORT = 1024
_CACHE = "/var/cache"
TEMPORARY = ("/tmp", "/var/tmp")  # noqa: S108 - which others may write to
_THREADS_SECONDS = 10.0
_NO_HOME = "/nonexistent"


@dataclass(frozen=True, slots=True)
class ServicePrivileges:
    """The privileges that the service runs with."""

    #: User id of the service.
    uid: int
    #: Whether it has kept the one capability that ports of root need.
    binds_low_ports: bool = False
    #: Why it stays user 0, if it was started as root and does.
    reason: str = ""
    #: The process that writes its announcement, if it may not do so any more.
    announcer: Announcer | None = None

    @property
    def mechanism(self) -> str:
        """The words for logs and descriptions."""
        capabilities = (
            "with no capability but that for low ports" if self.binds_low_ports else "without capabilities"
        )
        return f"service: uid {self.uid} {capabilities}"


def give_up(settings: ServiceSettings) -> ServicePrivileges:
    """Give up all privileges of this process that a service does not need, for good.

    Call it while there is one thread: capabilities and filters are those of a thread. Everything that
    needs more privileges must have been started.

    Raises:
        StartError: The user that was asked for cannot run the service; says what it does not reach.
    """
    _wait_for_other_threads()
    if os.geteuid() != 0:
        confine()
        return ServicePrivileges(os.geteuid())
    kept = (_BIND_LOW_PORTS,) if _needs_low_ports(settings) else ()
    account = account_of(settings)
    reason = _prepare(account, settings)
    if reason is not None:
        if settings.user != AUTO_USER:
            raise StartError(f"--user {settings.user}: {reason}; permit that, or name another user")
        account = UserAccount(0, 0)
    if account.uid == 0:
        _prepare_folders(account, settings, settings.folders_written_by_root())
        confine(kept)
        return ServicePrivileges(0, bool(kept), reason or f"--user {settings.user}")
    announcer = Announcer.start(settings.announce.absolute()) if settings.announce is not None else None
    temporary = _temporary_folder(account)
    confine(kept, account)
    _leave_closed_folder()
    _change_environment(settings, temporary)
    return ServicePrivileges(account.uid, bool(kept), announcer=announcer)


def _wait_for_other_threads() -> None:
    """Wait until threads that were joined are gone: for the kernel they end later than for Python."""
    deadline = time.monotonic() + _THREADS_SECONDS
    while len(os.listdir("/proc/self/task")) != 1:
        if time.monotonic() > deadline:
            raise RuntimeError("a service gives up its privileges before it starts threads")
        time.sleep(0.001)


def _prepare(account: UserAccount, settings: ServiceSettings) -> str | None:
    """Make the folders of a user, and return why it cannot run the service."""
    if account.uid == 0:
        return None
    _prepare_folders(account, settings, settings.folders_written())
    readable = (*files_of_interpreter(), *settings.files_read())
    return unreached(account, readable, settings.folders_written())


def _prepare_folders(account: UserAccount, settings: ServiceSettings, written: Iterable[Path]) -> None:
    for folder in written:
        prepare_folder(folder, account, is_ours=folder == settings.default_folder())


def usual_temporary_folder(account: UserAccount) -> Path | None:
    """Return the first folder for temporary files of all users that a user may write to; None if none is."""
    usual = (Path(tempfile.gettempdir()), *map(Path, TEMPORARY))
    writable = (path for path in usual if path.is_dir() and unreached(account, (), (path,)) is None)
    return next(writable, None)


def _temporary_folder(account: UserAccount) -> Path:
    """Return a folder for temporary files that a user may write to: one of all users, else one of its own."""
    usual = usual_temporary_folder(account)
    if usual is not None:
        return usual
    # Of root, as whom alone it can be removed, and held by this process until it ends.
    folder = WorkFolder("service", Path(TEMPORARY[0])).path
    folder.chmod(0o711)
    made = folder / "tmp"
    made.mkdir(mode=0o700)
    os.chown(made, account.uid, account.gid)
    return made


def _leave_closed_folder() -> None:
    """Go to the root folder if the new user cannot enter the working folder, such as root's home.

    Worker processes go to the working folder when they start. Nothing that the service was told to read is in
    such a folder: a user that does not reach those files was not chosen.
    """
    try:
        os.chdir(os.getcwd())
    except OSError:
        os.chdir("/")


def _change_environment(settings: ServiceSettings, temporary: Path) -> None:
    """Point to what the new user reaches, and no more to what is root's."""
    os.environ["TMPDIR"] = str(temporary)
    tempfile.tempdir = None  # looked up anew
    folder = settings.default_folder()
    os.environ["HOME"] = str(folder) if os.access(folder, os.W_OK) else _NO_HOME
    os.environ["XDG_CACHE_HOME"] = _CACHE
    for name in ("USER", "LOGNAME", "MAIL"):
        os.environ.pop(name, None)


def _needs_low_ports(settings: ServiceSettings) -> bool:
    try:
        first_open = int(_FIRST_OPEN_PORT.read_text())
    except (OSError, ValueError):
        first_open = _USUAL_FIRST_OPEN_PORT
    listens = (settings.listen, settings.metrics_listen, settings.health_listen)
    return any(0 < Address.parse(listen).port < first_open for listen in listens if listen)


def prepare_folder(folder: Path, account: UserAccount, *, is_ours: bool) -> None:
    """Make a folder if it is missing, and give what was made to a user.

    Somebody else's folder is left as it is, and so is one that cannot be made.

    Args:
        folder: Where a service keeps things.
        account: The service's user.
        is_ours: Whether nobody but services of this kind makes this folder. Then one that root has made
            is given to the user with all that root has made in it, and one of another user to root.
    """
    with contextlib.suppress(OSError):
        if not folder.exists():
            folder.mkdir(parents=True)
            folder.chmod(0o755)
            os.chown(folder, account.uid, account.gid)
        elif is_ours and _may_be_given(folder.lstat(), account):
            _give(folder, folder.lstat().st_uid, account)


def _may_be_given(status: os.stat_result, account: UserAccount) -> bool:
    """Whether nobody could make us give away what is not in the folder.

    In one that root alone can change nothing is put in another one's place meanwhile. And root may be given
    everything: it has it already.
    """
    others_write = status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    of_root_alone = status.st_uid == 0 and not others_write
    return stat.S_ISDIR(status.st_mode) and (of_root_alone or account.uid == 0)


def _give(folder: Path, owner: int, account: UserAccount) -> None:
    for _, folders, files, descriptor in os.fwalk(folder, topdown=False):
        for name in (*folders, *files):
            status = os.stat(name, dir_fd=descriptor, follow_symlinks=False)
            plain = stat.S_ISDIR(status.st_mode) or (stat.S_ISREG(status.st_mode) and status.st_nlink == 1)
            if plain and status.st_uid == owner:
                os.chown(name, account.uid, account.gid, dir_fd=descriptor, follow_symlinks=False)
    os.chown(folder, account.uid, account.gid, follow_symlinks=False)


def files_of_interpreter() -> Iterator[Path]:
    """Return what the interpreter reads: itself, where modules are looked for, and those that are loaded."""
    yield Path(sys.executable)
    yield from (Path(one) for one in (sys.prefix, sys.base_prefix, *sys.path, sys.argv[0]) if one)
    loaded = (getattr(module, "__file__", None) for module in sys.modules.copy().values())
    yield from (Path(file) for file in loaded if file)


def unreached(account: UserAccount, readable: Iterable[Path], writable: Iterable[Path]) -> str | None:
    """Return why a user cannot run a service, None if it can. Forks: there may be one thread only.

    Args:
        account: The user.
        readable: Files and folders; those that do not exist are passed over.
        writable: Folders, likewise.
    """
    to_read = [path for path in dict.fromkeys(readable) if path.exists()]
    to_write = [path for path in dict.fromkeys(writable) if path.exists()]

    def look() -> str:
        try:
            account.become()
        except OSError as error:
            return f"this process may not become the user {account.uid}: {error.strerror}"
        for path in to_read:
            if not os.access(path, os.R_OK | (os.X_OK if _is_folder(path) else 0)):
                return f"the user {account.uid} cannot read {path}"
        for path in to_write:
            if not os.access(path, os.W_OK | os.X_OK):
                return f"the user {account.uid} cannot write to {path}"
        return ""

    try:
        return in_a_child(lambda: look().encode(errors="replace")).decode() or None
    except ChildError as error:
        return str(error)


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except OSError:
        return False


def remove_stale_of_this_user() -> list[Path]:
    """Remove stale work folders of the user of this process, and return those that were removed.

    They are looked for in the folder for temporary files, and as root in the first usual one too, where a
    service has its folder whose user may write to none of the usual ones.
    """
    folders = [tempfile.gettempdir(), *(TEMPORARY[:1] if os.geteuid() == 0 else ())]
    return [path for folder in dict.fromkeys(folders) for path in remove_stale(Path(folder))]


def remove_stale_of_service(settings: ServiceSettings) -> list[Path]:
    """Remove stale work folders of the user that a service becomes if it is started as root.

    They are removed by a child that has become this user, so that whoever makes files as this user can have
    nothing removed that this user may not remove. Nothing is done for users other than root.

    Args:
        settings: Settings of ``serve``.

    Returns:
        Those that were removed.

    Raises:
        StartError: The settings name a user that there is not, or that is kept for jobs.
    """
    account = account_of(settings) if os.geteuid() == 0 else None
    if account is None or account.uid == 0:
        return []
    folder = usual_temporary_folder(account)
    return [] if folder is None else _removed_as(account, folder)


def _removed_as(account: UserAccount, folder: Path) -> list[Path]:
    def sweep() -> bytes:
        account.become()
        syscalls.prctl(syscalls.PR_SET_PDEATHSIG, signal.SIGKILL)
        return b"\0".join(map(os.fsencode, remove_stale(folder)))

    try:
        removed = in_a_child(sweep)
    except ChildError as error:
        _log.warning("no work folders of the user %d are removed: %s", account.uid, error)
        return []
    return [Path(os.fsdecode(path)) for path in removed.split(b"\0") if path]
