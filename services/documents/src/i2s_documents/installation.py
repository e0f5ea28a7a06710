"""The installation: pandoc and PDFium, their versions and digests."""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

import PIL

from i2s_chassis.errors import StartError
from i2s_chassis.renderer.pdfium import pdfium_digest, pdfium_folder, pdfium_version
from i2s_chassis.renderer.start_checks import (
    SYSTEM_FONTS,
    check_readable_by_jobs,
    find_program,
    listed_files,
    listings_digest,
    program_output,
    versions_digest,
)
from i2s_wire.render.rendering import Engine

#: What runs inside of the sandbox: other users must be able to read it.
INSIDE = Path(__file__).resolve().parent / "inside"

_SYSTEM = Path("/usr")
#: Where PDFium looks for fonts on Linux.
_FONTS = (
    SYSTEM_FONTS,
    Path("/usr/share/X11/fonts/Type1"),
    Path("/usr/share/X11/fonts/TTF"),
    Path("/usr/local/share/fonts"),
)


@dataclass(frozen=True, slots=True)
class DocumentsInstallation:
    """The programs and libraries that make the results."""

    #: The program.
    pandoc: Path
    #: Folder of the package ``pypdfium2_raw``, which has the library.
    pdfium: Path
    #: Folder of the program that calls it.
    inside: Path
    #: What jobs must read outside of /usr.
    readable: tuple[Path, ...]
    #: Pandoc, for the descriptions.
    converter: Engine
    #: PDFium, likewise.
    rasteriser: Engine
    #: All that the digests are made of, by name.
    versions: Mapping[str, str]
    #: SHA-256 over the names and sizes of the fonts.
    fonts_digest: str


def find_installation(pandoc: str = "pandoc") -> DocumentsInstallation:
    """Look at this machine; takes about a second.

    Args:
        pandoc: The program, by name or path.

    Raises:
        StartError: Something is missing; says what to install.
    """
    program, pdfium = find_program(pandoc, "pandoc"), pdfium_folder()
    readable = readable_folders()
    check_readable_by_jobs(readable)
    words = program_output(program, "--version").split()
    if words[:1] != ["pandoc"] or len(words) < 2:
        raise StartError(f"cannot tell the version of {program}")
    fonts = listings_digest(*map(listed_files, _FONTS))
    service = {"documents": version("i2s-documents")}
    of_pandoc = {"pandoc": words[1], "pandoc-program": _digest(program)}
    of_pdfium = {
        "pypdfium2": version("pypdfium2"),
        "pdfium": pdfium_version(pdfium),
        "pdfium-library": pdfium_digest(pdfium),
        "pillow": PIL.__version__,
        "fonts": fonts,
    }
    return DocumentsInstallation(
        pandoc=program,
        pdfium=pdfium,
        inside=INSIDE,
        readable=readable,
        converter=Engine("pandoc", words[1], versions_digest(of_pandoc | service)),
        rasteriser=Engine("pdfium", of_pdfium["pdfium"], versions_digest(of_pdfium | service)),
        versions=of_pandoc | of_pdfium | service,
        fonts_digest=fonts,
    )


def readable_folders() -> tuple[Path, ...]:
    """Return what jobs must read outside of /usr: PDFium, our program, and Python.

    Raises:
        StartError: PDFium is not installed.
    """
    folders = (pdfium_folder(), INSIDE, Path(sys.base_prefix).resolve())
    return tuple(folder for folder in folders if not folder.is_relative_to(_SYSTEM))


def _digest(file: Path) -> str:
    if not os.access(file, os.R_OK):
        raise StartError(f"{file} is missing or cannot be read; install its package again")
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()
