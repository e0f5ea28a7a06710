"""The fonts of this machine: those of the lock with the configuration for browsers, or its own choice."""

from __future__ import annotations

import hashlib
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal
from xml.sax.saxutils import escape

from i2s_chassis.errors import StartError
from i2s_chassis.jail.plan import SYSTEM_READABLE

FontSource = Literal["locked", "system"]


#: Where Debian has them; the names in the lock are relative to it.
DEFAULT_FOLDER = Path("/usr/share/fonts/truetype")

#: Fonts without which no text looks as it should.
_NEEDED = ("croscore/Arimo-Regular.ttf", "croscore/Tinos-Regular.ttf", "croscore/Cousine-Regular.ttf")
_PACKAGES = "fonts-croscore fonts-noto-core"
_HERE = Path(__file__).parent
_SHOWN = 3


@dataclass(frozen=True, slots=True)
class Fonts:
    """The locked fonts as they are installed here."""

    #: Where they lie.
    folder: Path
    #: Files that are here, relative to the folder.
    files: tuple[str, ...]
    #: SHA-256 over their names, contents and configuration; equal if pages find equal fonts.
    digest: str
    #: Files of the lock that are missing or have other contents, relative to the folder.
    deviating: tuple[str, ...] = ()

    @property
    def configuration(self) -> bytes:
        """The configuration of fontconfig that has these files and no others."""
        folders = sorted({str(self.folder / name).rsplit("/", 1)[0] for name in self.files})
        lines = [f"<dir>{escape(folder)}</dir>" for folder in folders]
        lines.append("<selectfont><rejectfont><glob>*</glob></rejectfont><acceptfont>")
        lines += [f"<glob>{escape(str(self.folder / name))}</glob>" for name in self.files]
        lines.append("</acceptfont></selectfont>")
        return _template().replace(b"<!-- files -->", "\n".join(lines).encode())

    @property
    def complaint(self) -> str:
        """The fault of the fonts, and what to install; empty if all are those of the lock."""
        if not self.deviating:
            return ""
        named = ", ".join(self.deviating[:_SHOWN])
        more = f" and {len(self.deviating) - _SHOWN} more" if len(self.deviating) > _SHOWN else ""
        return f"fonts of the lock, missing or with other contents: {named}{more} (Debian: {_PACKAGES})"


def find_fonts(folder: Path = DEFAULT_FOLDER) -> Fonts:
    """Look at the fonts of this machine.

    Args:
        folder: Where the fonts of the lock lie.

    Raises:
        StartError: The fonts for text are not there; names the packages to install.
    """
    missing = [name for name in _NEEDED if not (folder / name).is_file()]
    if missing:
        raise StartError(
            f"--fonts {folder} has no {missing[0]}, which pages are drawn with; "
            f"install it with: apt-get install {_PACKAGES}, or name another folder"
        )
    present: list[str] = []
    deviating: list[str] = []
    digest = hashlib.sha256(_template())
    for name, locked in _locked():
        path = folder / name
        if not path.is_file():
            deviating.append(name)
            continue
        content = hashlib.sha256(path.read_bytes()).hexdigest()
        present.append(name)
        if content != locked:
            deviating.append(name)
        digest.update(f"{name}\0{content}\n".encode())
    return Fonts(folder, tuple(present), digest.hexdigest(), tuple(deviating))


def _template() -> bytes:
    return (_HERE / "fonts.conf").read_bytes()


def _locked() -> Iterator[tuple[str, str]]:
    """Name and SHA-256 of every font of the lock, which has the form of sha256sum."""
    for line in (_HERE / "fonts.lock").read_text(encoding="ascii").splitlines():
        content, _, name = line.partition("  ")
        yield name, content


_CONFIGURATION = Path("/etc/fonts")
_LIST_SECONDS = 120.0
# Without a home, so that fonts of the user who starts the service have no part: jobs cannot read them.
_ENVIRONMENT = {"PATH": "/usr/bin:/bin", "HOME": "/nonexistent", "LANG": "C.UTF-8"}


@dataclass(frozen=True, slots=True)
class SystemFonts:
    """The fonts of this machine, as browsers see them."""

    #: Font files that the configuration names and that jobs can read anyway.
    files: tuple[Path, ...]
    #: SHA-256 over names and contents of the files and of the configuration, and the version of fontconfig.
    digest: str

    @property
    def configuration(self) -> None:
        """None: browsers read the configuration of the machine."""
        return

    @property
    def complaint(self) -> str:
        """Empty: there is nothing that these fonts should be."""
        return ""


def find_system_fonts(configuration: Path = _CONFIGURATION) -> SystemFonts:
    """Look at the fonts that fontconfig finds on this machine.

    Args:
        configuration: Folder of fontconfig's files.

    Raises:
        StartError: fontconfig's command is not installed, or finds no font.
    """
    try:
        listed = _output("fc-list", "--format", "%{file}\n")
        version = _output("fc-list", "--version")
    except (OSError, subprocess.SubprocessError) as error:
        raise StartError(
            f"--font-source system needs the command fc-list: {error}; "
            "install it with: apt-get install fontconfig, or leave the option out"
        ) from None
    files = tuple(sorted({Path(line) for line in listed.splitlines() if _is_readable_by_jobs(Path(line))}))
    if not files:
        raise StartError(
            "--font-source system finds no font below /usr; install some, such as fonts-dejavu-core, "
            "or leave the option out"
        )
    digest = hashlib.sha256(version.encode())
    for path in (*_configuration_files(configuration), *files):
        digest.update(f"{path}\0{hashlib.sha256(path.read_bytes()).hexdigest()}\n".encode())
    return SystemFonts(files, digest.hexdigest())


def _configuration_files(folder: Path) -> Iterator[Path]:
    return (path for path in sorted(folder.rglob("*")) if path.is_file())


def _is_readable_by_jobs(font: Path) -> bool:
    return font.is_file() and any(font.resolve().is_relative_to(folder) for folder in SYSTEM_READABLE)


def _output(*command: str) -> str:
    ended = subprocess.run(
        command, capture_output=True, text=True, check=True, timeout=_LIST_SECONDS, env=_ENVIRONMENT
    )
    return ended.stdout + ended.stderr
