"""The command lines of TeX."""

from __future__ import annotations

from pathlib import Path

from i2s_render_latex.document import JOB_NAME, SOURCE
from i2s_render_latex.programs import NO_FIRST_LINE, PROGRAMS
from i2s_wire.render.options import LatexEngine

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
