"""Who may write where: what is said of a folder that another user owns."""

from __future__ import annotations

import os
from pathlib import Path


def ownership(path: Path | str) -> str:
    """Return who owns what denies access to a path, who this process is, and what to do; empty if not known.

    Args:
        path: What cannot be read or written. If it does not exist, its nearest parent that does decides.
    """
    place = _nearest(Path(path))
    if place is None:
        return ""
    try:
        found = place.stat()
    except OSError:
        return ""
    user, group, mode = os.geteuid(), os.getegid(), f"{found.st_mode & 0o7777:o}"
    if found.st_uid == user:
        return f"{place} belongs to this process (uid {user}) and has mode {mode}; chmod it"
    return (
        f"{place} belongs to uid {found.st_uid} and gid {found.st_gid} (mode {mode}), and this process is "
        f"uid {user} and gid {group}; as its owner or as root give: chown {user}:{group} {place}"
    )


def _nearest(path: Path) -> Path | None:
    """Return the nearest of a path and its parents that denies this process something."""
    for one in (path.absolute(), *path.absolute().parents):
        try:
            one.lstat()
        except FileNotFoundError:
            continue
        except OSError:  # a parent of it denies the search
            continue
        return one
    return None
