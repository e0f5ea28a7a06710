"""The installation: LilyPond, its convert-ly and Ghostscript, their versions and digest."""

from __future__ import annotations

import importlib.util
import mmap
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

import PIL

from i2s_chassis.errors import StartError
from i2s_chassis.renderer.start_checks import (
    SYSTEM_FONTS,
    check_readable_by_jobs,
    find_program,
    listed_files,
    listings_digest,
    program_output,
    versions_digest,
)
from i2s_render_lilypond.raster import PNG_DEVICES, RAW_DEVICE
from i2s_wire.installation import install_command
from i2s_wire.render.options import LilypondBackend

#: What runs inside of the jail: other users must be able to read it.
INSIDE = Path(__file__).resolve().parent / "inside"
#: Loaded by LilyPond: keeps the pages as PostScript instead of drawing them.
PAGES = INSIDE / "pages.scm"
#: Loaded by LilyPond: the engraver that notes what notes are engraved.
NOTES = INSIDE / "notes.scm"
#: Loaded by LilyPond: makes it a process that forks for each job.
ZYGOTE = INSIDE / "zygote.scm"
#: Run by LilyPond's Python: makes convert-ly a process that forks for each job.
CONVERTER = INSIDE / "converter.py"
#: Included before a score: neither tagline nor footers.
NO_FOOTERS = INSIDE / "no-footers.ly"
#: Included before a score: the engraver that notes what notes are engraved; with and without footers.
WITH_NOTES, WITH_NOTES_NO_FOOTERS = INSIDE / "notes.ly", INSIDE / "notes-no-footers.ly"

#: Environment of every program, beside that of the jail.
ENVIRONMENT: Mapping[str, str] = {"GUILE_AUTO_COMPILE": "0", "GC_MARKERS": "1"}

#: Memory in large pieces: making its pages is a good part of what a short run of Ghostscript does.
DRAWING_TUNABLES = "glibc.malloc.top_pad=33554432:glibc.malloc.hugetlb=1"

#: A function of LilyPond's that is compiled in only with cairo.
_CAIRO = b"ly:cairo-output-stencils"


@dataclass(frozen=True, slots=True)
class LilypondInstallation:
    """The programs, libraries and fonts that images are made with."""

    #: The program.
    lilypond: Path
    #: The program.
    convert_ly: Path
    #: The program.
    ghostscript: Path
    #: Output devices of Ghostscript that pages are drawn on.
    devices: tuple[str, ...]
    #: Version of LilyPond, such as "2.24.3".
    version: str
    #: The newest version that convert-ly has a rule for.
    latest_rule: tuple[int, ...]
    #: All that the digest is made of, by name.
    versions: Mapping[str, str]
    #: SHA-256 over everything that can change an image.
    digest: str
    #: SHA-256 over the fonts alone.
    fonts_digest: str
    #: What jobs must read outside of /usr.
    readable: tuple[Path, ...]
    #: Environment of LilyPond, beside that of the jail.
    environment: Mapping[str, str]
    #: What it can draw with.
    backends: frozenset[LilypondBackend] = frozenset({LilypondBackend.GHOSTSCRIPT})
    #: LilyPond's own, None if convert-ly runs by that of the system.
    python: Path | None = None
    #: What that Python runs to convert.
    convert_script: Path | None = None


