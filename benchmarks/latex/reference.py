"""The plain way from a document to a picture, as the reference implementation of the benchmark goes it.

Cold pdflatex (batchmode, halt on error, no shell escape) in a temporary folder until the .aux file is what
it was before the run, so at least twice; pdftoppm at 200 dpi for the first page; Pillow cuts off the lowest
fifth, crops to ink and saves the PNG. No sandbox, no limits, no server: plain subprocesses of a Python
process that has everything imported. pdf2image's call of pdfinfo is left out, to its advantage.

Run as a program it takes jobs from standard input and answers on standard output, one JSON object a line.
"""

from __future__ import annotations

import base64
import io
import json
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

from PIL import Image, ImageChops

_LATEX = ("pdflatex", "-interaction=batchmode", "-halt-on-error", "-no-shell-escape", "page.tex")
_RASTER = ("pdftoppm", "-r", "200", "-f", "1", "-l", "1", "-singlefile", "page.pdf", "page")
_CUT_BOTTOM = 0.2
_MAX_RUNS = 15


class Stages:
    """CPU seconds by name of the stage, of this process and of those that it waited for."""

    def __init__(self) -> None:
        self.spent: dict[str, float] = {}
        self._last = _cpu()

    def end(self, name: str) -> None:
        """Say that what was done since the last call, or since the beginning, was this stage."""
        now = _cpu()
        self.spent[name] = now - self._last
        self._last = now


def _cpu() -> float:
    used = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(one.ru_utime + one.ru_stime for one in used)


def render(document: str) -> tuple[bytes, dict[str, float], int]:
    """Return the PNG of a document, CPU seconds by stage, and how often TeX ran.

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
            png = cropped(page)
        stages.end("crop")
    return png, stages.spent, runs


def compile_until_stable(work: Path) -> int:
    """Compile page.tex until a run leaves the .aux file as it found it; returns the number of runs."""
    before = None
    nothing = subprocess.DEVNULL
    for run in range(1, _MAX_RUNS + 1):
        subprocess.run(_LATEX, cwd=work, check=True, stdin=nothing, stdout=nothing)
        after = (work / "page.aux").read_bytes()
        if after == before:
            return run
        before = after
    return _MAX_RUNS


def cropped(page: Image.Image) -> bytes:
    """Return the ink of the page above its foot, as PNG."""
    width, height = page.size
    kept = page.crop((0, 0, width, height - int(height * _CUT_BOTTOM)))
    ink = ImageChops.difference(kept, Image.new("RGB", kept.size, "white")).getbbox()
    if ink is None:
        raise ValueError("the page is blank above the cut")
    output = io.BytesIO()
    kept.crop(ink).save(output, "PNG")
    return output.getvalue()


def main() -> None:
    """Answer jobs until standard input ends."""
    for line in sys.stdin:
        try:
            png, stages, runs = render(json.loads(line)["document"])
            answer = {"png": base64.b64encode(png).decode(), "stages": stages, "runs": runs}
        except (subprocess.CalledProcessError, ValueError, OSError) as error:
            answer = {"error": str(error)}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
