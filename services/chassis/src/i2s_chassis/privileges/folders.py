"""The folders that a service writes to, made for the user that it becomes."""

from __future__ import annotations

import contextlib
import os
import stat
from pathlib import Path

from i2s_chassis.privileges.account import UserAccount


def prepare(folder: Path, account: UserAccount, *, is_ours: bool) -> None:
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
