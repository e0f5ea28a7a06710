"""The command of `make test SUITE=soak`, as tests run it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

SUPPORT = Path(__file__).parent
_PROGRAM = SUPPORT.parent / "soak" / "run.py"


def soak(
    *options: object, environment: Mapping[str, str] | None = None
) -> tuple[subprocess.CompletedProcess[str], dict[str, Any]]:
    """Return how a soak ended, and its summary.

    Args:
        options: Options of the command tests/soak/run.py.
        environment: Variables in addition to those of the tests.
    """
    command = [sys.executable, str(_PROGRAM), *map(str, options)]
    variables = {**os.environ, "PYTHONPATH": str(SUPPORT), **(environment or {})}
    ended = subprocess.run(command, env=variables, capture_output=True, text=True, check=False)
    assert ended.stdout, ended.stderr
    return ended, json.loads(ended.stdout)
