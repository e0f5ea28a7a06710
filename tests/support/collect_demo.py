"""Collects small data sets from stand-ins of arXiv and GitHub on loopback, and evaluates two models on them.

    python tests/support/collect_demo.py FOLDER

Nothing outside of this machine is asked. Papers and repositories are those of the tests.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from fake_sources.arxiv import FakeArxiv
from fake_sources.github import FakeGithub
from fake_sources.server import fake_server

_WINDOW = ("--from", "2026-10-01", "--until", "2026-10-31", "--contact", "demo@example.org", "--gap", "0.05")
_NOT_FULL = 3


def main(folder: Path) -> int:
    """Collect, evaluate, and return the exit code."""
    command = [sys.executable, "-m", "i2s_sdk.cli"]
    for source in ("arxiv", "github-pages", "music"):
        with fake_server(FakeArxiv() if source == "arxiv" else FakeGithub()) as server:
            words = ["collect", source, "--into", str(folder / source), *_WINDOW, "--base-url", server.url]
            code = subprocess.run([*command, *words], check=False).returncode
        if code not in (0, _NOT_FULL):
            return code
        for model in ("oracle", "baseline/ocr"):
            out = folder / f"{source}-{model.replace('/', '-')}"
            words = ["evaluate", "--data", str(folder / source), "--model", model, "--out", str(out)]
            if code := subprocess.run([*command, *words], check=False).returncode:
                return code
    return 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: collect_demo.py FOLDER")
    sys.exit(main(Path(sys.argv[1])))
