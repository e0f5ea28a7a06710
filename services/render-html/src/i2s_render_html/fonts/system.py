"""The fonts that the configuration of this machine gives to pages, instead of those of the lock."""

from __future__ import annotations

import hashlib
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from i2s_chassis.errors import StartError
from i2s_chassis.jail.plan import SYSTEM_READABLE

_CONFIGURATION = Path("/etc/fonts")
_LIST_SECONDS = 120.0
# Without a home, so that fonts of the user who starts the service have no part: jobs cannot read them.
_ENVIRONMENT = {"PATH": "/usr/bin:/bin", "HOME": "/nonexistent", "LANG": "C.UTF-8"}


@dataclass(frozen=True, slots=True)
class SystemFonts:
    """The fonts of this machine, as browsers see them.

    Attributes:
        files: Font files that the configuration names and that jobs can read anyway.
        digest: SHA-256 over names and contents of the files and of the configuration, and the version of
            fontconfig.
    """

    files: tuple[Path, ...]
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
