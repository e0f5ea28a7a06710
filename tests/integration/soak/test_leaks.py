"""A soak finds what a renderer keeps of its jobs: here of one that is made to keep it."""

import os
import sys
from pathlib import Path

import pytest

from soak_command import SUPPORT, soak

pytestmark = [
    pytest.mark.integration,
    pytest.mark.timeout(600),
    pytest.mark.nightly(instead="the short soak, and the unit tests of what it says"),
]

#: What is kept, after how many good and as many hostile jobs it is found, and what is said of it.
LEAKS = [
    ("process", 10, "processes"),
    ("picture", 10, "entries in the temporary folder"),
    ("descriptor", 10, "descriptors"),
    ("megabyte", 30, "MiB of each of"),
]


def of_pillow(folder: Path, leak: str, *options: object):
    """Return what came of a soak of the renderer that keeps something."""
    program = folder / "i2s-render-pillow"
    program.write_text(f'#!/bin/sh\nPYTHONPATH={SUPPORT} exec {sys.executable} -m leaking_renderer "$@"\n')
    program.chmod(0o755)
    environment = {
        "PATH": f"{folder}{os.pathsep}{os.environ['PATH']}",
        "I2S_RENDER_PILLOW_LEAK": leak,
        "I2S_RENDER_PILLOW_JAIL_UID_BASE": "63000",
    }
    fixed = ("--services", "render-pillow", "--service-deaths", 0, "--checkpoints", 2)
    return soak(*fixed, *options, environment=environment)


@pytest.mark.parametrize(("leak", "jobs", "said"), LEAKS, ids=[leak for leak, *_ in LEAKS])
def test_a_renderer_that_keeps_something_of_each_job_is_found(tmp_path, leak, jobs, said):
    ended, found = of_pillow(tmp_path, leak, "--jobs", jobs, "--actions", 2, "--patience", 5)
    assert ended.returncode == 1, ended.stderr
    assert found["faults"] == []
    assert any(said in one for one in found["held"]), ended.stderr


def test_a_renderer_that_keeps_nothing_holds(tmp_path):
    ended, found = of_pillow(tmp_path, "nothing", "--jobs", 30, "--actions", 6)
    assert (found["faults"], found["held"]) == ([], []), ended.stderr
    assert ended.returncode == 0
    assert found["holds"]
