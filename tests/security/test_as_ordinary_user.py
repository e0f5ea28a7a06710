"""The attacks on the LaTeX renderer once more, by a service that is no root.

A whole run of pytest as another user. It needs an interpreter, the packages and this clone where
that user can read them, and says so where they are not.
"""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

import pytest

pytestmark = [pytest.mark.security, pytest.mark.timeout(600)]

_ROOT = Path(__file__).parents[2]
_NOBODY = 65534
_SOURCES = ("protos", "services/chassis", "services/render-latex", "services/metrics", "sdk")


def _environment(home: str) -> dict[str, str]:
    packages = [sysconfig.get_path("purelib"), sysconfig.get_path("platlib")]
    sources = [str(_ROOT / source / "src") for source in _SOURCES]
    return {
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "HOME": home,
        "TMPDIR": home,
        "PYTHONPATH": os.pathsep.join([*sources, *packages]),
        "PYTHONDONTWRITEBYTECODE": "1",
    }


def _run(python: str, home: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [python, *arguments],
        cwd=_ROOT,
        env=_environment(home),
        user=_NOBODY,
        group=_NOBODY,
        extra_groups=(),
        capture_output=True,
        text=True,
        check=False,
    )


def _python_that_can(home: str) -> str | None:
    """Return an interpreter with which the user can import what the tests need."""
    for python in (sys.executable, "/usr/bin/python3", "/usr/local/bin/python3"):
        try:
            tried = _run(python, home, "-c", "import pytest, grpc, pydantic_core, i2s_render_latex")
        except OSError:
            continue
        if tried.returncode == 0:
            return python
    return None


@pytest.mark.skipif(os.geteuid() != 0, reason="the tests run as an ordinary user already")
def test_the_attacks_are_held_for_an_ordinary_user() -> None:
    with tempfile.TemporaryDirectory(prefix="i2s-nobody-") as home:
        os.chown(home, _NOBODY, _NOBODY)
        Path(home).chmod(0o755)
        python = _python_that_can(home)
        if python is None:
            pytest.skip("no interpreter and packages that an ordinary user can read; run as one to have it")
        done = _run(
            python,
            home,
            "-m",
            "pytest",
            "-q",
            "-p",
            "no:cacheprovider",
            "tests/security/test_latex_attacks.py",
        )
        assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
        assert "passed" in done.stdout
