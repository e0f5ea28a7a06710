"""The reference-style procedure: what the released code of the benchmark does for an answer, written plainly.

LaTeX: the full preamble, cold pdflatex in batch mode until the .aux file is stable, so at least twice,
pdftoppm at 200 dpi, the lowest fifth cut off, cropped to ink. Sheet music: convert-ly, cold `lilypond --png`,
the same cut and crop; a score of several pages fails. Web pages: `jekyll serve`, a browser that is started
for the page, a screenshot at the load event. Scores: both files decoded, Earth Mover Similarity by two loops
over cv2.EMD with one denominator, scikit-image's structural similarity, pixel similarity with NumPy, by the
rules of profile ``helm``. One sample at a time, without a sandbox, without limits, without a server.

To its advantage the edit similarity, pdf2image's call of pdfinfo, and the start of Python and of Playwright
are left out. LPIPS and CIS are left out on both sides.

Run as a program it takes jobs from standard input and answers on standard output, one JSON object a line.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image
from skimage.metrics import structural_similarity

from benchmarks.ems.definition import block_emd, helm_denominator
from benchmarks.harness.command import MeasurementError
from benchmarks.harness.meter import Meter, open_meter
from benchmarks.harness.plain_worker import Stages, cropped
from benchmarks.html import ways
from benchmarks.latex import reference as latex
from i2s_render_lilypond.installation import find_installation
from i2s_wire.metrics.profile import Profile

_VIEWPORT_TASK = "webpage"
_TOLERANCE = 0.02
_FREQUENT = 4  # rows that are more than one of so many rows do not match

Rgb = NDArray[np.uint8]
_ssim: Callable[..., float] = structural_similarity


class RefusedError(Exception):
    """An engine made no image of a document; says why."""


def draw(task: str, source: Path, programs: Path, image: Path) -> dict[str, float]:
    """Write the image of a document or a score, and return CPU seconds by stage.

    Raises:
        RefusedError: A program refused it.
        CalledProcessError: The same.
        ValueError: It is blank.
    """
    if task == "music":
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "score.ly").write_bytes(source.read_bytes())
            png, stages = draw_score(Path(folder), programs)
    else:
        png, stages, _ = latex.render(source.read_text(encoding="utf-8"))
    image.write_bytes(png)
    return stages


def draw_score(work: Path, programs: Path) -> tuple[bytes, dict[str, float]]:
    """Return the PNG of score.ly of a folder, and CPU seconds by stage.

    Raises:
        RefusedError: A program refused it, or it has several pages.
    """
    stages = Stages()
    for name, command in (
        ("convert", [str(programs / "convert-ly"), "-e", "score.ly"]),
        ("compile and raster", [str(programs / "lilypond"), "--png", "score.ly"]),
    ):
        ended = subprocess.run(command, cwd=work, check=False, capture_output=True)
        stages.end(name)
        if name == "convert" and ended.returncode:
            raise RefusedError(f"convert-ly ended with {ended.returncode}")
    image = work / "score.png"
    if not image.exists():
        raise RefusedError("lilypond made no score.png: the score is faulty or has several pages")
    with Image.open(image) as page:
        png = cropped(page.convert("RGB"), latex.CUT_BOTTOM)
    stages.end("crop")
    return png, stages.spent


def values(prediction: Path, reference: Path, task: str) -> tuple[dict[str, float], dict[str, float]]:
    """Return the values of a pair by metric, and CPU seconds by stage."""
    stages = Stages()
    with Image.open(prediction) as one:
        ours = np.asarray(one.convert("RGB"))
    with Image.open(reference) as other:
        theirs = np.asarray(other.convert("RGB"))
    ours, theirs = _resized(ours, theirs) if task == _VIEWPORT_TASK else _padded(ours, theirs)
    grey, truth = (np.asarray(Image.fromarray(image).convert("L")) for image in (ours, theirs))
    stages.end("decode")
    found = {"pixel": _matching_rows(grey, truth)}
    stages.end("pixel")
    found["ssim"] = (float(_ssim(grey, truth, data_range=255)) + 1) / 2
    stages.end("ssim")
    distance, denominator = block_emd(ours, theirs, Profile.HELM), helm_denominator(theirs)
    found["ems"] = 1 - distance.value / denominator.value if denominator.value else 1.0
    stages.end("ems")
    return found, stages.spent


def _resized(image: Rgb, reference: Rgb) -> tuple[Rgb, Rgb]:
    height, width, _ = reference.shape
    if image.shape == reference.shape:
        return image, reference
    return np.asarray(Image.fromarray(image).resize((width, height), Image.Resampling.BICUBIC)), reference


def _padded(*images: Rgb) -> tuple[Rgb, Rgb]:
    height, width = (max(image.shape[axis] for image in images) for axis in (0, 1))
    padded = [np.full((height, width, 3), 255, np.uint8) for _ in images]
    for target, one in zip(padded, images, strict=True):
        target[: one.shape[0], : one.shape[1]] = one
    return padded[0], padded[1]


def _matching_rows(image: NDArray[np.uint8], reference: NDArray[np.uint8]) -> float:
    """Return the share of rows that match; a row is what the released code takes for a pixel."""
    both = np.concatenate([image, reference])
    _, which, counts = np.unique(both, axis=0, return_inverse=True, return_counts=True)
    frequent = counts[which.ravel()] * _FREQUENT > len(both)
    height = len(reference)
    near = np.linalg.norm((image - reference).astype(np.float64), axis=1) / 255 <= _TOLERANCE
    return float(np.count_nonzero(near & ~frequent[:height] & ~frequent[height:]) / height)


class Worker:
    """Does one job after the other.

    Args:
        meter: Counts this process and all below it.
        browser: Starts browsers.
        programs: Folder of lilypond and convert-ly.
    """

    def __init__(self, meter: Meter, browser: ways.Plain, programs: Path) -> None:
        self._meter, self._browser, self._programs = meter, browser, programs

    async def answer(self, job: dict[str, Any]) -> dict[str, Any]:
        """Return what became of a sample: values, stages, CPU and wall time; its image is written to a file.

        With ``prediction`` in place of a source, only the values of that file are computed.
        """
        task, reference = job["task"], Path(job["reference"])
        if "prediction" in job:
            return {"values": values(Path(job["prediction"]), reference, task)[0]}
        before, began = await self._meter.settled(), time.monotonic()
        image = Path(job["picture"])
        try:
            stages = await self._draw(task, Path(job["source"]), image)
        except (RefusedError, subprocess.CalledProcessError, MeasurementError, ValueError) as error:
            return {"refused": str(error)}
        found, spent = values(image, reference, task)
        wall = time.monotonic() - began
        cpu = await self._meter.settled() - before
        return {"values": found, "stages": {**stages, **spent}, "cpu": cpu, "wall": wall}

    async def _draw(self, task: str, source: Path, image: Path) -> dict[str, float]:
        if task != _VIEWPORT_TASK:
            return draw(task, source, self._programs, image)
        before = self._meter.cpu_seconds()
        png = await ways.served(self._browser, source)
        image.write_bytes(png)  # noqa: ASYNC240 - nothing else runs here
        return {"jekyll serve and browser": await self._meter.settled() - before}


async def main(chromium: str) -> None:
    """Answer jobs until standard input ends."""
    cv2.setNumThreads(1)
    meter = open_meter("procedure")
    meter.adopt(os.getpid())
    print(json.dumps({"counted": meter.how}), flush=True)
    async with ways.open_playwright() as playwright:
        programs = find_installation().lilypond.parent
        worker = Worker(meter, ways.Plain(playwright, Path(chromium)), programs)
        while line := await asyncio.to_thread(sys.stdin.readline):
            print(json.dumps(await worker.answer(json.loads(line))), flush=True)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
