"""LaTeX's own formats without the gzip that TeX Live puts around them.

A cold run begins with one of them. To unpack it takes 60 to 170 ms of CPU time in each run, a third of that
of a short document; so they are unpacked once.
"""

from __future__ import annotations

import asyncio
import gzip
import hashlib
import shutil
import subprocess
import tempfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from i2s_chassis.errors import StartError
from i2s_render_latex.programs import PROGRAMS, TexProgram
from i2s_render_latex.state import keep_for_jobs
from i2s_render_latex.texlive import ENVIRONMENT, PROGRAM_FOLDERS, Installation

_GZIP = b"\x1f\x8b"


@dataclass(frozen=True, slots=True)
class UnpackedFormats:
    """The formats of the engines that are installed.

    Attributes:
        folder: Folder that jobs read.
    """

    folder: Path

    @property
    def environment(self) -> dict[str, str]:
        """Variables with which kpathsea finds these formats before those of TeX Live."""
        return {"TEXFORMATS": f"{self.folder}:{ENVIRONMENT['TEXFORMATS']}"}


async def unpack_formats(state: Path, installation: Installation) -> UnpackedFormats:
    """Return the unpacked formats, made before if they have to be.

    Args:
        state: The state folder.
        installation: The engines. Formats that TeX Live has made anew are unpacked anew.

    Raises:
        StartError: They cannot be unpacked.
    """
    return await asyncio.to_thread(_unpack, state, [PROGRAMS[one] for one in installation.engines])


def _unpack(state: Path, programs: list[TexProgram]) -> UnpackedFormats:
    try:
        packed = {f"{one.name}.fmt": _format_of(one).read_bytes() for one in programs}
        folder = state / "unpacked" / _digest(packed)
        if not folder.is_dir():
            _write(state, folder, packed)
    except (OSError, EOFError, zlib.error) as error:
        raise StartError(
            f"the formats of LaTeX cannot be unpacked in --state-dir {state}: {error}; run i2s-render-latex "
            "index as root, or name another folder"
        ) from None
    return UnpackedFormats(folder)


def _format_of(program: TexProgram) -> Path:
    """Return where TeX Live keeps the format of a program.

    Raises:
        StartError: It does not; says how to make it.
    """
    name = f"{program.name}.fmt"
    asked = ["kpsewhich", f"-engine={program.engine}", f"-progname={program.name}", name]
    environment = {"PATH": PROGRAM_FOLDERS, **ENVIRONMENT}
    ended = subprocess.run(asked, capture_output=True, text=True, check=False, timeout=30, env=environment)
    if ended.returncode or not ended.stdout.strip():
        raise StartError(f"{name} is missing; make it with: fmtutil-sys --byfmt {program.name}")
    return Path(ended.stdout.strip())


def _digest(packed: Mapping[str, bytes]) -> str:
    digest = hashlib.sha256()
    for name in sorted(packed):
        digest.update(f"{name} {hashlib.sha256(packed[name]).hexdigest()}\n".encode())
    return digest.hexdigest()[:32]


def _write(state: Path, folder: Path, packed: Mapping[str, bytes]) -> None:
    """Write a folder that appears whole or not at all."""
    state.mkdir(parents=True, exist_ok=True)
    work = Path(tempfile.mkdtemp(prefix=".unpacked-", dir=state))
    try:
        for name, content in packed.items():
            (work / name).write_bytes(gzip.decompress(content) if content.startswith(_GZIP) else content)
        keep_for_jobs(work, folder)
    finally:
        shutil.rmtree(work, ignore_errors=True)
