"""The user that a service becomes if it was started as root."""

from __future__ import annotations

import os
import pwd
from dataclasses import dataclass

from i2s_chassis.errors import StartError
from i2s_chassis.settings import AUTO_USER, ServiceSettings

_BASE = 44_000  # and the port of the service: each kind of service has a user of its own
_OF_KILLERS = 65_533  # that kill what is left of jobs, see jail.by_user
_LAST = 2**32 - 2


@dataclass(frozen=True, slots=True)
class UserAccount:
    """A user.

    Attributes:
        uid: Its number.
        gid: Group id.
        groups: Numbers of its other groups.
    """

    uid: int
    gid: int
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
    account = _named(settings.user, _BASE + settings.port)
    if account.uid in settings.users_of_jobs() or account.uid == _OF_KILLERS:
        raise StartError(
            f"--user {settings.user}: the user {account.uid} is kept for jobs (--jail-uid-base, "
            "--jail-uid-count); name another one"
        )
    return account


def _named(user: str, default: int) -> UserAccount:
    if user == AUTO_USER or user.isdecimal():
        number = default if user == AUTO_USER else int(user)
        if number > _LAST:
            raise StartError(f"--user {user}: there is no user with such a number")
        return UserAccount(number, number)
    try:
        entry = pwd.getpwnam(user)
    except KeyError:
        raise StartError(f"--user {user}: there is no such user") from None
    groups = os.getgrouplist(entry.pw_name, entry.pw_gid)
    return UserAccount(entry.pw_uid, entry.pw_gid, tuple(groups))
