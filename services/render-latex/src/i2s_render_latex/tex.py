r"""The command lines of TeX.

Both begin the random numbers at the same place, so that \pdfuniformdeviate, which else starts from
the clock, gives every run the same picture. Objects are written plainly, so that the size of the page can
be read (``inspect.read_plain``).
"""

from __future__ import annotations

from pathlib import Path

from i2s_render_latex.document import JOB_NAME, SOURCE

_FLAGS = (
    "-no-shell-escape",
    "-no-parse-first-line",
    "-file-line-error",
    "-interaction=batchmode",
    "-halt-on-error",
    f"-jobname={JOB_NAME}",
)
_BEGIN = rf"\pdfsetrandomseed 1 \pdfobjcompresslevel 0 \input {SOURCE} "


def compile_command(format_file: Path | None) -> list[str]:
    """Return the command that compiles the job's document, with a format or from the first line."""
    chosen = [] if format_file is None else [f"-fmt={format_file}"]
    return ["pdflatex", *_FLAGS, *chosen, _BEGIN]


def dump_command(definition: str) -> list[str]:
    """Return the command that dumps a format, at low priority, and records what it reads.

    Args:
        definition: TeX before the source file.
    """
    begin = _BEGIN.replace(r"\input", rf"{definition} \input")
    return ["nice", "-n", "19", "pdftex", "-ini", "-recorder", *_FLAGS, "&pdflatex", begin]
