"""The installation: CPython, the libraries that programs may import, fonts; their versions and digest."""

from __future__ import annotations

import glob
import os
import platform
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from importlib.metadata import Distribution, PackageNotFoundError, distribution, version
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from i2s_chassis.errors import StartError
from i2s_chassis.renderer.start_checks import (
    check_readable_by_jobs,
    listed_files,
    listings_digest,
    versions_digest,
)
from i2s_chassis.warm.python_worker import ENVIRONMENT as PLAIN
from i2s_chassis.warm.python_worker import INSIDE as ZYGOTE
from i2s_chassis.warm.python_worker import outside_usr
from i2s_wire.installation import install_command

PACKAGE = "i2s-render-python"
EXTRA = "libraries"
_OF_THE_SERVICE = frozenset({"time-machine"})
_NO_MODULES = frozenset({"bin", "__pycache__", ".."})


@dataclass(frozen=True, slots=True)
class Libraries:
    """The libraries that programs may import."""

    #: Version of each distribution, by its name, in alphabetical order.
    versions: Mapping[str, str]
    #: Modules, packages, folders of shared objects and metadata, by their names.
    entries: Mapping[str, Path]
    #: The distributions that are for programs, without those that these depend on.
    named: tuple[str, ...]


def find_libraries() -> Libraries:
    """Return the libraries that are installed.

    Raises:
        StartError: One of them is not; says how to install them.
    """
    distributions: dict[str, Distribution] = {}
    pending = [one for one in _requirements(distribution(PACKAGE)) if _is_of_extra(one, EXTRA)]
    named = {canonicalize_name(requirement.name) for requirement in pending} - _OF_THE_SERVICE
    while pending:
        requirement = pending.pop()
        name = canonicalize_name(requirement.name)
        if name in distributions:
            continue
        try:
            distributions[name] = distribution(name)
        except PackageNotFoundError:
            command = install_command(f"{PACKAGE}[{EXTRA}]")
            raise StartError(f"the library {name} is not installed; install it with: {command}") from None
        pending += (one for one in _requirements(distributions[name]) if _is_wanted(one, requirement.extras))
    versions = {name: distributions[name].version for name in sorted(distributions)}
    entries = {entry: path for name in versions for entry, path in _entries(distributions[name])}
    return Libraries(versions, dict(sorted(entries.items())), tuple(sorted(named)))


def _requirements(library: Distribution) -> list[Requirement]:
    return [Requirement(text) for text in library.requires or ()]


def _is_of_extra(requirement: Requirement, extra: str) -> bool:
    marker = requirement.marker
    return marker is not None and marker.evaluate({"extra": extra}) and not marker.evaluate({"extra": ""})


def _is_wanted(requirement: Requirement, extras: set[str]) -> bool:
    marker = requirement.marker
    return marker is None or any(marker.evaluate({"extra": extra}) for extra in ("", *extras))


def _entries(library: Distribution) -> Iterator[tuple[str, Path]]:
    names = {file.parts[0] for file in library.files or ()} - _NO_MODULES
    for name in sorted(names):
        path = Path(str(library.locate_file(name))).resolve()
        if path.exists() and not name.endswith(".pth"):
            yield name, path


def readable(libraries: Libraries) -> tuple[Path, ...]:
    """Return what programs must be able to read of the libraries, outside of /usr."""
    paths = sorted(set(libraries.entries.values()))
    return tuple(path for path in paths if not path.is_relative_to("/usr") and os.access(path, os.R_OK))


#: What runs inside of the jail: other users must be able to read it.
INSIDE = Path(__file__).resolve().parent / "inside"

#: Environment of every interpreter, beside that of the jail. No other program is to be found.
ENVIRONMENT: Mapping[str, str] = {
    **PLAIN,
    "TZ": "UTC",
    "MPLBACKEND": "Agg",
    "MPL_IGNORE_SYSTEM_FONTS": "1",
    # One thread: more of them change the order of sums, and a process with threads cannot be forked.
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "LOKY_MAX_CPU_COUNT": "1",
}

#: What warm processes import. Not seaborn, which adds colour maps to matplotlib: a program that does not
#: import it would find them too. All that it needs is here.
MODULES = (
    "matplotlib.animation",
    "matplotlib.cm",
    "matplotlib.gridspec",
    "mpl_toolkits.mplot3d",
    "mpl_toolkits.axes_grid1",
    "numpy",
    "pandas",
    "PIL.Image",
    "scipy.interpolate",
    "scipy.optimize",
    "scipy.signal",
    "scipy.stats",
    "networkx",
    "shapely.geometry",
    "sympy",
    "sklearn.cluster",
    "sklearn.datasets",
    "sklearn.linear_model",
    "sklearn.metrics",
)


@dataclass(frozen=True, slots=True)
class PythonInstallation:
    """The programs, libraries and fonts that images are made with."""

    #: What programs may import.
    libraries: Libraries
    #: Font files beside those of matplotlib, in the order in which they are tried.
    fonts: tuple[Path, ...]
    #: Version of CPython.
    version: str
    #: All that the digest is made of, by name.
    versions: Mapping[str, str]
    #: SHA-256 over everything that can change an image.
    digest: str
    #: SHA-256 over the fonts alone.
    fonts_digest: str
    #: What jobs must read outside of /usr.
    readable: tuple[Path, ...]
    #: What warm interpreters import before they fork.
    modules: tuple[str, ...] = MODULES


def find_installation(font_patterns: Iterable[str]) -> PythonInstallation:
    """Look at this machine.

    Args:
        font_patterns: Patterns of font files.

    Raises:
        StartError: Something is missing; says what to install.
    """
    libraries = find_libraries()
    fonts = tuple(
        dict.fromkeys(
            Path(path) for font_pattern in font_patterns for path in sorted(glob.glob(font_pattern))
        )
    )
    paths = (*readable_paths(), *(font for font in fonts if not font.is_relative_to("/usr")))
    check_readable_by_jobs(paths)
    own_fonts = libraries.entries["matplotlib"] / "mpl-data/fonts"
    fonts_digest = listings_digest(
        listed_files(own_fonts), (f"{font.name}\0{font.stat().st_size}" for font in fonts)
    )
    versions = {
        "python": platform.python_version(),
        **libraries.versions,
        "fonts": fonts_digest,
        "render-python": version("i2s-render-python"),
        "inside": listings_digest(*(listed_files(path, only=(".py",)) for path in (INSIDE, ZYGOTE))),
    }
    return PythonInstallation(
        libraries=libraries,
        fonts=fonts,
        version=platform.python_version(),
        versions=versions,
        digest=versions_digest(versions),
        fonts_digest=fonts_digest,
        readable=paths,
    )


def readable_paths() -> tuple[Path, ...]:
    """Return what jobs must read outside of /usr, beside fonts.

    Raises:
        StartError: A library is missing.
    """
    own = outside_usr(Path(sys.base_prefix).resolve(), INSIDE, ZYGOTE)
    return (*readable(find_libraries()), *own)
