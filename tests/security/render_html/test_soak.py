"""Hostile and good pages mixed, as `python -m benchmarks.html --soak` does it at length."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.security

PAGES = 60


@pytest.mark.timeout(600)
@pytest.mark.skipif(os.geteuid() != 0, reason="processes of jobs are told by their users")
def test_good_pages_stay_the_same_among_hostile_ones_and_nobody_is_left():
    command = [sys.executable, "-m", "benchmarks.html", "--soak", str(PAGES), "--limit", "4"]
    root = Path(__file__).parents[3]
    ended = subprocess.run(command, cwd=root, capture_output=True, text=True, timeout=580, check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    outcome = json.loads(ended.stdout)
    assert (outcome["pages"], outcome["changed"], outcome["left"]) == (PAGES, [], 0)
    assert sum(outcome["verdicts"].values()) == PAGES // 2
    assert set(outcome["verdicts"]) >= {"TIME_LIMIT", "RENDERED"}
