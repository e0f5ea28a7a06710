"""What is installed: CPython, its libraries, fonts; their versions and digest."""

from __future__ import annotations

import glob
import platform
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from i2s_chassis.renderer.start_checks import (
    check_readable_by_jobs,
    listed_files,
    listings_digest,
    versions_digest,
)
from i2s_render_python.libraries import Libraries, find_libraries, readable

#: What runs inside of the jail: other users must be able to read it.
INSIDE = Path(__file__).resolve().parent / "inside"
ZYGOTE = INSIDE / "zygote.py"

#: Environment of every interpreter, beside that of the jail. No other program is to be found.
ENVIRONMENT: Mapping[str, str] = {
    "PATH": "",
    "TZ": "UTC",
    "PYTHONHASHSEED": "0",
    "PYTHONDONTWRITEBYTECODE": "1",
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
    """What pictures are made with.

    Attributes:
        python: The interpreter, without the environment of the service.
        libraries: What programs may import.
        fonts: Font files beside those of matplotlib, in the order in which they are tried.
        version: Version of CPython.
        versions: All that the digest is made of, by name.
        digest: SHA-256 over everything that can change a picture.
        fonts_digest: SHA-256 over the fonts alone.
        readable: What jobs must read outside of /usr.
        modules: What warm interpreters import before they fork.
    """

    python: Path
    libraries: Libraries
    fonts: tuple[Path, ...]
    version: str
    versions: Mapping[str, str]
    digest: str
    fonts_digest: str
    readable: tuple[Path, ...]
    modules: tuple[str, ...] = MODULES


def find_installation(font_patterns: Iterable[str]) -> PythonInstallation:
    """Look at this machine.

    Args:
        font_patterns: Patterns of font files.

    Raises:
        StartError: Something is missing; says what to install.
    """
    libraries = find_libraries()
    fonts = tuple(dict.fromkeys(Path(path) for one in font_patterns for path in sorted(glob.glob(one))))
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
        "inside": listings_digest(listed_files(INSIDE, only=(".py",))),
    }
    return PythonInstallation(
        python=Path(sys.executable).resolve(),
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
    own = (Path(sys.base_prefix).resolve(), INSIDE)
    return (*readable(find_libraries()), *(path for path in own if not path.is_relative_to("/usr")))
