"""The clients are imported where the modules and functions of Linux are not there, as on Windows."""

from __future__ import annotations

import subprocess
import sys

_SCRIPT = """
import builtins, importlib, os, pkgutil, sys

MISSING = {"fcntl", "grp", "pwd", "resource", "termios", "tty", "pty", "syslog", "posix"}
for name in MISSING - set(sys.modules):
    sys.modules[name] = None  # an import of it fails from now on
import importlib.metadata, logging, tempfile, subprocess  # of Python itself, which has other ways there
for name in ("fork", "geteuid", "getuid", "getegid", "setsid", "killpg", "mkfifo", "pidfd_open"):
    if hasattr(os, name):
        delattr(os, name)
import i2s_client, i2s_wire
for package in (i2s_client, i2s_wire):
    for module in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
        importlib.import_module(module.name)
for name in i2s_client.__all__:
    getattr(i2s_client, name)
others = {"i2s_sdk", "click", "numpy", "PIL", "tenacity", "rich"} & set(sys.modules)
print(sorted(others))
"""


def test_all_modules_are_imported_without_what_only_linux_has() -> None:
    done = subprocess.run([sys.executable, "-c", _SCRIPT], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "[]\n"
