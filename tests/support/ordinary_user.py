"""Run Python as an ordinary user: with a copy of the jail, or with the packages and this clone."""

from __future__ import annotations

import contextlib
import os
import resource
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

import i2s_chassis
from recorded_verdicts import VARIABLE, append

_ROOT = Path(__file__).parents[2]
_NOBODY = 65534


class Measured(subprocess.CompletedProcess[str]):
    """What has become of a program.

    Attributes:
        cpu_seconds: Processor time, user and system, of the program and of all processes that it waited for.
    """

    cpu_seconds: float


def run_measured(command: Sequence[str], **given: Any) -> Measured:
    """Run a program to its end.

    Args:
        command: The program and its arguments.
        given: Further arguments of ``subprocess.run``.
    """
    before = _cpu_seconds_of_children()
    done = subprocess.run(command, capture_output=True, text=True, check=False, **given)
    measured = Measured(done.args, done.returncode, done.stdout, done.stderr)
    measured.cpu_seconds = _cpu_seconds_of_children() - before
    return measured


def _cpu_seconds_of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def python_for_ordinary_user() -> str | None:
    """Return an interpreter that nobody can run; that of the tests may lie in a closed folder."""
    for python in (sys.executable, "/usr/bin/python3", "/usr/local/bin/python3"):
        asked = [python, "-I", "-S", "-c", "import sys; sys.exit(sys.version_info < (3, 11))"]
        try:
            done = subprocess.run(asked, user=_NOBODY, group=_NOBODY, extra_groups=(), check=False)
        except OSError:
            continue
        if done.returncode == 0:
            return python
    return None


def run_with_copy_as_ordinary_user(
    folder: Path, arguments: Sequence[str]
) -> subprocess.CompletedProcess[str]:
    """Run an interpreter as nobody where the tests are root, else as the user of the tests.

    Args:
        folder: Where copy_of_the_jail has been called; nobody must be able to reach it.
        arguments: Arguments of the interpreter.
    """
    command = [sys.executable, *arguments]
    if os.geteuid() != 0:
        return subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder)
    command[0] = python_for_ordinary_user() or ""
    if not command[0]:
        pytest.skip("no Python 3.11 that an ordinary user can run")
    return subprocess.run(
        command,
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
        user=_NOBODY,
        group=_NOBODY,
        extra_groups=(),
    )


def copy_of_the_jail(folder: Path, *more: Path) -> Path:
    """Copy the package i2s_chassis to where all users can read it; its jail needs nothing else but Python.

    Args:
        folder: Gets the package in ``package``, which is returned for the module search path.
        more: Folders that are copied beside it.
    """
    root = folder / "package"
    if not root.exists():
        shutil.copytree(Path(i2s_chassis.__file__).parent, root / "i2s_chassis")
        for source in more:
            shutil.copytree(source, folder / source.name)
        for path in (folder, *folder.rglob("*")):
            path.chmod(0o755)
    return root


def run_as_ordinary_user(
    *arguments: str,
    sources: Sequence[str],
    modules: Sequence[str],
    variables: Mapping[str, str] | None = None,
    record: Path | None = None,
) -> Measured:
    """Run an interpreter as nobody where the tests are root, in a home of its own; skips where nobody can.

    Args:
        arguments: Arguments of the interpreter.
        sources: Folders of packages of this clone.
        modules: Modules that must be importable.
        variables: More variables of the environment.
        record: Gets what is recorded of verdicts; without it the file of the tests does, if they have one.
    """
    with tempfile.TemporaryDirectory(prefix="i2s-nobody-") as home:
        if os.geteuid() == 0:
            os.chown(home, _NOBODY, _NOBODY)
        Path(home).chmod(0o755)
        wanted = ("-c", f"import {', '.join(modules)}")
        for python in (sys.executable, "/usr/bin/python3", "/usr/local/bin/python3"):
            try:
                if _run(python, home, sources, wanted).returncode == 0:
                    file = os.environ.get(VARIABLE) if record is None else str(record)
                    with _recording_below(home, file) as recording:
                        return _run(python, home, sources, arguments, {**recording, **(variables or {})})
            except OSError:
                continue
    pytest.skip("no interpreter and packages that an ordinary user can read; run as one to have it")


@contextlib.contextmanager
def _recording_below(home: str, file: str | None) -> Iterator[dict[str, str]]:
    """Yield variables of the tests; what is recorded in the home is appended to a file."""
    variables = {name: os.environ[name] for name in ("I2S_TIMEOUT_FACTOR",) if name in os.environ}
    if not file:
        yield variables
        return
    below = Path(home) / "verdicts.jsonl"
    yield {**variables, VARIABLE: str(below)}
    if below.exists():
        append(file, below.read_bytes())


def _run(
    python: str,
    home: str,
    sources: Sequence[str],
    arguments: Sequence[str],
    variables: Mapping[str, str] | None = None,
) -> Measured:
    packages = [sysconfig.get_path("purelib"), sysconfig.get_path("platlib")]
    other = {"user": _NOBODY, "group": _NOBODY, "extra_groups": ()} if os.geteuid() == 0 else {}
    return run_measured(
        [python, *arguments],
        cwd=_ROOT,
        env={
            "PATH": "/usr/local/bin:/usr/bin:/bin",
            "HOME": home,
            "TMPDIR": home,
            "PYTHONPATH": os.pathsep.join([*(str(_ROOT / source / "src") for source in sources), *packages]),
            "PYTHONDONTWRITEBYTECODE": "1",
            **(variables or {}),
        },
        start_new_session=True,  # or its group is that of the tests, which may not be seen from in here
        **other,
    )
