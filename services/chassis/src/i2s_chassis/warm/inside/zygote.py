"""A Python that is started once, loads an engine and forks for each job.

    python -S -P zygote.py SETTINGS          answers lines, see below
    python -S -P zygote.py SETTINGS FOLDER   does the job in one folder, in this process

Runs in a cell of the sandbox. Two pipes lead to the service; no job ever holds them. A job is done in a
child that is confined once more before it sees a byte of it: its own folder is all that it can write, it can
signal nobody else, and nothing that it has open is shared with anyone.

Lines from the service                          and to it
  run FOLDER CPU-SECONDS                          done EXIT SIGNAL CPU-MICROSECONDS KIB LEFT
  prove FOLDER CPU-SECONDS                        the same; EXIT is 0 if its isolation holds
  clean FOLDER                                    clean 1 or clean 0

EXIT is -1 after a signal, SIGNAL 0 without one. KIB is the memory beyond that of this process. LEFT is 1 if
processes of the job are still alive. The first line to the service is "ready".

The engine is a module that the settings name, see ``Worker``.
"""

from __future__ import annotations

import ctypes
import gc
import importlib
import json
import os
import resource
import shutil
import sys
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol, cast

_EXITED_BADLY = 1
_WALL = 0x40000000
_PACKAGE = "i2s_chassis.warm.inside"


class Worker(Protocol):
    """The module of an engine, as this program uses it."""

    def load(self, settings: dict[str, Any]) -> None:
        """Import what every job needs."""

    def warm_up(self, settings: dict[str, Any]) -> None:
        """Do what makes later jobs fast; only where several are forked. It may start no thread."""

    def run(self, output: int) -> None:
        """Do the job in the current folder and write its result to a descriptor."""


def _settings(path: str) -> dict[str, Any]:
    settings: dict[str, Any] = json.loads(Path(path).read_text())
    settings["filter"] = Path(path).with_suffix(".filter").read_bytes()
    return settings


def _find_modules(package: str, folder: Path) -> None:
    """Let the modules of a folder be found, and nothing else of the packages around it."""
    parts = package.split(".")
    for length in range(1, len(parts) + 1):
        name = ".".join(parts[:length])
        module = sys.modules.setdefault(name, types.ModuleType(name))
        module.__path__ = [str(folder)] if length == len(parts) else []


def _reap() -> tuple[int, int]:
    """Return the microseconds of orphans that have ended, and 1 if some are still alive."""
    used = 0
    while True:
        try:
            pid, _, usage = os.wait4(-1, os.WNOHANG | _WALL)
        except ChildProcessError:
            return used, 0
        if pid == 0:
            return used, 1
        used += _microseconds(usage)


def _microseconds(usage: resource.struct_rusage) -> int:
    return int((usage.ru_utime + usage.ru_stime) * 1e6)


def _inherited_kib() -> int:
    """Return the memory that a child has as soon as it is born, all of which it shares with this process."""
    pid = os.fork()
    if pid == 0:
        os._exit(0)
    return os.wait4(pid, _WALL)[2].ru_maxrss


def _child(work: Callable[[], int], inherited_kib: int) -> tuple[object, ...]:
    """Do something in a child; returns the words of the answer."""
    pid = os.fork()
    if pid == 0:
        code = _EXITED_BADLY
        try:
            code = work()
        except BaseException as error:
            os.write(2, f"{type(error).__name__}: {error}\n".encode(errors="replace")[:1000])
        finally:
            os._exit(code)
    _, status, usage = os.wait4(pid, _WALL)
    by_signal = os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0
    code = -1 if by_signal else os.WEXITSTATUS(status)
    used, left = _reap()
    return "done", code, by_signal, _microseconds(usage) + used, max(1, usage.ru_maxrss - inherited_kib), left


