"""What commands print with --json has the keys that version 0.1.0 printed, with values of the same types."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from PIL import Image

from i2s_sdk.settings import Settings
from recorded import lost, recorded_json, recorded_run, shape, without_networks

pytestmark = pytest.mark.integration

#: Words of each command by its name, in a folder with the recorded data, runs and answers.
COMMANDS = {
    "dataset validate": ("dataset", "validate", "data"),
    "doctor": ("doctor",),
    "evaluate": (
        *("evaluate", "--data", "data", "--model", "replay:answers.jsonl", "--out", "run"),
        *("--fail-on-error", "10"),
    ),
    "merge": ("merge", "shard-1", "shard-2", "--out", "merged", "--fail-on-error", "10"),
    "metrics": ("metrics",),
    "render latex": ("render", "latex", "formula.tex", "-o", "formula.png"),
    "report": ("report", "finished"),
    "score": ("score", "white.png", "white.png", "--metrics", "ssim,pixel,ems"),
    "table": ("table", "finished"),
}


@pytest.mark.parametrize("name", COMMANDS)
def test_every_key_is_there(name: str, tmp_path: Path, running_without_networks: Settings) -> None:
    printed = output(COMMANDS[name], tmp_path, running_without_networks)
    assert list(lost(recorded_json("outputs.json")[name], printed)) == []


def output(words: tuple[str, ...], folder: Path, services: Settings) -> object:
    """Return the shape of what a command prints with --json."""
    for run in ("finished", "shard-1", "shard-2"):
        recorded_run(run, folder)
    Image.new("RGB", (64, 64), "white").save(folder / "white.png")
    (folder / "formula.tex").write_text(r"\[ x^2 \]")
    addresses = {
        "I2S_RENDER_LATEX": str(services.render_latex),
        "I2S_METRICS": str(services.metrics),
        "I2S_RENDER_HTML": "127.0.0.1:1",
        "I2S_RENDER_LILYPOND": "127.0.0.1:1",
        "I2S_START_SECONDS": "1",
    }
    done = subprocess.run(
        [sys.executable, "-m", "i2s_sdk.cli", *words, "--json"],
        cwd=folder,
        env={**os.environ, **addresses},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout, done.stderr
    return shape(without_networks(json.loads(done.stdout)))
