"""The plain way from a document to an image, as the reference implementation of the benchmark goes it.

Cold pdflatex (batchmode, halt on error, no shell escape) in a temporary folder until the .aux file is what
it was before the run, so at least twice; pdftoppm at 200 dpi for the first page; Pillow cuts off the lowest
fifth, crops to ink and saves the PNG. pdf2image's call of pdfinfo is left out, to its advantage.
"""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path

from PIL import Image

from benchmarks.harness.plain_worker import Drawing, Stages, answer_jobs, cropped

CUT_BOTTOM = 0.2
_LATEX = ("pdflatex", "-interaction=batchmode", "-halt-on-error", "-no-shell-escape", "page.tex")
_RASTER = ("pdftoppm", "-r", "200", "-f", "1", "-l", "1", "-singlefile", "page.pdf", "page")
_MAX_RUNS = 15


def render(document: str) -> Drawing:
    """Return the image of a document.

    Raises:
        CalledProcessError: TeX or poppler refused it.
        ValueError: It is blank.
    """
    stages = Stages()
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        (work / "page.tex").write_text(document, encoding="utf-8")
        runs = compile_until_stable(work)
        stages.end("compile")
        subprocess.run(_RASTER, cwd=work, check=True, stdin=subprocess.DEVNULL)
        stages.end("raster")
        with Image.open(work / "page.ppm") as page:
            png = cropped(page, CUT_BOTTOM)
        stages.end("crop")
    return png, stages.spent, runs


def compile_until_stable(work: Path) -> int:
    """Compile page.tex until a run leaves the .aux file as it was; returns the number of runs."""
    before = None
    nothing = subprocess.DEVNULL
    for run in range(1, _MAX_RUNS + 1):
        subprocess.run(_LATEX, cwd=work, check=True, stdin=nothing, stdout=nothing)
        after = (work / "page.aux").read_bytes()
        if after == before:
            return run
        before = after
    return _MAX_RUNS


if __name__ == "__main__":
    answer_jobs(render)
