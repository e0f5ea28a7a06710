"""Applies one-line changes to a copy of the code, and says which of them no unit test finds.

    .venv/bin/python tests/mutants/run.py [--list FILE] [NAME…]

The changes stand in mutants.toml, or in FILE: a file, the text that is replaced (once in that file), what it
becomes, and the tests that are to fail. With names, only changes whose file has one of them in its path. The
exit code is 1 if a change was not found, or does not fit any more.
"""

from __future__ import annotations

import argparse
import os
import shutil
import signal
import sys
import tempfile
import threading
import tomllib
from dataclasses import dataclass
from pathlib import Path

import google.protobuf.message  # noqa: F401 - loaded before the forks, as those below
import grpc.aio  # noqa: F401
import hypothesis  # noqa: F401
import numpy as np  # noqa: F401
import PIL.Image  # noqa: F401
import pytest
import tenacity  # noqa: F401

ROOT = Path(__file__).resolve().parents[2]
SECONDS = 120  # for the tests of one change

FOUND, HANGS, MISSED = "found", "hangs", "NOT FOUND"


@dataclass(frozen=True)
class Mutant:
    """A change: in ``file``, ``old`` becomes ``new``, and one of ``tests`` is to fail."""

    file: str
    old: str
    new: str
    tests: tuple[str, ...]


def read_mutants(file: Path) -> list[Mutant]:
    """Return the changes of a file."""
    groups = tomllib.loads(file.read_text())["group"]
    return [
        Mutant(group["file"], change["old"], change["new"], tuple(group["tests"]))
        for group in groups
        for change in group["changes"]
    ]


def verdict_on(mutant: Mutant, copy: Path) -> str:
    """Return FOUND if a test fails with the change, HANGS if the tests do not end, else MISSED.

    Raises:
        ValueError: The text is not in the file or stands there more than once, or the tests cannot be run.
    """
    path = copy / mutant.file
    text = path.read_text()
    if text.count(mutant.old) != 1:
        raise ValueError(f"stands {text.count(mutant.old)} times in the file")
    path.write_text(text.replace(mutant.old, mutant.new))
    try:
        code = run_tests(mutant.tests, copy)
    finally:
        path.write_text(text)
    verdicts = {0: MISSED, 1: FOUND, -signal.SIGKILL: HANGS}
    if code not in verdicts:
        raise ValueError(f"the tests ended with {code}")
    return verdicts[code]


def run_tests(tests: tuple[str, ...], copy: Path, seconds: float = SECONDS) -> int:
    """Run tests in a process of their own, the copy of the code in the place of ours; returns the exit code.

    The process is forked from this one, in which everything that takes long to import is loaded, but nothing
    of ours. If the tests do not end in time, it is killed; the code is then minus the number of the signal.
    """
    child = os.fork()
    if child == 0:
        os.setsid()
        searched = [str(path) for path in sorted(copy.glob("*/*/src"))]
        sys.path[:0] = searched
        os.environ |= {"PYTHONPATH": os.pathsep.join(searched), "PYTHONDONTWRITEBYTECODE": "1"}
        with open(os.devnull, "w") as nothing:
            os.dup2(nothing.fileno(), 1)
            os.dup2(nothing.fileno(), 2)
        os._exit(pytest.main(["-q", "-x", "-p", "no:cacheprovider", "-p", "no:xdist", *tests]))
    # This process ends it: an alarm of the child's own is overwritten by the time limits of its tests.
    watch = threading.Timer(seconds, os.killpg, (child, signal.SIGKILL))
    watch.start()
    try:
        _, status = os.waitpid(child, 0)
    finally:
        watch.cancel()
    return os.waitstatus_to_exitcode(status)


def main(listed: Path, names: list[str]) -> int:
    """Try every change and print what became of it."""
    wanted = read_mutants(listed)
    os.chdir(ROOT)
    mutants = [one for one in wanted if not names or any(name in one.file for name in names)]
    survivors = 0
    with tempfile.TemporaryDirectory(prefix="i2s-mutants-") as folder:
        copy = Path(folder)
        for package in {one.file.partition("/src/")[0] + "/src" for one in mutants}:
            ignored = shutil.ignore_patterns("__pycache__")
            shutil.copytree(ROOT / package, copy / package, ignore=ignored)
        every = tuple(sorted({test for one in mutants for test in one.tests}))
        if (code := run_tests(every, copy, SECONDS * len(every))) != 0:
            print(f"the tests fail without any change: pytest ended with {code}")
            return 1
        for mutant in mutants:
            try:
                verdict = verdict_on(mutant, copy)
            except ValueError as error:
                verdict = f"NOT TRIED: {error}"
            survivors += verdict not in (FOUND, HANGS)
            print(
                f"{verdict:9}  {Path(mutant.file).name}: {mutant.old.strip()} → {mutant.new.strip()}",
                flush=True,
            )
    print(f"{len(mutants) - survivors} of {len(mutants)} changes were found")
    return 1 if survivors else 0


if __name__ == "__main__":
    command = argparse.ArgumentParser()
    command.add_argument("--list", type=Path, default=Path(__file__).with_name("mutants.toml"))
    command.add_argument("names", nargs="*")
    options = command.parse_args()
    sys.exit(main(options.list, options.names))
