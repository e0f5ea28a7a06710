"""Giving up the privileges that a service was started with."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from i2s_chassis.address import Address
from i2s_chassis.errors import StartError
from i2s_chassis.privileges import folders, reach
from i2s_chassis.privileges.account import UserAccount, account_of
from i2s_chassis.privileges.announcer import Announcer
from i2s_chassis.privileges.confine import confine
from i2s_chassis.settings import AUTO_USER, ServiceSettings
from i2s_chassis.work_folder import WorkFolder

_BIND_LOW_PORTS = 10  # CAP_NET_BIND_SERVICE
_FIRST_OPEN_PORT = Path("/proc/sys/net/ipv4/ip_unprivileged_port_start")
_USUAL_FIRST_OPEN_PORT = 1024
_CACHE = "/var/cache"
TEMPORARY = ("/tmp", "/var/tmp")  # noqa: S108 - which others may write to
_THREADS_SECONDS = 10.0
_NO_HOME = "/nonexistent"


@dataclass(frozen=True, slots=True)
class Standing:
    """The privileges that the service runs with.

    Attributes:
        uid: User id of the service.
        binds_low_ports: Whether it has kept the one capability that ports of root need.
        reason: Why it stays user 0, if it was started as root and does.
        announcer: The process that writes its announcement, if it may not do so any more.
    """

    uid: int
    binds_low_ports: bool = False
    reason: str = ""
    announcer: Announcer | None = None

    @property
    def mechanism(self) -> str:
        """The words for logs and descriptions."""
        capabilities = (
            "with no capability but that for low ports" if self.binds_low_ports else "without capabilities"
        )
        return f"service: uid {self.uid} {capabilities}"


def give_up(settings: ServiceSettings) -> Standing:
    """Give up all privileges of this process that a service does not need, for good.

    Call it while there is one thread: capabilities and filters are those of a thread. Everything that
    needs more privileges must have been started.

    Raises:
        StartError: The user that was asked for cannot run the service; says what it does not reach.
    """
    _wait_for_other_threads()
    if os.geteuid() != 0:
        confine()
        return Standing(os.geteuid())
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
        return Standing(0, bool(kept), reason or f"--user {settings.user}")
    announcer = Announcer.start(settings.announce.absolute()) if settings.announce is not None else None
    temporary = _temporary_folder(account)
    confine(kept, account)
    _leave_closed_folder()
    _change_environment(settings, temporary)
    return Standing(account.uid, bool(kept), announcer=announcer)


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
    readable = (*reach.code(), *settings.files_read())
    return reach.unreached(account, readable, settings.folders_written())


def _prepare_folders(account: UserAccount, settings: ServiceSettings, written: Iterable[Path]) -> None:
    for folder in written:
        folders.prepare(folder, account, is_ours=folder == settings.default_folder())


def usual_temporary_folder(account: UserAccount) -> Path | None:
    """Return the first folder for temporary files of all users that a user may write to; None if none is."""
    usual = (Path(tempfile.gettempdir()), *map(Path, TEMPORARY))
    writable = (one for one in usual if one.is_dir() and reach.unreached(account, (), (one,)) is None)
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
    return any(0 < Address.parse(one).port < first_open for one in listens if one)
