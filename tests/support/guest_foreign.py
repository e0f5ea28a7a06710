"""The system of guests with another architecture: Debian's packages and wheels that no machine here runs.

They are fetched once into .i2s/kernels/ARCHITECTURE, with this machine's apt and uv. A package that is for
all architectures is not fetched where this machine has the same version installed: its files are taken.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from urllib.parse import unquote

#: Names of the architectures in wheels, by Debian's.
_OF_WHEELS = {"arm64": "aarch64"}
#: The Python of the system: .venv is made with that of this machine, whose Debian the packages are from.
PYTHON = f"{sys.version_info.major}.{sys.version_info.minor}"
_FORMAT = "2"  # of what is kept; another one fetches anew


def fetch(
    architecture: str, packages: Sequence[str], locks: Sequence[Path], folder: Path
) -> tuple[Path, tuple[str, ...]]:
    """Fetch a system where it is not there.

    Args:
        architecture: Debian's name of it.
        packages: Debian packages, which come with all that they depend on.
        locks: Requirements of Python packages.
        folder: Where it is kept.

    Returns:
        The root of the system, with the folder site-packages beside it, and the packages of this machine
        whose files it has too.
    """
    facts = (_FORMAT, *packages, *(path.read_text() for path in locks))
    key = hashlib.sha256(repr(facts).encode()).hexdigest()
    kept, here = folder / "key", folder / "packages-of-this-machine"
    if not kept.exists() or kept.read_text() != key:
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        here.write_text("\n".join(_fetch_packages(architecture, packages, folder / "root")))
        _fetch_wheels(architecture, locks, folder / "site-packages")
        _compile(folder / "root/usr/lib")
        kept.write_text(key)
    return folder / "root", tuple(here.read_text().splitlines())


def files_below(root: Path) -> Iterator[tuple[str, str]]:
    """All that lies below a folder: names that begin there, and paths."""
    for folder, folders, files in os.walk(root):
        for name in (*folders, *files):
            path = os.path.join(folder, name)
            yield "/" + os.path.relpath(path, root), path


def with_merged_usr(name: str) -> str:
    """Return where a file lies in a system whose /bin, /sbin and /lib are links to those of /usr."""
    return re.sub(r"^/(s?bin|lib)(/|$)", r"/usr/\1\2", name)


def _fetch_packages(architecture: str, packages: Sequence[str], root: Path) -> list[str]:
    """Unpack packages into a root; returns those of this machine that are in it too."""
    of_this_machine = _installed_for_all()
    with tempfile.TemporaryDirectory(prefix="i2s-foreign-") as name:
        options = apt_options(architecture, Path(name))
        _run("apt-get", *options, "update")
        needed = _run(
            "apt-get", *options, "install", "--no-install-recommends", "--print-uris", "-qq", *packages
        )
        chosen, here = [], []
        for file in re.findall(r"^'.*' (\S+\.deb) ", needed, re.MULTILINE):
            package, version, kind = unquote(file).removesuffix(".deb").split("_")
            if kind == "all" and of_this_machine.get(package) == version:
                here.append(package)
            else:
                chosen.append(f"{package}={version}")
        place = Path(name) / "packages"
        _run("apt-get", *options, "download", *chosen, folder=place)
        for package_file in sorted(place.glob("*.deb")):
            _run("dpkg-deb", "--extract", str(package_file), str(root))
    return here


def apt_options(architecture: str, folder: Path) -> list[str]:
    """Return options with which apt knows the sources of this machine, and a system without any package.

    Args:
        architecture: Debian's name of it.
        folder: An empty folder for its indexes; ``packages`` in it is one that apt's own user may write to.
    """
    folder.chmod(0o755)
    for place in ("lists/partial", "cache/archives/partial", "packages"):
        (folder / place).mkdir(parents=True)
    (folder / "packages").chmod(0o777)
    (folder / "status").touch()
    options = (
        f"APT::Architecture={architecture}",
        f"APT::Architectures={architecture}",
        f"Dir::State::Lists={folder}/lists",
        f"Dir::State::status={folder}/status",
        f"Dir::Cache={folder}/cache",
        "Acquire::Languages=none",
    )
    return [word for option in options for word in ("-o", option)]


def _installed_for_all() -> dict[str, str]:
    shown = _run(
        "dpkg-query", "--show", "--showformat=${Architecture} ${db:Status-Abbrev} ${Package} ${Version}\n"
    )
    return dict(re.findall(r"^all ii +(\S+) (\S+)$", shown, re.MULTILINE))


def _fetch_wheels(architecture: str, locks: Iterable[Path], folder: Path) -> None:
    words = [word for lock in locks for word in ("-r", str(lock))]
    _run(
        *(str(Path(sys.executable).parent / "uv"), "pip", "install", "--quiet", "--target", str(folder)),
        *("--python-platform", f"{_OF_WHEELS[architecture]}-manylinux_2_36", "--python-version", PYTHON),
        *("--no-deps", "--only-binary", ":all:", "--require-hashes", *words),
    )
    _compile(folder)


def _compile(folder: Path) -> None:
    """Compile Python files, as far as they can be; a guest would need minutes for it."""
    command = [sys.executable, "-m", "compileall", "-q", str(folder)]
    subprocess.run(command, capture_output=True, check=False)


def _run(*command: str, folder: Path | None = None) -> str:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command[:3])} failed: {done.stderr.strip()[-600:]}")
    return done.stdout
