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

_COMMAND = (sys.executable, "-m", "i2s_sdk.cli")
_WINDOW = ("--from", "2026-10-01", "--until", "2026-10-31", "--contact", "demo@example.org", "--gap", "0.05")
_MODELS = ("--model", "oracle", "--model", "baseline/shuffled")
_NOT_FULL = 3


def main(folder: Path) -> int:
    """Collect, evaluate, and return the exit code."""
    for source in ("arxiv", "github-pages", "music"):
        data, out = str(folder / source), str(folder / f"{source}-run")
        with fake_server(FakeArxiv() if source == "arxiv" else FakeGithub()) as server:
            code = _run("collect", source, "--into", data, *_WINDOW, "--base-url", server.url)
        if code not in (0, _NOT_FULL):
            return code
        if code := _run("evaluate", "--data", data, *_MODELS, "--out", out):
            return code
    return 0


def _run(*words: str) -> int:
    return subprocess.run([*_COMMAND, *words], check=False).returncode


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: collect_demo.py FOLDER")
    sys.exit(main(Path(sys.argv[1])))
