"""Removes the work folders of the user that a service became, if that service was killed."""

from __future__ import annotations

import logging
import os
import signal
import tempfile
from pathlib import Path

from i2s_chassis.jail import syscalls
from i2s_chassis.privileges.account import UserAccount, account_of
from i2s_chassis.privileges.child import ChildError, in_a_child
from i2s_chassis.privileges.drop import TEMPORARY, usual_temporary_folder
from i2s_chassis.settings import ServiceSettings
from i2s_chassis.work_folder import remove_stale

_log = logging.getLogger(__name__)


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
