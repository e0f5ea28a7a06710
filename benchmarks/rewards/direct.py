"""Rewards in the process of a trainer, as most people compute them: no sandbox, no limits, no service.

LaTeX: cold pdflatex in a temporary folder until the .aux file is stable, pdftoppm, Pillow. Pages: a fresh
page in one running Chromium of Playwright, or in one of its own, a screenshot at the load event. Charts: a
fresh interpreter that runs the program and saves its figure. Scores: the metric code of this project, called
directly, so that it is the same score and its cost the same on both sides.

Run as a program it takes jobs from standard input and answers on standard output, one JSON object a line.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from PIL import Image

from benchmarks.harness.plain_worker import cropped
from benchmarks.html.ways import Plain, open_playwright
from benchmarks.latex.reference import compile_until_stable
from i2s_metrics.bounded_cache import BoundedCache
from i2s_metrics.model import ComparisonJob, MetricValue
from i2s_metrics.worker import draft
from i2s_wire.metrics.profile import Profile
from i2s_wire.metrics.score import SizePolicy

_RASTER = ("pdftoppm", "-r", "200", "-f", "1", "-l", "1", "-singlefile", "page.pdf", "page")
_CHART = (
    "import sys, matplotlib; matplotlib.use('Agg'); import matplotlib.pyplot as plt; "
    "plt.show = lambda: plt.savefig('chart.png'); "
    "exec(compile(open('program.py').read(), 'program.py', 'exec'))"
)
_MOST_PIXELS = 50_000_000


def latex(document: str, cut_bottom: float) -> bytes:
    """Return the image of a document.

    Raises:
        CalledProcessError: TeX or poppler refused it.
    """
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        (work / "page.tex").write_text(document, encoding="utf-8")
        compile_until_stable(work)
        subprocess.run(_RASTER, cwd=work, check=True, stdin=subprocess.DEVNULL)
        with Image.open(work / "page.ppm") as page:
            return cropped(page, cut_bottom)


def chart(program: str) -> bytes:
    """Return the image of a program.

    Raises:
        CalledProcessError: It failed.
    """
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "program.py").write_text(program, encoding="utf-8")
        environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
        subprocess.run(
            [sys.executable, "-c", _CHART], cwd=folder, check=True, capture_output=True, env=environment
        )
        return (Path(folder) / "chart.png").read_bytes()


def ems(reference: bytes, prediction: bytes, policy: SizePolicy, cache: BoundedCache) -> float:
    """Return the EMS of two images."""
    (outcome,) = draft(
        ComparisonJob(reference, prediction, policy, Profile.PAPER, ("ems",)), cache, _MOST_PIXELS, {}
    ).outcomes
    assert isinstance(outcome, MetricValue), "both are images"
    return outcome.value


async def main(chromium: str) -> None:
    """Answer jobs until standard input ends."""
    cache = BoundedCache(100_000_000)
    async with open_playwright() as playwright:
        plain = Plain(playwright, Path(chromium))
        kept = await plain.launch()

        async def page(files: dict[str, str], launch: bool) -> bytes:
            browser = await plain.launch() if launch else kept
            with tempfile.TemporaryDirectory() as folder:
                for name, text in files.items():
                    target = Path(folder) / name
                    target.parent.mkdir(parents=True, exist_ok=True)
                    target.write_bytes(bytes.fromhex(text))
                shown = await browser.new_page(viewport={"width": 1920, "height": 1080})
                try:
                    await shown.goto((Path(folder) / "index.html").as_uri(), wait_until="load")
                    return await shown.screenshot()
                finally:
                    await (browser if launch else shown).close()

        async def answer(job: dict[str, Any]) -> float:
            match job["task"]:
                case "latex":
                    image = latex(job["document"], job["cut_bottom"])
                case "webpage":
                    image = await page(job["files"], job["launch"])
                case _:
                    image = chart(job["document"])
            policy = SizePolicy[job["policy"]]
            return ems(await asyncio.to_thread(Path(job["reference"]).read_bytes), image, policy, cache)

        print(json.dumps({}), flush=True)
        while line := await asyncio.to_thread(sys.stdin.readline):
            try:
                said: dict[str, Any] = {"value": await answer(json.loads(line))}
            except (subprocess.CalledProcessError, OSError, ValueError) as error:
                said = {"error": str(error)}
            print(json.dumps(said), flush=True)
        await kept.close()


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt):  # how it is ended
        asyncio.run(main(sys.argv[1]))
