"""The engines of TeX that compile documents: their programs and command lines, and what makes them alike."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType

from i2s_render_latex.document import JOB_NAME, PDF, SOURCE
from i2s_wire.render.options import LatexEngine

#: The time that documents see: 2024-01-01 00:00:00 UTC. The same document is the same image
#: on every day.
SOURCE_DATE_EPOCH = 1_704_067_200

#: Where LuaTeX keeps the fonts that a job reads anew, in the work folder.
LUA_CACHE = "luatex-cache/"
#: Folders of the work folder in which engines keep what is not of the document.
KEPT_BY_ENGINES = (LUA_CACHE, ".cache/fontconfig/")

#: The pages as XeTeX writes them; a second program makes the PDF of them.
XDV = f"{JOB_NAME}.xdv"

#: The first line of a document chooses no format and no options; LuaTeX never lets it.
NO_FIRST_LINE = "-no-parse-first-line"

# Objects are written plainly, so that the size of the page can be read (inspect.read_plain), and random
# numbers begin at the same place, since they else start from the clock.
_BEGIN_PDFTEX = r"\pdfsetrandomseed 1 \pdfobjcompresslevel 0 "
_BEGIN_XETEX = r"\setrandomseed 1 "
# Lua asks the system for the time, whatever SOURCE_DATE_EPOCH says.
_BEGIN_LUATEX = (
    r"\pdfvariable objcompresslevel=0 \setrandomseed 1 \directlua{math.randomseed(1) "
    f"local now = {SOURCE_DATE_EPOCH} local time, date = os.time, os.date "
    "os.time = function(day) return day and time(day) or now end "
    "os.date = function(form, day) return date(form, day or now) end "
    "os.gettimeofday = function() return now end} "
)


@dataclass(frozen=True, slots=True)
class TexProgram:
    """An engine of TeX with LaTeX."""

    #: Program and the options that it alone has.
    command: tuple[str, ...]
    #: Name of the program without LaTeX, as versions and answers have it.
    engine: str
    #: TeX before the document.
    begin: str
    #: The file that it writes pages to.
    output: str
    #: Package that it is installed with on Debian.
    package: str
    #: Name of the engine, for kpsewhich, that its format belongs to; None if the program is not optional.
    format_engine: str | None
    #: Variables that it has in place of those of all programs.
    environment: Mapping[str, str] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """Name of the command."""
        return self.command[0]


PROGRAMS: Mapping[LatexEngine, TexProgram] = MappingProxyType(
    {
        LatexEngine.PDFLATEX: TexProgram(
            ("pdflatex", NO_FIRST_LINE), "pdftex", _BEGIN_PDFTEX, PDF, "texlive-latex-base", None
        ),
        LatexEngine.LUALATEX: TexProgram(
            ("lualatex", "--nosocket"),
            "luahbtex",
            _BEGIN_LUATEX,
            PDF,
            "texlive-luatex",
            "luahbtex",
            # Lua of TeX Live 2023 heeds no such bound, so it protects nothing; with it, that of 2024 cannot
            # read its own fonts.
            {"openin_any": "a"},
        ),
        # XeTeX would start the second program by a shell; here it is a step of its own.
        LatexEngine.XELATEX: TexProgram(
            ("xelatex", "-no-pdf", NO_FIRST_LINE), "xetex", _BEGIN_XETEX, XDV, "texlive-xetex", "xetex"
        ),
    }
)

#: Makes the PDF of what XeTeX wrote; starts no other program for images in PostScript (``-D``).
XDV_TO_PDF = ("xdvipdfmx", "-q", "-E", "-D", "", "-o", PDF, XDV)


_FLAGS = (
    "-no-shell-escape",
    "-file-line-error",
    "-interaction=batchmode",
    "-halt-on-error",
    f"-jobname={JOB_NAME}",
)
_INPUT = rf"\input {SOURCE} "


def compile_command(engine: LatexEngine, format_file: Path | None) -> list[str]:
    """Return the command that compiles the job's document.

    Args:
        engine: The program.
        format_file: Format of pdfTeX that the run begins with; None begins at the first line.
    """
    program = PROGRAMS[engine]
    chosen = [] if format_file is None else [f"-fmt={format_file}"]
    return [*program.command, *_FLAGS, *chosen, f"{program.begin}{_INPUT}"]


def dump_command(definition: str) -> list[str]:
    """Return the command that dumps a format, at low priority, and records what it reads.

    Args:
        definition: TeX before the source file.
    """
    begin = f"{PROGRAMS[LatexEngine.PDFLATEX].begin}{definition} {_INPUT}"
    return ["nice", "-n", "19", "pdftex", "-ini", "-recorder", NO_FIRST_LINE, *_FLAGS, "&pdflatex", begin]
