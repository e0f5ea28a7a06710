"""A worker that draws documents the plain way: subprocesses of a Python process that has everything imported.

No sandbox, no limits, no server. It takes jobs from standard input and answers on standard output, one JSON
object a line.
"""

from __future__ import annotations

import base64
import io
import json
import subprocess
import sys
from collections.abc import Callable
from typing import TypeAlias

from PIL import Image, ImageChops

from benchmarks.harness.meter import own_and_childrens_seconds

#: An image as PNG, CPU seconds by stage, and how often the engine ran.
Drawing: TypeAlias = tuple[bytes, dict[str, float], int]


class Stages:
    """CPU seconds by name of the stage, of this process and of those that it waited for."""

    def __init__(self) -> None:
        self.spent: dict[str, float] = {}
        self._last = own_and_childrens_seconds()

    def end(self, name: str) -> None:
        """Say that what was done since the last call, or since the beginning, was this stage."""
        now = own_and_childrens_seconds()
        self.spent[name] = now - self._last
        self._last = now


def cropped(page: Image.Image, cut_bottom: float = 0.0) -> bytes:
    """Return the ink of a page as PNG, the lowest share of the page left out.

    Raises:
        ValueError: The page is blank.
    """
    width, height = page.size
    kept = page.crop((0, 0, width, height - int(height * cut_bottom)))
    ink = ImageChops.difference(kept, Image.new("RGB", kept.size, "white")).getbbox()
    if ink is None:
        raise ValueError("the page is blank")
    output = io.BytesIO()
    kept.crop(ink).save(output, "PNG")
    return output.getvalue()


def answer_jobs(draw: Callable[[str], Drawing]) -> None:
    """Draw the documents of standard input until it ends."""
    for line in sys.stdin:
        try:
            png, stages, runs = draw(json.loads(line)["document"])
            answer = {"png": base64.b64encode(png).decode(), "stages": stages, "runs": runs}
        except (subprocess.CalledProcessError, ValueError, OSError) as error:
            answer = {"error": str(error)}
        print(json.dumps(answer), flush=True)
