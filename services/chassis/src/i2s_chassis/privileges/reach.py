"""Whether a user reaches what a service needs: its code, its files, folders for what it keeps."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from i2s_chassis.privileges.account import UserAccount
from i2s_chassis.privileges.child import ChildError, in_a_child


def code() -> Iterator[Path]:
    """Return what the interpreter reads: itself, where modules are looked for, and those that are loaded."""
    yield Path(sys.executable)
    yield from (Path(one) for one in (sys.prefix, sys.base_prefix, *sys.path, sys.argv[0]) if one)
    loaded = (getattr(module, "__file__", None) for module in list(sys.modules.values()))
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
