"""The recipe for images that no structure of the task had made, command by command."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from PIL import Image, ImageDraw

from documentation_pages import commands, section

pytestmark = pytest.mark.integration

PAGE, SECTION = "data.md", "Images that were not made with the language of the task"
PROGRAM = Path(sys.executable).with_name("i2s-sdk")


def _page(path: Path, title: str, color: str) -> None:
    """Draw a page of text that no TeX and no browser has made."""
    page = Image.new("RGB", (640, 480), color)
    draw = ImageDraw.Draw(page)
    draw.rectangle((40, 40, 600, 90), fill="navy")
    draw.text((60, 55), title, fill="white", font_size=24)
    for line in range(8):
        draw.text(
            (60 + 10 * line, 120 + 35 * line), f"Question {line}: what is {line} + {line}?", fill="black"
        )
    page.save(path)


def _run(line: str, folder: Path, endpoints: dict[str, str]) -> str:
    name, *words = shlex.split(line)
    assert name == "i2s-sdk"
    environ = {
        **os.environ,
        **endpoints,
        "XDG_CACHE_HOME": str(folder / "cache"),
        "I2S_REFERENCE_POINTS": "no",
    }
    ended = subprocess.run(
        [str(PROGRAM), *words],
        cwd=folder,
        env=environ,
        capture_output=True,
        text=True,
        check=False,
        timeout=280,
    )
    assert ended.returncode == 0, f"{line}\n{ended.stdout}\n{ended.stderr}"
    return ended.stdout


@pytest.mark.nightly(instead="commands of other pages (test_quickstart, test_reading_scores)")
def test_the_commands_of_the_page_give_values_without_a_ground_truth(
    tmp_path: Path, light_endpoints: dict[str, str]
) -> None:
    for folder, color in (("word-pages", "white"), ("magazine-pages", "beige")):
        (tmp_path / folder).mkdir()
        for number in (1, 2):
            _page(tmp_path / folder / f"page-{number}.png", f"Page {number}", color)
    *made_and_evaluated, first, second = commands(section(PAGE, SECTION))
    for line in made_and_evaluated:
        _run(line, tmp_path, light_endpoints)
    for run, table in (("word", first), ("magazine", second)):
        results = json.loads((tmp_path / "runs" / run / "results.json").read_text())
        assert (results["planned"], results["scored"]) == (2, 2)
        printed = _run(table, tmp_path, light_endpoints)
        assert "ems" in printed.lower()
        assert next(iter(results["tasks"].values()))["values"]["edit"] is None
