"""Run Python as an ordinary user, where that user can read an interpreter, the packages and this clone."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Sequence
from pathlib import Path

import pytest

_ROOT = Path(__file__).parents[2]
_NOBODY = 65534


def run_as_ordinary_user(
    *arguments: str, sources: Sequence[str], modules: Sequence[str]
) -> subprocess.CompletedProcess[str]:
    """Run an interpreter as nobody where the tests are root, in a home of its own; skips where nobody can.

    Args:
        arguments: Of the interpreter.
        sources: Folders of packages of this clone.
        modules: That must be importable.
    """
    with tempfile.TemporaryDirectory(prefix="i2s-nobody-") as home:
        if os.geteuid() == 0:
            os.chown(home, _NOBODY, _NOBODY)
        Path(home).chmod(0o755)
        wanted = ("-c", f"import {', '.join(modules)}")
        for python in (sys.executable, "/usr/bin/python3", "/usr/local/bin/python3"):
            try:
                if _run(python, home, sources, wanted).returncode == 0:
                    return _run(python, home, sources, arguments)
            except OSError:
                continue
    pytest.skip("no interpreter and packages that an ordinary user can read; run as one to have it")


def _run(
    python: str, home: str, sources: Sequence[str], arguments: Sequence[str]
) -> subprocess.CompletedProcess[str]:
    packages = [sysconfig.get_path("purelib"), sysconfig.get_path("platlib")]
    other = {"user": _NOBODY, "group": _NOBODY, "extra_groups": ()} if os.geteuid() == 0 else {}
    return subprocess.run(
        [python, *arguments],
        cwd=_ROOT,
        env={
            "PATH": "/usr/local/bin:/usr/bin:/bin",
            "HOME": home,
            "TMPDIR": home,
            "PYTHONPATH": os.pathsep.join([*(str(_ROOT / source / "src") for source in sources), *packages]),
            "PYTHONDONTWRITEBYTECODE": "1",
        },
        capture_output=True,
        text=True,
        check=False,
        **other,
    )
