"""Removing folders that a hostile program has filled."""

from __future__ import annotations

import contextlib
import errno
import os
import stat


def remove_tree(path: str, dir_fd: int | None = None) -> None:
    """Remove a folder that a hostile program has filled: deep, closed to us, or full of links.

    Folders are emptied one level at a time by moving what they hold to the top, so that neither
    the depth of the tree nor the length of its paths matters. What is mounted below the folder stays.
    Never raises; what cannot be removed stays.

    Args:
        path: Path of the folder.
        dir_fd: Folder that a relative path begins at.
    """
    with contextlib.suppress(OSError):
        os.chmod(path, 0o700, dir_fd=dir_fd)
        top = open_folder(path, dir_fd)
        try:
            empty_folder(top)
        finally:
            os.close(top)
        os.rmdir(path, dir_fd=dir_fd)


def empty_folder(top: int) -> None:
    """Remove everything in a folder; what cannot be removed stays.

    Args:
        top: Descriptor of the folder.
    """
    number = 0
    while names := os.listdir(top):
        removed = 0
        for name in names:
            with contextlib.suppress(OSError):
                try:
                    os.unlink(name, dir_fd=top)
                except (IsADirectoryError, PermissionError):
                    number = _lift(top, name, number)
                    os.rmdir(name, dir_fd=top)
                removed += 1
        if not removed:
            return


def open_folder(name: str, dir_fd: int | None = None) -> int:
    """Open a folder that is no link to one.

    Without O_DIRECTORY: gVisor of 2022 follows a link in spite of O_NOFOLLOW if both are given.

    Raises:
        OSError: It is a link, or no folder.
    """
    fd = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=dir_fd)
    if not stat.S_ISDIR(os.fstat(fd).st_mode):
        os.close(fd)
        raise NotADirectoryError(errno.ENOTDIR, f"{name} is no folder")
    return fd


def _lift(top: int, name: str, number: int) -> int:
    """Move everything in the folder ``name`` one level up, under names of ours."""
    _open_to_us(top, name)
    folder = open_folder(name, top)
    try:
        for inner in os.listdir(folder):
            number += 1
            _open_to_us(folder, inner)
            os.rename(inner, f".i2s-{os.getpid()}-{number}", src_dir_fd=folder, dst_dir_fd=top)
    finally:
        os.close(folder)
    return number


def _open_to_us(parent: int, name: str) -> None:
    """Give ourselves the rights on a folder that its maker has taken away; links are left alone.

    Raises:
        OSError: Another file system is mounted there.
    """
    found = os.lstat(name, dir_fd=parent)
    if found.st_dev != os.fstat(parent).st_dev:
        raise OSError(errno.EXDEV, f"{name} is on another file system")
    if stat.S_ISDIR(found.st_mode):
        os.chmod(name, 0o700, dir_fd=parent)
