"""Removal of packages and files from the root file system of an image that is being built."""

from __future__ import annotations

import shutil
import stat
from collections.abc import Collection, Iterator
from pathlib import Path

from finish.debian import DATABASE, INVENTORY, DebianPackage, files_of, installed_packages, needed_packages

#: What every image is made for, beside the packages that its recipe names.
ALWAYS = (
    "base-files",
    "base-passwd",
    "ca-certificates",
    "coreutils",
    "dash",
    "findutils",
    "grep",
    "libc-bin",
    # Python wheels may expect these three of every system.
    "libgcc-s1",
    "libstdc++6",
    "zlib1g",
    "python3",
    "sed",
    "tzdata",
)
#: What others depend on for their installation, not for their work: package tools, Perl, and whatever changes
#: users, mounts or privileges.
WITHOUT = (
    "adduser",
    "apt",
    "debconf",
    "dpkg",
    "init-system-helpers",
    "login",
    "mawk",
    "mount",
    "openssl",
    "passwd",
    "perl",
    "perl-base",
    "sensible-utils",
    "sgml-base",
    "shared-mime-info",
    "ucf",
    "util-linux",
    "xdg-utils",
    "xml-core",
)
#: Pillow's support of AVIF, of no use in an image whose programs read images as PNG, JPEG or WebP alone.
AVIF = (
    "opt/i2s/venv/lib/python3*/site-packages/PIL/_avif*",
    "opt/i2s/venv/lib/python3*/site-packages/pillow.libs/libavif*",
)
#: What nothing reads in a container.
_RUBBISH = (
    "usr/share/man",
    "usr/share/info",
    "usr/share/locale",
    "usr/share/lintian",
    "usr/share/bug",
    "usr/share/bash-completion",
    "usr/share/doc-base",
    "usr/share/applications",
    "usr/share/icons",
    "usr/share/menu",
    "usr/share/pixmaps",
    "usr/include",
    "usr/lib/**/*.a",
    "var/cache/apt",
    "var/cache/debconf",
    "var/cache/ldconfig",
    "var/lib/apt",
    "var/log/*",
    "etc/apt",
    "etc/dpkg",
)
#: Character sets of iconv that stay, beside those that glibc has built in (UTF-8, UCS and ASCII). Python,
#: Ruby, Node.js and Chromium convert texts themselves.
_CHARACTER_SETS = ("ISO8859-1", "ISO8859-15", "CP1252", "UTF-7", "UTF-16", "UTF-32", "UNICODE")
_CONVERTERS = ("usr/lib/x86_64-linux-gnu/gconv", "usr/lib/aarch64-linux-gnu/gconv")
#: Folders with links that are of use only as long as their target exists.
_LINKED = ("etc/alternatives", "usr/bin", "usr/sbin", "usr/lib/x86_64-linux-gnu", "usr/lib/aarch64-linux-gnu")


def remove_unneeded(
    root: Path, wanted: Collection[str], without: Collection[str], globs: Collection[str]
) -> None:
    """Leave the packages that an image is made for, and what they depend on.

    The database of dpkg becomes an inventory without file lists, in the form that scanners read.

    Args:
        root: The root file system.
        wanted: Names of the packages that the image is made for, beside ALWAYS.
        without: Names of packages that are not needed there, although others depend on them, beside WITHOUT.
        globs: Paths, relative to the root, that are removed although their packages stay.

    Raises:
        KeyError: A wanted package is not installed.
        FileNotFoundError: No file matches one of the globs.
    """
    packages = installed_packages(root)
    left = needed_packages(packages, {*ALWAYS, *wanted}, {*WITHOUT, *without})
    shared = {path for name in left for path in files_of(root, packages[name])}
    for name in packages.keys() - left:
        # Links such as /bin belong to no package, although packages list what they have below them.
        _remove_files([path for path in files_of(root, packages[name]) if path.parent != root], shared)
    for glob in globs:
        paths = list(root.glob(glob))
        if not paths:
            raise FileNotFoundError(f"nothing matches {glob!r}; remove it from the recipe of the image")
        for path in paths:
            _remove(path)
    for glob in _RUBBISH:
        for path in root.glob(glob):
            _remove(path)
    for path in (root / "usr/share/doc").rglob("*"):
        if not path.is_dir() and path.name != "copyright":
            path.unlink()
    _remove_converters(root)
    _remove_dangling_links(root)
    _write_inventory(root, [packages[name] for name in sorted(left)])


def clear_privileges(root: Path) -> None:
    """Take the setuid and the setgid bit from every file."""
    for path in everything_below(root):
        mode = path.lstat().st_mode
        if stat.S_ISREG(mode) and mode & (stat.S_ISUID | stat.S_ISGID):
            path.chmod(stat.S_IMODE(mode) & ~(stat.S_ISUID | stat.S_ISGID))


def everything_below(folder: Path) -> Iterator[Path]:
    """Yield the files, links and folders below a folder, without what is mounted there."""
    device = folder.lstat().st_dev
    pending = [folder]
    while pending:
        for path in pending.pop().iterdir():
            yield path
            if path.is_dir() and not path.is_symlink() and path.lstat().st_dev == device:
                pending.append(path)


def _remove_files(paths: Collection[Path], shared: Collection[Path]) -> None:
    """Remove files, and the folders that are empty then; what packages that stay have too is left."""
    folders = []
    for path in paths:
        if path in shared:
            continue
        if path.is_dir() and not path.is_symlink():
            folders.append(path)
        else:
            path.unlink(missing_ok=True)
    for folder in sorted(folders, reverse=True):
        if not any(folder.iterdir()):
            folder.rmdir()


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def _remove_converters(root: Path) -> None:
    """Remove the modules of iconv that convert character sets which nothing in a container reads."""
    for folder in _CONVERTERS:
        for path in (root / folder).glob("*.so"):
            if path.stem not in _CHARACTER_SETS:
                path.unlink()


def _remove_dangling_links(root: Path) -> None:
    """Remove links to programs and libraries that do not exist any more, also those over several links."""
    links = [path for folder in _LINKED if (root / folder).is_dir() for path in (root / folder).iterdir()]
    for path in links:
        if path.is_symlink() and not _exists(root, path):
            path.unlink()


def _exists(root: Path, path: Path) -> bool:
    """Return whether a link leads to something, seen from inside of the root file system."""
    for _ in range(40):
        if not path.is_symlink():
            return path.exists()
        target = path.readlink()
        path = root / str(target).lstrip("/") if target.is_absolute() else path.parent / target
    return False


def _write_inventory(root: Path, packages: Collection[DebianPackage]) -> None:
    shutil.rmtree(root / DATABASE)
    (root / INVENTORY).mkdir(parents=True)
    for package in packages:
        (root / INVENTORY / package.name).write_text(f"{package.stanza}\n", encoding="utf-8")
