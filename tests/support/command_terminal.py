"""A terminal in which the command lines of a page are run."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path

PROGRAM = Path(sys.executable).with_name("i2s-sdk")


class Terminal:
    """Runs the command lines of a section one after the other in a folder."""

    def __init__(self, folder: Path, endpoints: dict[str, str]) -> None:
        self.folder = folder
        own = {"XDG_CACHE_HOME": str(folder / "cache"), "I2S_REFERENCE_POINTS": "no"}
        self.environ = {**os.environ, **endpoints, **own}
        self.environ.pop("OPENAI_API_KEY", None)

    def run(self, line: str, *more: str) -> str:
        """Run a line that begins with i2s-sdk, with further options, and return what it printed."""
        name, *words = shlex.split(line)
        assert name == "i2s-sdk"
        ended = subprocess.run(
            [str(PROGRAM), *words, *more],
            cwd=self.folder,
            env=self.environ,
            capture_output=True,
            text=True,
            check=False,
            timeout=280,
        )
        assert ended.returncode == 0, f"{line}\n{ended.stdout}\n{ended.stderr}"
        return ended.stdout
