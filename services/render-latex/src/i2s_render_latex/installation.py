"""The TeX installation: its programs, its versions, its digest, and what a job sees of it."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

import PIL

from i2s_chassis.errors import StartError
from i2s_chassis.jail.errors import killed_by
from i2s_chassis.renderer.pdfium import pdfium_digest, pdfium_folder, pdfium_version
from i2s_chassis.renderer.start_checks import check_readable_by_jobs
from i2s_render_latex.page_objects import readable_folders
from i2s_render_latex.programs import PROGRAMS, SOURCE_DATE_EPOCH, TexProgram
from i2s_render_latex.texindex import TreeError, tree_roots
from i2s_wire.render.options import LatexEngine

_PROGRAMS = {
    "pdflatex": "texlive-latex-base",
    "pdftex": "texlive-binaries",
    "kpsewhich": "texlive-binaries",
    "pdftoppm": "poppler-utils",
    "pdfinfo": "poppler-utils",
    "pdftotext": "poppler-utils",
}
#: Where a jail looks for programs.
PROGRAM_FOLDERS = "/usr/local/bin:/usr/bin:/bin"
_SYSTEM_FONTS = Path("/usr/share/fonts")

# Made on this machine from the rest of the tree, with the time in them.
_GENERATED = (".fmt", ".base", ".log")
_GENERATED_FOLDERS = frozenset({"luatex-cache"})  # where LuaTeX keeps fonts if root runs it
_GENERATED_NAMES = frozenset({"ls-R", "ls-R-TEXLIVEDIST", "ls-R-TEXMFMAIN"})

_NOWHERE = "/nonexistent"

#: Huge pages where the machine has them: loading a format and drawing a page are to a good part
#: the making of pages of memory.
HUGE_PAGES: Mapping[str, str] = {"GLIBC_TUNABLES": "glibc.malloc.hugetlb=1"}

#: Settings of kpathsea and pdfTeX; the environment wins over texmf.cnf.
ENVIRONMENT: Mapping[str, str] = {
    # Read and write below the work folder and the trees only, no hidden files, no parents.
    "openin_any": "p",
    "openout_any": "p",
    "shell_escape": "f",
    "SOURCE_DATE_EPOCH": str(SOURCE_DATE_EPOCH),
    "FORCE_SOURCE_DATE": "1",
    # No format of the document's own: a format is an image of memory that is loaded as it is.
    "TEXFORMATS": "$TEXMF/web2c/{$engine,}",
    # A line of the log is a line; the context of an error is shown in full (255 is the bound).
    "max_print_line": "10000",
    "error_line": "254",
    "half_error_line": "238",
    **HUGE_PAGES,
    # LuaTeX keeps fonts in the work folder.
    "TEXMFCACHE": ".",
    # No trees of a user, and no fonts made on the way.
    "TEXMFHOME": _NOWHERE,
    "TEXMFVAR": _NOWHERE,
    "TEXMFCONFIG": _NOWHERE,
    "MKTEXPK": "0",
    "MKTEXTFM": "0",
    "MKTEXMF": "0",
    "MKTEXTEX": "0",
    "MKTEXFMT": "0",
}


@dataclass(frozen=True, slots=True)
class LatexInstallation:
    """The programs, libraries and fonts that images are made with."""

    #: Version of pdfTeX, such as "3.141592653-2.6-1.40.24".
    version: str
    #: All that the digest is made of, by name.
    versions: Mapping[str, str]
    #: SHA-256 over everything that can change an image.
    digest: str
    #: SHA-256 over the fonts alone.
    fonts_digest: str
    #: The engines that documents can be compiled with.
    engines: frozenset[LatexEngine]
    #: The TeX trees.
    roots: tuple[Path, ...]
    #: Trees outside of /usr, and what reads the objects of pages, which jobs must be shown.
    readable: tuple[Path, ...]


def find_installation() -> LatexInstallation:
    """Look at this machine; walks the TeX trees, which takes a second or less.

    Raises:
        StartError: A program is missing; names the package to install.
    """
    for program, package in _PROGRAMS.items():
        if shutil.which(program, path=PROGRAM_FOLDERS) is None:
            raise StartError(f"{program} is not installed; install it with: apt-get install {package}")
    try:
        roots = tree_roots()
    except TreeError as error:
        raise StartError(str(error)) from None
    readers = readable_folders()
    check_readable_by_jobs(readers)
    engines = frozenset(engine for engine, program in PROGRAMS.items() if _is_installed(program))
    versions = _versions(engines)
    fonts = _digest(
        path for root in (*(root / "fonts" for root in roots), _SYSTEM_FONTS) for path in _files(root)
    )
    trees = _digest(path for root in roots for path in _files(root))
    lines = [*(f"{name} {version}" for name, version in sorted(versions.items())), trees, fonts]
    return LatexInstallation(
        version=versions["pdftex"],
        versions={**versions, "texmf": trees, "fonts": fonts},
        digest=hashlib.sha256("\n".join(lines).encode()).hexdigest(),
        fonts_digest=fonts,
        engines=engines,
        roots=tuple(roots),
        readable=(*(root for root in roots if Path("/usr") not in root.parents), *readers),
    )


def _is_installed(program: TexProgram) -> bool:
    """Return whether an engine has its program and its format; distributions have the first without it."""
    if program.format_engine is None:
        return True
    if shutil.which(program.name, path=PROGRAM_FOLDERS) is None:
        return False
    asked = [
        "kpsewhich",
        f"-engine={program.format_engine}",
        f"-progname={program.name}",
        f"{program.name}.fmt",
    ]
    environment = {"PATH": PROGRAM_FOLDERS, **ENVIRONMENT}
    ended = subprocess.run(asked, capture_output=True, check=False, timeout=30, env=environment)
    if killed := killed_by(ended.returncode, "kpsewhich"):
        raise StartError(str(killed)) from killed
    return ended.returncode == 0


#: Programs that run in cells.
_INSIDE = Path(__file__).resolve().parent / "inside"


def _versions(engines: Collection[LatexEngine]) -> dict[str, str]:
    pdftex = _first_line("pdftex", "--version")
    poppler = _first_line("pdftoppm", "-v")
    engine = re.search(r"pdfTeX (\S+)(?: \((.+)\))?", pdftex)
    rasteriser = re.search(r"version (\S+)", poppler)
    if engine is None or rasteriser is None:
        raise StartError(f"cannot read the versions of pdftex ({pdftex!r}) and pdftoppm ({poppler!r})")
    others = {
        PROGRAMS[latex_engine].engine: _version_of(PROGRAMS[latex_engine])
        for latex_engine in engines
        if latex_engine is not LatexEngine.PDFLATEX
    }
    return {
        "pdftex": engine[1],
        **others,
        "texlive": engine[2] or "unknown",
        "poppler": rasteriser[1],
        "pdfium": f"{pdfium_version(pdfium_folder())} {pdfium_digest(pdfium_folder())[:16]}",
        "objects": hashlib.sha256((_INSIDE / "read_objects.py").read_bytes()).hexdigest()[:16],
        "pillow": PIL.__version__,
        "render-latex": version("i2s-render-latex"),
    }


def _version_of(program: TexProgram) -> str:
    """Return the version of an engine, in the words of its own: "1.15.0", "3.141592653-2.6-0.999994"."""
    line = _first_line(program.engine, "--version")
    match = re.search(r"(?:Version|XeTeX) (\d\S*)", line)
    if match is None:
        raise StartError(f"cannot read the version of {program.engine} ({line!r})")
    return match[1]


def _first_line(program: str, option: str) -> str:
    ended = subprocess.run(
        [program, option],
        capture_output=True,
        text=True,
        check=False,
        timeout=30,
        env={"PATH": PROGRAM_FOLDERS},
    )
    return (ended.stdout or ended.stderr).partition("\n")[0]


def _files(folder: Path) -> Iterator[tuple[str, int]]:
    """Yield relative path and size of every file below a folder, in a fixed order."""
    pending = [""]
    while pending:
        relative = pending.pop()
        try:
            with os.scandir(folder / relative) as found:
                entries = sorted(found, key=lambda entry: entry.name)
        except OSError:
            continue
        for entry in entries:
            path = f"{relative}{entry.name}"
            if entry.is_dir():
                if entry.name not in _GENERATED_FOLDERS:
                    pending.append(f"{path}/")
            elif (
                entry.is_file() and not entry.name.endswith(_GENERATED) and entry.name not in _GENERATED_NAMES
            ):
                yield path, entry.stat().st_size


def _digest(files: Iterator[tuple[str, int]]) -> str:
    digest = hashlib.sha256()
    for path, size in files:
        digest.update(f"{path}\0{size}\n".encode(errors="surrogateescape"))
    return digest.hexdigest()
