"""Files that are prepared once, before the first job: caches of fonts, and formats without compression."""

from __future__ import annotations

import asyncio
import contextlib
import gzip
import hashlib
import logging
import os
import shutil
import signal
import subprocess
import tempfile
import zlib
from asyncio.subprocess import DEVNULL, PIPE, STDOUT
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from i2s_chassis.errors import StartError
from i2s_chassis.jail.errors import killed_by
from i2s_chassis.renderer.wire import printable
from i2s_render_latex.document import LOG, SOURCE
from i2s_render_latex.installation import ENVIRONMENT, PROGRAM_FOLDERS, LatexInstallation
from i2s_render_latex.log import first_error
from i2s_render_latex.programs import LUA_CACHE, PROGRAMS, TexProgram, compile_command
from i2s_render_latex.state import keep_for_jobs
from i2s_wire.render.options import LatexEngine

_log = logging.getLogger(__name__)

# LuaTeX takes the list of names of the folder that it may write to and no other, so each job is given it.
_NAMES = f"{LUA_CACHE}generic/names/luaotfload-names.luc.gz"
_LUA = LUA_CACHE.rstrip("/")
_FONTCONFIG = "fontconfig"
_BUILD_SECONDS = 600
_OUTPUT_BYTES = 1000

# The folders and rules of Debian; its own caches are left out, since jobs do not see them.
_CONFIGURATION = """<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <cachedir prefix="xdg">fontconfig</cachedir>
  <dir>/usr/share/fonts</dir>
  <dir>/usr/local/share/fonts</dir>
  <include ignore_missing="yes">/etc/fonts/conf.d</include>
</fontconfig>
"""

#: Families that documents get without naming a file in all sizes, and those for Chinese.
_LUA_DOCUMENT = r"""
\documentclass{article}
\usepackage{fontspec}
\newcommand\load[1]{\IfFontExistsTF{#1}{{\font\loaded="[#1]:mode=node;" \loaded a}}{}}
\begin{document}
\newcommand\shapes{a \textit{a} \textbf{a} \textbf{\itshape a} \textsl{a} \textsc{a}}
\newcommand\families{\shapes {\sffamily a \textbf{a} \textsl{a}} {\ttfamily a \textbf{a} \textsl{a}}}
\tiny\families \scriptsize\families \footnotesize\families \small\families \normalsize\families
\large\families \Large\families \LARGE\families \huge\families \Huge\families
\load{FandolSong-Regular.otf}\load{FandolSong-Bold.otf}\load{FandolHei-Regular.otf}
\load{FandolHei-Bold.otf}\load{FandolFang-Regular.otf}\load{FandolKai-Regular.otf}
\end{document}
"""
_DOCUMENTS: Mapping[LatexEngine, str] = {
    LatexEngine.LUALATEX: _LUA_DOCUMENT,
    LatexEngine.XELATEX: "\\documentclass{article}\\usepackage{fontspec}\\begin{document}a\\end{document}\n",
}


@dataclass(frozen=True, slots=True)
class PreparedFonts:
    """Fonts that are ready for the engines that are installed."""

    #: Folder that jobs read.
    folder: Path
    #: The list of names of LuaTeX; None if it is not installed.
    names: bytes | None

    def environment(self, engine: LatexEngine) -> dict[str, str]:
        """Return the variables of a job."""
        if engine is LatexEngine.LUALATEX:
            return {"TEXMFCACHE": f"{self.folder}:."}
        return {"FONTCONFIG_FILE": f"{self.folder / _FONTCONFIG}.conf", "XDG_CACHE_HOME": str(self.folder)}

    def files(self, engine: LatexEngine) -> dict[str, bytes]:
        """Return the files that a job finds in its work folder."""
        return {_NAMES: self.names} if engine is LatexEngine.LUALATEX and self.names else {}


async def prepare_fonts(state: Path, installation: LatexInstallation) -> PreparedFonts | None:
    """Return the prepared fonts, made before if they have to be; None if no engine needs any.

    Args:
        state: The state folder.
        installation: What they are made of. Another installation gets fonts of its own.

    Raises:
        StartError: They cannot be made.
    """
    engines = [engine for engine in _DOCUMENTS if engine in installation.engines]
    if not engines:
        return None
    stated = "\n".join([*_DOCUMENTS.values(), installation.digest])
    folder = state / "fonts" / hashlib.sha256(stated.encode()).hexdigest()[:32]
    if not folder.is_dir():
        try:
            work = Path(tempfile.mkdtemp(prefix=".fonts-", dir=state))
        except OSError as error:
            raise StartError(f"no fonts can be prepared in --state-dir {state}: {error.strerror}") from None
        try:
            for number, engine in enumerate(engines, 1):
                progress = (
                    f"preparing the fonts of {PROGRAMS[engine].name}, engine {number} of {len(engines)}"
                )
                _log.info(progress, extra={"fields": {"progress": progress}})
                await _compile(work / engine.name.lower(), engine)
            await asyncio.to_thread(_keep, work, folder)
        finally:
            await asyncio.to_thread(shutil.rmtree, work, ignore_errors=True)
    try:
        names = (folder / _NAMES).read_bytes() if LatexEngine.LUALATEX in engines else None
    except OSError as error:
        raise StartError(f"the fonts prepared in {folder} cannot be read: {error.strerror}") from None
    return PreparedFonts(folder, names)