def _prove(folder: str, cpu_seconds: int, settings: dict[str, Any], zygote: int) -> int:
    """Try what a job must not be able to do; returns 0 if nothing of it succeeds."""
    from i2s_chassis.warm.inside import confinement

    beside = Path("zygote.json").resolve()
    confinement.confine(folder, "prove.log", cpu_seconds, settings)
    libc = ctypes.CDLL(None, use_errno=True)

    def must(result: int) -> None:
        if result < 0:
            raise OSError(ctypes.get_errno(), "refused")

    attempts: dict[str, Callable[[], object]] = {
        "signal the zygote": lambda: os.kill(zygote, 0),
        "read beside its folder": lambda: os.open(beside, os.O_RDONLY),
        "write beside its folder": lambda: os.open("../escaped", os.O_WRONLY | os.O_CREAT),
        "change the zygote's files": lambda: os.unlink(beside),
        "empty the zygote's files by their name": lambda: os.truncate(beside, 0),
        "empty the zygote's files by opening them": lambda: os.open(beside, os.O_RDONLY | os.O_TRUNC),
        "link out of its folder": lambda: os.symlink("/etc/passwd", "link"),
        "run a program": lambda: os.execv("/bin/true", ["true"]),  # noqa: S606
        "change limits of the zygote": lambda: resource.prlimit(zygote, resource.RLIMIT_NOFILE, (0, 0)),
        "trace the zygote": lambda: must(libc.ptrace(16, zygote, 0, 0)),
    }
    held = True
    for what, attempt in attempts.items():
        try:
            attempt()
        except OSError:
            continue
        os.write(2, f"a job may {what}\n".encode())
        held = False
    for number in confinement.shared_descriptors():
        os.write(2, f"a job holds descriptor {number}\n".encode())
        held = False
    return 0 if held else 1


def _serve(worker: Worker, settings: dict[str, Any]) -> None:
    from i2s_chassis.warm.inside import confinement

    work = Path.cwd()

    def run(folder: str, cpu_seconds: int) -> int:
        output = confinement.open_result(folder)
        confinement.confine(folder, settings["log"], cpu_seconds, settings, output)
        worker.run(output)
        return 0

    zygote, kib = os.getpid(), _inherited_kib()
    with open(settings["from"]) as questions, open(settings["to"], "w") as answers:
        print("ready", file=answers, flush=True)
        for line in questions:
            operation, name, *seconds = line.split()
            folder = str(work / name)
            if operation == "clean":
                shutil.rmtree(folder, ignore_errors=True)
                Path(f"{folder}.result").unlink(missing_ok=True)
                answer: tuple[object, ...] = ("clean", int(not os.path.lexists(folder)))
            elif operation == "prove":
                cpu_seconds = int(seconds[0])
                answer = _child(lambda: _prove(folder, cpu_seconds, settings, zygote), kib)  # noqa: B023 - called now
            else:
                cpu_seconds = int(seconds[0])
                answer = _child(lambda: run(folder, cpu_seconds), kib)  # noqa: B023 - called now
            print(*answer, file=answers, flush=True)


def main() -> None:
    """Serve, or do one job."""
    gc.disable()  # looking for garbage while modules are imported takes a fifth of their time and finds none
    settings = _settings(sys.argv[1])
    _find_modules(_PACKAGE, Path(__file__).resolve().parent)
    package, _, _ = settings["worker"].rpartition(".")
    _find_modules(package, Path(settings["worker_folder"]))
    # What is imported here is loaded before anything is confined.
    from i2s_chassis.warm.inside import confinement, packages

    if "package" in settings:
        packages.load_package(settings["package"])
    worker = cast(Worker, importlib.import_module(settings["worker"]))
    worker.load(settings)

    if len(sys.argv) > 2:
        folder = str(Path(sys.argv[2]).resolve())
        output = confinement.open_result(folder)
        confinement.confine(folder, settings["log"], None, settings, output)
        gc.enable()
        worker.run(output)
        os._exit(0)
    worker.warm_up(settings)
    gc.collect()
    gc.freeze()  # children share what is loaded
    gc.enable()
    confinement.be_parent()
    _serve(worker, settings)


if __name__ == "__main__":
    main()