def find_installation(chosen: Path | None = None) -> LilypondInstallation:
    """Look at this machine; takes a second or less.

    Args:
        chosen: LilyPond's program; None takes that of the Python package ``lilypond``, else the
            one on the path.

    Raises:
        StartError: Something is missing; says what to install.
    """
    lilypond = _find_lilypond(chosen)
    root = lilypond.parent.parent
    convert_ly = _beside(lilypond, "convert-ly")
    own = root / "libexec/gs"
    ghostscript = own if own.is_file() else find_program("gs", "ghostscript")
    bundled = own.is_file()
    readable = _readable(lilypond)
    check_readable_by_jobs(readable)

    stated = re.search(r"LilyPond (\S+?),? ", program_output(lilypond, "--version") + " ")
    rules = re.findall(r"^(\d+(?:\.\d+)+): ", program_output(convert_ly, "--show-rules"), re.MULTILINE)
    if stated is None or not rules:
        raise StartError(f"cannot read the version of {lilypond} or the rules of {convert_ly}")
    known = program_output(ghostscript, "-h").split()
    devices = tuple(name for name in (RAW_DEVICE, *PNG_DEVICES) if name in known)
    if not set(PNG_DEVICES) & set(devices):
        raise StartError(f"{ghostscript} can draw on none of {', '.join(PNG_DEVICES)}")
    tree = root if bundled else Path("/usr/share/lilypond") / stated[1]
    fonts = listings_digest(listed_files(SYSTEM_FONTS), listed_files(tree, only=(".otf", ".conf")))
    versions = {
        "lilypond": stated[1],
        "ghostscript": program_output(ghostscript, "--version").strip(),
        "convert-ly rules": rules[-1],
        "device": " ".join(devices),
        "source": "python package" if bundled else "system",
        "own files": listings_digest(listed_files(INSIDE)),
        "pillow": PIL.__version__,
        "render-lilypond": version("i2s-render-lilypond"),
        "tree": listings_digest(listed_files(tree)),
        "fonts": fonts,
    }
    return LilypondInstallation(
        lilypond=lilypond,
        convert_ly=convert_ly,
        ghostscript=ghostscript,
        devices=devices,
        version=stated[1],
        latest_rule=tuple(int(part) for part in rules[-1].split(".")),
        versions=versions,
        digest=versions_digest(versions),
        fonts_digest=fonts,
        readable=tuple(readable),
        environment=ENVIRONMENT if bundled else system_environment(stated[1]),
        backends=_backends(lilypond),
        python=next((root / "libexec").glob("python3*"), None),
        convert_script=root / "libexec/convert-ly",
    )


def system_environment(stated: str, libraries: Path = Path("/usr/lib")) -> Mapping[str, str]:
    """Return the environment of the system's LilyPond.

    That of Debian 12 looks for its compiled modules in a folder that is named "${prefix}/lib", finds none,
    and interprets them: it takes four times as long to start.

    Args:
        stated: Its version.
        libraries: The system's libraries.
    """
    compiled = sorted(libraries.glob(f"*/lilypond/{stated}/ccache"))
    return {**ENVIRONMENT, "GUILE_LOAD_COMPILED_PATH": str(compiled[0])} if compiled else ENVIRONMENT


def _backends(lilypond: Path) -> frozenset[LilypondBackend]:
    """Return what a LilyPond can draw with; a build without cairo lacks the name of its function."""
    backends = {LilypondBackend.GHOSTSCRIPT}
    with lilypond.open("rb") as program, mmap.mmap(program.fileno(), 0, access=mmap.ACCESS_READ) as content:
        if content.find(_CAIRO) >= 0:
            backends.add(LilypondBackend.CAIRO)
    return frozenset(backends)


def readable_folders(chosen: Path | None = None) -> tuple[Path, ...]:
    """Return what jobs must read outside of /usr.

    Args:
        chosen: Program that was chosen, as of ``find_installation``.

    Raises:
        StartError: There is no LilyPond.
    """
    return tuple(_readable(_find_lilypond(chosen)))


def _readable(lilypond: Path) -> list[Path]:
    return [path for path in (lilypond.parent.parent, INSIDE) if not path.is_relative_to("/usr")]


def _find_lilypond(chosen: Path | None) -> Path:
    if chosen is not None:
        if not os.access(chosen, os.X_OK):
            raise StartError(
                f"--lilypond {chosen} is no program; name LilyPond's own, such as /usr/bin/lilypond"
            )
        return chosen.resolve()
    spec = importlib.util.find_spec("lilypond")
    if spec is not None and spec.origin is not None:
        program = Path(spec.origin).resolve().parent / "lilypond-binaries/bin/lilypond"
        if program.is_file():
            return program
    return find_program("lilypond", "lilypond", f"{install_command('lilypond==2.24.3')}, or ")


def _beside(lilypond: Path, name: str) -> Path:
    program = lilypond.parent / name
    return program if program.is_file() else find_program(name, "lilypond")
