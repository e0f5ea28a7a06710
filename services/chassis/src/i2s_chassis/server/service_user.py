"""The user that a service becomes if it was started as root, and what a process gives up for good.

Work as another user is done in a forked child: nothing that it does to its process lasts.
"""

from __future__ import annotations

import os
import pwd
from collections.abc import Callable
from dataclasses import dataclass

from i2s_chassis.errors import StartError
from i2s_chassis.jail import seccomp, syscalls
from i2s_chassis.server.settings import AUTO_USER, ServiceSettings

_FIRST_UID = 44_000  # and the port of the service: each kind of service has a user of its own
_UID_OF_KILLERS = 65_533  # that kill what is left of jobs, see jail.users
_LAST_UID = 2**32 - 2


@dataclass(frozen=True, slots=True)
class UserAccount:
    """A user."""

    #: Its number.
    uid: int
    #: Group id.
    gid: int
    #: Numbers of its other groups.
    groups: tuple[int, ...] = ()

    def become(self) -> None:
        """Become this user for good.

        Raises:
            OSError: This process may not.
        """
        os.setgroups(self.groups)
        os.setresgid(self.gid, self.gid, self.gid)
        os.setresuid(self.uid, self.uid, self.uid)


def account_of(settings: ServiceSettings) -> UserAccount:
    """Return the user that a service started as root becomes; user 0 if it is to stay root.

    Raises:
        StartError: There is no such user, or it is one that jobs run as.
    """
    account = _account_named(settings.user, _FIRST_UID + settings.port)
    if account.uid in settings.users_of_jobs() or account.uid == _UID_OF_KILLERS:
        raise StartError(
            f"--user {settings.user}: the user {account.uid} is kept for jobs (--jail-uid-base, "
            "--jail-uid-count); name another one"
        )
    return account


def _account_named(user: str, default: int) -> UserAccount:
    if user == AUTO_USER or user.isdecimal():
        number = default if user == AUTO_USER else int(user)
        if number > _LAST_UID:
            raise StartError(f"--user {user}: there is no user with such a number")
        return UserAccount(number, number)
    try:
        entry = pwd.getpwnam(user)
    except KeyError:
        raise StartError(f"--user {user}: there is no such user") from None
    groups = os.getgrouplist(entry.pw_name, entry.pw_gid)
    return UserAccount(entry.pw_uid, entry.pw_gid, tuple(groups))


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
            _send_answer(writing, work)
        finally:
            os._exit(0)
    os.close(writing)
    with open(reading, "rb") as pipe:
        answer = pipe.read()
    os.waitpid(child, 0)
    if answer[:1] == _DONE:
        return answer[1:]
    raise ChildError(answer[1:].decode(errors="replace") or "the process that was to do it has ended")


def _send_answer(writing: int, work: Callable[[], bytes]) -> None:
    try:
        answer = _DONE + work()
    except BaseException as error:  # nothing may run on in the forked child
        answer = _FAILED + f"{type(error).__name__}: {error}".encode(errors="replace")[:_MAX_WORDS]
    with open(writing, "wb") as pipe:
        pipe.write(answer)


def confine(kept: tuple[int, ...] = (), account: UserAccount | None = None) -> None:
    """Confine the calling process, which has one thread.

    Args:
        kept: Numbers of the capabilities that stay in force.
        account: The user to become; None stays who it is.

    Raises:
        OSError: The kernel refused.
        StartError: The parent that this process is tied to has ended meanwhile.
    """
    by_parent, parent = syscalls.parent_death_signal(), os.getppid()
    if account is not None:
        syscalls.drop_bounding_set()  # while we may
        if kept:
            syscalls.prctl(syscalls.PR_SET_KEEPCAPS, 1)
        account.become()
    syscalls.drop_capabilities(kept)
    syscalls.prctl(syscalls.PR_SET_NO_NEW_PRIVS, 1)
    if seccomp.supported():
        seccomp.restrict_service()
    if by_parent:
        # The kernel forgets it with a change of user.
        syscalls.prctl(syscalls.PR_SET_PDEATHSIG, by_parent)
        if os.getppid() != parent:
            raise StartError("the process that this service is tied to has ended")
