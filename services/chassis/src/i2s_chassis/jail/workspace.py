"""The work folder of a cell: made, bounded, written to and read from without trusting it, and removed.

If a private mount can be had the folder is a tmpfs of its own, so that the kernel holds
both bounds, bytes and inodes, and nothing is left when the cell ends. Elsewhere it is a plain
folder that the supervisor measures while the job runs.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Iterator

from i2s_chassis.jail import syscalls
from i2s_chassis.jail.errors import OutputError, OutputReason
from i2s_chassis.jail.model import Excerpt, Fill
from i2s_chassis.job_limits import Limits

_RESOLVE = (
    syscalls.RESOLVE_BENEATH
    | syscalls.RESOLVE_NO_SYMLINKS
    | syscalls.RESOLVE_NO_MAGICLINKS
    | syscalls.RESOLVE_NO_XDEV
)
_BLOCK = 512  # unit of st_blocks
_DEEPEST = os.pathconf("/", "PC_PATH_MAX") - 1  # bytes of a path that can be opened
_MOST_PARTS = 64  # of a path that is opened one part at a time, which costs the square of them for a walk


class Workspace:
    """A work folder, seen from outside of the jail.

    Attributes:
        path: Where it lies in the supervisor's view of the file system.
        mounted: Whether it is a tmpfs of its own.
    """

    def __init__(self, path: str, owner: int, limits: Limits, *, mounted: bool) -> None:
        """Make the folder.

        Args:
            path: Does not exist yet.
            owner: User that jobs run as.
            limits: The limits, of which the bounds on disk, inodes and the size of one file apply.
            mounted: Mount a tmpfs; needs a private mount namespace.

        Raises:
            OSError: It cannot be made.
        """
        self.path = path
        self.mounted = mounted
        self._owner = owner
        os.mkdir(path, 0o700)
        self._bound(limits, 0)
        self._give(path)
        self._fd = os.open(path, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
        self._by_parts = not _opens_beneath(self._fd)

    def _bound(self, limits: Limits, mount_flags: int) -> None:
        self._disk_bytes = limits.disk_bytes
        self._file_bytes = limits.file_bytes
        self._inodes = limits.inodes
        if self.mounted:
            flags = syscalls.MS_NOSUID | syscalls.MS_NODEV | syscalls.MS_NOEXEC | mount_flags
            # The root of the mount takes one inode itself.
            options = f"size={limits.disk_bytes},nr_inodes={limits.inodes + 1},mode=0700"
            syscalls.mount("i2s", self.path, "tmpfs", flags, options)

    def renew(self, limits: Limits) -> None:
        """Make the folder what it was when it was new, with other bounds. Nobody may use it now.

        Raises:
            OSError: Something cannot be removed.
        """
        os.chmod(self.path, 0o700)  # a job may have closed it, to us too where we have its user
        top = open_folder(self.path)
        try:
            empty_folder(top)
            if os.listdir(top):
                raise OSError(errno.ENOTEMPTY, f"{self.path} cannot be emptied")
        finally:
            os.close(top)
        self._bound(limits, syscalls.MS_REMOUNT)

    def _give(self, target: str | int) -> None:
        if os.geteuid() == 0:
            os.chown(target, self._owner, self._owner)

    def write(self, name: str, content: bytes) -> None:
        """Write a file, replacing what has that name.

        Raises:
            OSError: The name leads out of the folder or through something irregular, or the
                folder is full.
        """
        folder, _, leaf = name.rpartition("/")
        folder_fd = self._make_folders(folder)
        try:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(leaf, dir_fd=folder_fd)
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
            fd = os.open(leaf, flags, 0o600, dir_fd=folder_fd)
            with open(fd, "wb") as file:
                file.write(content)
                self._give(file.fileno())
        finally:
            os.close(folder_fd)

    def _make_folders(self, folder: str) -> int:
        """Make a folder and its parents; returns a descriptor of the last."""
        current = self._open(".", os.O_RDONLY | os.O_DIRECTORY)
        for part in filter(None, folder.split("/")):
            try:
                with contextlib.suppress(FileExistsError):
                    os.mkdir(part, 0o700, dir_fd=current)
                below = _open_beneath(current, part, os.O_RDONLY | os.O_DIRECTORY)
                self._give(below)
            finally:
                os.close(current)
            current = below
        return current

    def _open(self, name: str, flags: int) -> int:
        return _open_beneath(self._fd, name, flags)

    def open(self, name: str) -> int:
        """Open a regular file of the job for reading; returns the descriptor.

        Raises:
            OutputError: It is missing or irregular.
        """
        return self._open_regular(name)

    def excerpt(self, name: str, head: int, tail: int) -> Excerpt:
        """Return the first and last bytes of a regular file of the job.

        Raises:
            OutputError: It is missing or irregular.
        """
        fd = self._open_regular(name)
        with open(fd, "rb") as file:
            size = os.fstat(fd).st_size
            if size <= head + tail:
                return Excerpt(file.read(head + tail), b"", size)
            first = file.read(head)
            file.seek(size - tail)
            return Excerpt(first, file.read(tail), size)

    def _open_regular(self, name: str) -> int:
        try:
            fd = self._open(name, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW)
        except OSError as error:
            if error.errno in (errno.ENOENT, errno.ENOTDIR):
                raise OutputError(name, OutputReason.MISSING) from None
            raise OutputError(name, OutputReason.IRREGULAR) from error
        info = os.fstat(fd)
        ours = info.st_uid in (self._owner, os.geteuid())
        if not stat.S_ISREG(info.st_mode) or info.st_nlink != 1 or not ours:
            os.close(fd)
            raise OutputError(name, OutputReason.IRREGULAR)
        return fd

    def files(self) -> dict[str, int]:
        """Return the regular files by relative path, with their sizes; nothing is followed."""
        return {path: info.st_size for path, info in self._walk() if stat.S_ISREG(info.st_mode)}

    def irregular(self) -> list[str]:
        """Return the paths of links, devices, pipes and sockets."""
        return [
            path
            for path, info in self._walk()
            if not stat.S_ISREG(info.st_mode) and not stat.S_ISDIR(info.st_mode)
        ]

    def _walk(self) -> Iterator[tuple[str, os.stat_result]]:
        budget = 2 * self._inodes + 10  # a plain folder may be over its bound for a moment
        pending = [""]
        while pending and budget > 0:
            folder = pending.pop()
            try:
                fd = self._open(folder or ".", os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
            except OSError:
                continue  # removed, or made unreadable, meanwhile
            try:
                with os.scandir(fd) as entries:
                    for entry in entries:
                        budget -= 1
                        path = f"{folder}/{entry.name}" if folder else entry.name
                        try:
                            info = entry.stat(follow_symlinks=False)
                        except OSError:
                            continue
                        if stat.S_ISDIR(info.st_mode) and not self._too_deep(path):
                            pending.append(path)
                        yield path, info
                        if budget <= 0:
                            break
            finally:
                os.close(fd)

    def fill(self) -> Fill:
        """Return how full the folder is. A plain folder is walked, so this costs time.

        A plain folder that is too deep to look into counts as full.
        """
        if self.mounted:
            mount = os.statvfs(self.path)
            return Fill(
                (mount.f_blocks - mount.f_bfree) * mount.f_frsize,
                mount.f_files - mount.f_ffree - 1,
            )
        used_bytes = used_inodes = 0
        for path, info in self._walk():
            used_bytes += info.st_blocks * _BLOCK
            used_inodes += 1
            if self._too_deep(path):
                used_inodes = self._inodes + 1
                break
        return Fill(used_bytes, used_inodes)

    def _too_deep(self, path: str) -> bool:
        return len(os.fsencode(path)) >= _DEEPEST or (self._by_parts and path.count("/") >= _MOST_PARTS)

    def full(self) -> bool:
        """Whether the folder has reached one of its bounds."""
        fill = self.fill()
        if self.mounted:
            # The kernel refuses what would pass the bound, so the bound itself is never passed.
            page = os.sysconf("SC_PAGE_SIZE")
            return fill.used_bytes + page > self._disk_bytes or fill.used_inodes >= self._inodes
        return fill.used_bytes > self._disk_bytes or fill.used_inodes > self._inodes

    def at_a_bound(self) -> bool:
        """Whether the folder is full or a file in it has the greatest size."""
        return self.full() or any(size >= self._file_bytes for size in self.files().values())

    def remove(self) -> None:
        """Remove the folder and all in it."""
        os.close(self._fd)
        if self.mounted:
            syscalls.umount(self.path)
        remove_tree(self.path)


def _opens_beneath(dir_fd: int) -> bool:
    """Whether the kernel itself keeps a path below a folder (openat2)."""
    try:
        os.close(syscalls.openat2(dir_fd, ".", os.O_PATH, _RESOLVE))
    except OSError as error:
        return error.errno != errno.ENOSYS
    return True


def _open_beneath(dir_fd: int, name: str, flags: int) -> int:
    """Open a file below a folder without following any link or leaving the folder."""
    try:
        return syscalls.openat2(dir_fd, name, flags, _RESOLVE)
    except OSError as error:
        if error.errno != errno.ENOSYS:
            raise
    return _open_by_parts(dir_fd, name, flags)


def _open_by_parts(dir_fd: int, name: str, flags: int) -> int:
    """Do what openat2 does, one part at a time, for kernels (and gVisor) without it."""
    parts = [part for part in name.split("/") if part not in ("", ".")]
    if name.startswith("/") or ".." in parts:
        raise OSError(errno.EXDEV, f"{name} leads out of the work folder")
    current = os.open(".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=dir_fd)
    for place, part in enumerate(parts):
        folder = place < len(parts) - 1 or flags & os.O_DIRECTORY
        try:
            if folder:
                below = open_folder(part, current)
            else:
                below = os.open(part, flags | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=current)
        finally:
            os.close(current)
        current = below
    return current


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
    """Open a folder that is not a link to one.

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
    status = os.lstat(name, dir_fd=parent)
    if status.st_dev != os.fstat(parent).st_dev:
        raise OSError(errno.EXDEV, f"{name} is on another file system")
    if stat.S_ISDIR(status.st_mode):
        os.chmod(name, 0o700, dir_fd=parent)