async def _compile(work: Path, engine: LatexEngine) -> None:
    """Compile the document of an engine in a folder, where the engine leaves what it keeps of fonts."""
    configuration = await asyncio.to_thread(_lay_out, work, engine)
    process = await asyncio.create_subprocess_exec(
        *compile_command(engine, None),
        stdout=PIPE,
        stderr=STDOUT,
        stdin=DEVNULL,
        cwd=work,
        env={
            **ENVIRONMENT,
            **PROGRAMS[engine].environment,
            "PATH": PROGRAM_FOLDERS,
            "HOME": str(work),
            "FONTCONFIG_FILE": str(configuration),
            "XDG_CACHE_HOME": str(work),
        },
        start_new_session=True,
    )
    try:
        async with asyncio.timeout(_BUILD_SECONDS):
            output, _ = await process.communicate()
    except TimeoutError:
        name = PROGRAMS[engine].name
        raise StartError(f"{name} did not prepare its fonts within {_BUILD_SECONDS} s") from None
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        await process.wait()
    if process.returncode:
        name, code = PROGRAMS[engine].name, process.returncode
        reason = _reason(work, output, code)
        raise StartError(f"{name} cannot prepare its fonts: {reason}") from killed_by(code, name)


def _lay_out(work: Path, engine: LatexEngine) -> Path:
    """Write the document of an engine and a configuration of fontconfig; return the latter."""
    work.mkdir()
    (work / SOURCE).write_text(_DOCUMENTS[engine], encoding="utf-8")
    configuration = work / f"{_FONTCONFIG}.conf"
    configuration.write_text(_CONFIGURATION, encoding="utf-8")
    return configuration


def _reason(work: Path, output: bytes, code: int) -> str:
    """Return the first error of the log; without one, the end of the output."""
    try:
        said = first_error((work / LOG).read_text(encoding="utf-8", errors="replace"))
    except OSError:
        said = None
    if said is not None:
        return said.message
    end = " ".join(printable(output[-_OUTPUT_BYTES:]).split())
    return f"it ended with {code} and said: {end}"


def _keep(work: Path, folder: Path) -> None:
    """Move what was made to where services look for it."""
    made = work / "made"
    try:
        made.mkdir()
        for engine, part in ((LatexEngine.LUALATEX, _LUA), (LatexEngine.XELATEX, _FONTCONFIG)):
            source = work / engine.name.lower() / part
            if source.is_dir():
                source.rename(made / part)
        (made / f"{_FONTCONFIG}.conf").write_text(_CONFIGURATION, encoding="utf-8")
        keep_for_jobs(made, folder)
    except OSError as error:
        raise StartError(
            f"the prepared fonts cannot be kept in {folder}: {error.strerror}; run i2s-render-latex index as "
            "root, or name another --state-dir"
        ) from None


_GZIP = b"\x1f\x8b"


@dataclass(frozen=True, slots=True)
class UnpackedFormats:
    """The formats of the engines that are installed."""

    #: Folder that jobs read.
    folder: Path

    @property
    def environment(self) -> dict[str, str]:
        """Variables with which kpathsea finds these formats before those of TeX Live."""
        return {"TEXFORMATS": f"{self.folder}:{ENVIRONMENT['TEXFORMATS']}"}


async def unpack_formats(state: Path, installation: LatexInstallation) -> UnpackedFormats:
    """Return the unpacked formats, made before if they have to be.

    Args:
        state: The state folder.
        installation: The engines. Formats that TeX Live has made anew are unpacked anew.

    Raises:
        StartError: They cannot be unpacked.
    """
    return await asyncio.to_thread(_unpack, state, [PROGRAMS[engine] for engine in installation.engines])


def _unpack(state: Path, programs: list[TexProgram]) -> UnpackedFormats:
    try:
        packed = {f"{program.name}.fmt": _format_of(program).read_bytes() for program in programs}
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
