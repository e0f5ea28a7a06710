"""A convert-ly that is loaded once and forks for each job. Runs inside of the jail, by LilyPond's own Python.

    python converter.py CONVERT-LY FROM-SERVICE TO-SERVICE

Lines from the service                          and to it
  convert FOLDER ASSUMED-VERSION                  done EXIT SIGNAL
  clean FOLDER                                    clean 1 or clean 0

ASSUMED-VERSION is "-" for none. EXIT is -1 after a signal, SIGNAL 0 without one. The score is text to
convert-ly and never run, so a child needs no more isolation than the cell has: it gets none of the pipes.
LilyPond's Python lacks modules that others have (resource, ctypes).
"""

from __future__ import annotations

import gc
import os
import runpy
import shutil
import sys

_LOG = "convert.log"
_SCORE = "score.ly"
# All patterns of all rules stay compiled.
_PATTERNS = 100_000


def _convert_ly(program: str, *arguments: str) -> int:
    """Run convert-ly as a program in this process; returns its exit code."""
    sys.argv = [program, *arguments]
    try:
        runpy.run_path(program, run_name="__main__")
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    return 0


def _load(program: str) -> None:
    """Load convert-ly and let every rule run once."""
    import re

    vars(re)["_MAXCACHE"] = _PATTERNS
    with open("old.ly", "w") as score:
        score.write("{ c4 }\n")
    quiet = os.open("old.log", os.O_WRONLY | os.O_CREAT)
    kept = os.dup(1), os.dup(2)
    os.dup2(quiet, 1)
    os.dup2(quiet, 2)
    _convert_ly(program, "--show-rules")
    rules = sys.modules["convertrules"].__dict__
    fresh = dict(rules)
    _convert_ly(program, "-n", "--from=0.0.1", "old.ly")
    rules.update(fresh)  # a rule may leave notes for later ones
    sys.stdout.flush()
    sys.stderr.flush()
    for fd, copy in zip((1, 2), kept, strict=True):
        os.dup2(copy, fd)
        os.close(copy)
    os.close(quiet)
    for name in os.listdir():
        os.unlink(name)
    gc.collect()
    gc.freeze()  # children share what is loaded


def _child(program: str, folder: str, assumed: str, pipes: tuple[int, int]) -> int:
    """Be the child of a job; returns its exit code."""
    for fd in pipes:
        os.close(fd)
    os.chdir(folder)
    log = os.open(_LOG, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    os.dup2(log, 1)
    os.dup2(log, 2)
    return _convert_ly(program, "-e", *(() if assumed == "-" else ("-n", "--from=" + assumed)), _SCORE)


def _convert(program: str, pipes: tuple[int, int], folder: str, assumed: str) -> tuple[object, ...]:
    child = os.fork()
    if child == 0:
        code = 1
        try:
            code = _child(program, folder, assumed, pipes)
            sys.stdout.flush()
            sys.stderr.flush()
        except BaseException as error:
            os.write(2, f"convert-ly: error: {type(error).__name__}: {error}\n".encode())
        finally:
            os._exit(code)
    _, status = os.waitpid(child, 0)
    by_signal = os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0
    code = -1 if by_signal else os.WEXITSTATUS(status)
    return "done", code, by_signal


def _clean(folder: str) -> tuple[object, ...]:
    shutil.rmtree(folder, ignore_errors=True)
    return "clean", int(not os.path.exists(folder))


def main() -> None:
    """Answer until the service goes away."""
    program, pipes = sys.argv[1], (int(sys.argv[2]), int(sys.argv[3]))
    _load(program)
    with open(pipes[0]) as questions, open(pipes[1], "w") as answers:
        print("ready", file=answers, flush=True)
        for line in questions:
            operation, *words = line.split()
            answer = _clean(*words) if operation == "clean" else _convert(program, pipes, *words)
            print(*answer, file=answers, flush=True)


main()
