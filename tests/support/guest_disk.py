"""Disks of guests: images of what this machine has installed, and of this checkout.

A guest sees the same files as the machine outside, so that what it renders must be the same too. An image is
kept in .i2s/kernels under a name that is a digest of the paths, sizes and times of all its files.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib.metadata
import importlib.util
import json
import os
import re
import shutil
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import guest_foreign
from i2s_render_latex.state import open_index

ROOT = Path(__file__).resolve().parents[2]
CACHE = ROOT / ".i2s/kernels"
_MIB = 1024 * 1024
_FORMAT = b"3"  # of images; another one makes them anew
_DIGITS = 20  # of the digest in the name of an image

#: Debian packages, which come with all that they depend on.
_PACKAGES = (
    "bubblewrap", "perl", "python3", "mount", "procps", "libseccomp2",
    "texlive-latex-base", "texlive-latex-recommended", "texlive-latex-extra", "texlive-science",
    "texlive-pictures", "texlive-plain-generic", "texlive-fonts-recommended", "cm-super", "poppler-utils",
    "jekyll", "chromium-headless-shell", "fonts-liberation", "fonts-dejavu-core", "fonts-noto-core",
    "libatomic1",
)  # fmt: skip
#: Made on this machine by packages, and so in none of them.
_MADE_HERE = (
    "/etc/alternatives", "/etc/fonts", "/etc/group", "/etc/hosts", "/etc/ld.so.cache", "/etc/nsswitch.conf",
    "/etc/passwd", "/etc/shadow", "/etc/ssl/certs", "/etc/texmf", "/usr/local/share/fonts",
    "/usr/local/share/texmf", "/usr/share/fonts", "/usr/share/texlive", "/usr/share/texmf",
    "/var/cache/fontconfig", "/var/cache/i2s-render-latex/texindex.sqlite", "/var/lib/texmf",
)  # fmt: skip
_LATEX_STATE = Path("/var/cache/i2s-render-latex")
_LEFT_OUT = re.compile(r"/usr/share/(doc|man|info|locale|icons)/")
_LOCKS = ("sdk", "metrics", "render-latex", "render-html", "render-lilypond")
_OURS = ("protos", "chassis", "metrics", "render-latex", "render-html", "render-lilypond", "client", "sdk")
_OF_CHECKOUT = (
    "protos", "sdk", "services", "examples", "deploy/seccomp", "tests/security/jail", "tests/kernels",
)  # fmt: skip
#: What guests of another architecture have too: no index has a wheel of LilyPond for them.
_ONLY_FOREIGN = ("lilypond",)
_EMPTY = ("dev", "mnt", "proc", "root", "run", "sys", "tmp", "var/tmp")


class _Source(NamedTuple):
    """A file here that a guest has."""

    path: str
    about: os.stat_result


def system_disk(architecture: str) -> Path:
    """Return an image with the root of a guest: the system, the interpreter, and .venv less our packages.

    The index of the TeX tree is made before where it is missing or stale: a guest would need an hour for it.

    Args:
        architecture: Debian's name of the guest's architecture.
    """
    if open_index(_LATEX_STATE) is None:
        _printed(sys.executable, "-m", "i2s_render_latex", "index", "--state-dir", str(_LATEX_STATE))
    made_here = {file for folder in _MADE_HERE for file in _below(Path(folder))}
    if architecture != "amd64":
        return _image(f"system-{architecture}", _of_foreign_system(architecture, made_here), _EMPTY)
    files = {
        *_of_packages(),
        *_of_interpreter(),
        *_of_environment(),
        *_of_distributions(_locked()),
        *made_here,
    }
    return _image("system", _at_their_places(files), _EMPTY)


def checkout_disk() -> Path:
    """Return an image of this checkout and of our packages in .venv; its first program is guest/init."""
    _printed(sys.executable, str(ROOT / "tests/kernels/guest/examine.py"))
    for folder in _OF_CHECKOUT:  # what no Python can compile is of no use to a guest either
        subprocess.run([sys.executable, "-m", "compileall", "-q", str(ROOT / folder)], check=False)
    files = {path for folder in _OF_CHECKOUT for path in _below(ROOT / folder)}
    files.update(_of_distributions(f"i2s-{name}" for name in _OURS))
    return _image("checkout", _at_their_places(files), (), below=str(ROOT))


def _of_foreign_system(architecture: str, made_here: Iterable[str]) -> dict[str, str]:
    """Files of a system that this machine cannot run; paths here by name there."""
    folder = CACHE / architecture
    locks = [ROOT / "requirements" / f"{lock}.txt" for lock in _LOCKS]
    root, packages = guest_foreign.fetch(
        architecture, [*_essential(), *_PACKAGES, *_ONLY_FOREIGN], locks, folder
    )
    for path in (folder / "environment/bin/python", folder / "environment/pyvenv.cfg"):
        path.parent.mkdir(parents=True, exist_ok=True)
    (folder / "environment/pyvenv.cfg").write_text("home = /usr/bin\ninclude-system-site-packages = false\n")
    with contextlib.suppress(FileExistsError):
        (folder / "environment/bin/python").symlink_to("/usr/bin/python3")
    site = f"{sys.prefix}/lib/python{guest_foreign.PYTHON}/site-packages"
    return {
        **_at_their_places(set(made_here) - {"/etc/ld.so.cache"}),
        **_at_their_places(_files_of(packages)),
        **{guest_foreign.with_merged_usr(name): path for name, path in guest_foreign.files_below(root)},
        **{sys.prefix + name: path for name, path in guest_foreign.files_below(folder / "environment")},
        **{site + name: path for name, path in guest_foreign.files_below(folder / "site-packages")},
    }


def _at_their_places(files: Iterable[str]) -> dict[str, str]:
    """Files that a guest has where this machine has them, and their byte code; paths here by name there."""
    # A package lists /bin/sh where the system has /usr/bin/sh.
    return {
        os.path.join(os.path.realpath(os.path.dirname(file)), os.path.basename(file)): file
        for file in _with_byte_code(files)
    }


def _essential() -> list[str]:
    shown = _printed("dpkg-query", "--show", "--showformat=${Essential} ${Package}\n")
    return [line.split()[1] for line in shown.splitlines() if line.startswith("yes ")]


def _of_packages() -> Iterator[str]:
    wanted = [*_PACKAGES, *_essential()]
    without = ("recommends", "suggests", "conflicts", "breaks", "replaces", "enhances")
    options = ("--recurse", "--installed", *(f"--no-{kind}" for kind in without))
    depended_on = _printed("apt-cache", "depends", *options, *wanted)
    names = {line for line in depended_on.splitlines() if re.match("[a-z0-9]", line)}
    installed = _printed("dpkg-query", "--show", "--showformat=${db:Status-Abbrev}${binary:Package}\n")
    chosen = [
        name
        for name in (line[3:].strip() for line in installed.splitlines() if line.startswith("ii "))
        if name.partition(":")[0] in names
    ]
    yield from _files_of(chosen)


def _files_of(packages: Iterable[str]) -> Iterator[str]:
    for line in _printed("dpkg-query", "--listfiles", *packages).splitlines():
        if line.startswith("/") and not _LEFT_OUT.match(line):
            yield line


def _of_interpreter() -> Iterator[str]:
    """The interpreter of .venv, where no package has it."""
    base, version = Path(sys.base_prefix), f"python{sys.version_info.major}.{sys.version_info.minor}"
    library = base / "lib" / version
    path = Path(sys.executable)
    while path.is_symlink():
        yield str(path)
        path = path.parent / path.readlink()
    yield str(path)
    yield from map(str, (base / "lib").glob("libpython*"))
    unneeded = {library / name for name in ("test", "site-packages", "idlelib", "ensurepip")}
    yield from _below(library, unneeded | set(library.glob("config-*")))


def _of_environment() -> Iterator[str]:
    """The interpreter of .venv, and nothing that is installed there."""
    environment = Path(sys.prefix)
    yield str(environment / "pyvenv.cfg")
    yield str(environment / "lib64")
    yield from map(str, (environment / "bin").glob("python*"))


def _locked() -> Iterator[str]:
    """Names of the packages that an evaluation needs."""
    for lock in _LOCKS:
        text = (ROOT / "requirements" / f"{lock}.txt").read_text()
        yield from re.findall(r"^([A-Za-z0-9._-]+)==", text, re.MULTILINE)


def _of_distributions(names: Iterable[str]) -> Iterator[str]:
    for name in names:
        try:
            distribution = importlib.metadata.distribution(name)
        except importlib.metadata.PackageNotFoundError:  # for other systems
            continue
        for file in distribution.files or ():
            yield os.path.normpath(str(distribution.locate_file(file)))


def _below(path: Path, without: Iterable[Path] = ()) -> Iterator[str]:
    """A path, and all that lies below it."""
    unwanted = set(map(str, without))
    if path.exists():
        yield str(path)
    for folder, folders, files in os.walk(path):
        folders[:] = [name for name in folders if os.path.join(folder, name) not in unwanted]
        for name in (*folders, *files):
            yield os.path.join(folder, name)


def _printed(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def _image(kind: str, files: Mapping[str, str], empty: Iterable[str], below: str = "/") -> Path:
    """Return an image that holds the files, made where it is not there; older ones of its kind go.

    Args:
        kind: Its name begins so.
        files: Paths here by name in the guest; those that are not here are left out.
        empty: Folders that it has too.
        below: Folder of the guest that it holds.
    """
    digest, used = hashlib.sha256(_FORMAT), 0
    present: dict[str, _Source] = {}
    for name, path in sorted(files.items()):
        with contextlib.suppress(FileNotFoundError):
            present[name] = _Source(path, os.lstat(path))
    for name, (path, about) in present.items():
        target = os.readlink(path) if stat.S_ISLNK(about.st_mode) else ""
        facts = () if stat.S_ISDIR(about.st_mode) else (about.st_size, about.st_mtime_ns)
        digest.update(repr((name, about.st_mode, facts, target)).encode())
        used += about.st_size
    image = CACHE / f"{kind}-{digest.hexdigest()[:_DIGITS]}.ext4"
    if image.exists():
        return image
    CACHE.mkdir(parents=True, exist_ok=True)
    for old in CACHE.glob(f"{kind}-{'?' * _DIGITS}.ext4"):
        old.unlink()
    with tempfile.TemporaryDirectory(prefix="staged-", dir=CACHE) as name:
        stage, made = Path(name) / "root", Path(name) / "image"
        _stage(stage, present, empty, below)
        size = used * 6 // 5 // _MIB + 64
        _printed(
            *("mke2fs", "-q", "-t", "ext4", "-O", "^has_journal", "-m", "0", "-E", "lazy_itable_init=1"),
            *("-N", str(2 * len(present) + 4096), "-d", str(stage), str(made), f"{size}M"),
        )
        made.rename(image)
    return image


def _with_byte_code(files: Iterable[str]) -> set[str]:
    """Add the byte code of Python files, which a guest would need minutes for, each time a process starts."""
    chosen = set(files)
    return chosen | {importlib.util.cache_from_source(name) for name in chosen if name.endswith(".py")}


def _stage(stage: Path, present: Mapping[str, _Source], empty: Iterable[str], below: str) -> None:
    """Lay files out under a folder, links where the file systems permit, so that nothing is copied twice."""
    stage.mkdir(mode=0o755)
    if below == "/":
        for name in ("bin", "sbin", "lib", "lib32", "lib64", "libx32"):
            if os.path.islink(f"/{name}"):
                (stage / name).symlink_to(os.readlink(f"/{name}"))
    for folder in empty:
        (stage / folder.lstrip("/")).mkdir(parents=True, exist_ok=True)
    for name, (path, about) in present.items():
        to = stage / os.path.relpath(name, below)
        if stat.S_ISDIR(about.st_mode):
            to.mkdir(parents=True, exist_ok=True)
        elif stat.S_ISLNK(about.st_mode) or stat.S_ISREG(about.st_mode):
            to.parent.mkdir(parents=True, exist_ok=True)
            _put(path, to, about)
    _write_times(stage, present)
    for name in reversed(list(present)):  # the index of the TeX tree knows its folders by their times
        about = present[name].about
        if stat.S_ISDIR(about.st_mode):
            times = (about.st_atime_ns, about.st_mtime_ns)
            # Not their modes: the interpreter may lie in a home that is closed to others.
            os.utime(stage / os.path.relpath(name, below), ns=times)


def _write_times(stage: Path, present: Mapping[str, _Source]) -> None:
    """Write times that are no whole seconds: mke2fs cuts them off, and some caches are good for one time.

    Not of packages from elsewhere, which are most files and have no such cache.
    """
    times = {
        name: about.st_mtime_ns
        for name, (_, about) in present.items()
        if stat.S_ISREG(about.st_mode) and about.st_mtime_ns % 10**9 and "/site-packages/" not in name
    }
    (stage / "times.json").write_text(json.dumps(times))


def _put(path: str, to: Path, about: os.stat_result) -> None:
    if to.is_symlink() or to.exists():
        return
    if stat.S_ISLNK(about.st_mode):
        to.symlink_to(os.readlink(path))
        return
    try:
        os.link(path, to)
    except OSError:  # of another file system, or not ours
        shutil.copy2(path, to)
