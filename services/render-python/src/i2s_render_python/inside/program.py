"""Run one program to its end, the same in every run, and write down its figures, objects and error."""

from __future__ import annotations

import builtins
import contextlib
import itertools
import json
import multiprocessing.process  # noqa: F401 - draws a number when it is imported, as do the next two
import os
import random
import secrets  # noqa: F401
import site
import sys
import tempfile  # noqa: F401
import traceback
import types
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import time_machine

from i2s_render_python.inside.capture import Capture, TooManyPixelsError
from i2s_render_python.inside.figure_objects.calls import CallCounts
from i2s_render_python.inside.figure_objects.describe import describe
from i2s_render_python.inside.figure_objects.marks import keep_boxes
from i2s_render_python.inside.figure_objects.values import sendable
from i2s_render_python.inside.restored_names.table import restore

SEED = 0
_WORD = 2**32


def fix_randomness() -> None:
    """Seed what has a seed, and give those that draw one from the system the same ones in every run."""
    of_system, of_random, of_numpy = (random.Random(SEED) for _ in range(3))  # noqa: S311 - no secrets
    os.urandom = of_system.randbytes
    random._urandom = of_random.randbytes  # type: ignore[attr-defined]
    # The entropy of generators without a seed.
    np.random.bit_generator.randbits = of_numpy.getrandbits  # type: ignore[attr-defined]
    random.Random.seed = _seeding(random.Random.seed, itertools.count(SEED))  # type: ignore[method-assign]
    random.seed(SEED)
    np.random.seed(SEED)


def _seeding(seed: Callable[..., None], numbers: itertools.count[int]) -> Callable[..., None]:
    def seeded(self: random.Random, a: object = None, version: int = 2) -> None:
        seed(self, next(numbers) % _WORD if a is None else a, version)

    return seeded


def fix_clock(timestamp: float) -> None:
    """Let the time of day be one moment for as long as the process lasts. Clocks that measure go on.

    Args:
        timestamp: Seconds since 1970.
    """
    time_machine.travel(timestamp, tick=False).start()


PROGRAM = "program.py"
#: Folder of the service's own files, beside the program.
OWN = Path(".i2s")
_MAX_TEXT = 2000
#: What runs a program, which it must not find by its name: this package, and that of the interpreter.
_PACKAGES = frozenset({__name__.partition(".")[0], "i2s_chassis"})


def run(output: int) -> None:
    """Run the program in the current folder; never raises what the program raises.

    Args:
        output: Descriptor that the result is written to, in the form that ``result.read_delivery`` reads. It
            is no file that the program can open. Who finds it also needs the token of the job, whose file
            is gone before the program starts. That hides both from what a program writes by its names, and
            not from code that looks through frames or memory.
    """
    job = json.loads((OWN / "job.json").read_text())
    (OWN / "job.json").unlink()
    restore(job["restored_names"])  # before anything else takes the place of functions
    calls = CallCounts()
    capture = Capture(
        job["pixels"], job["dpi"], partial(describe, calls=calls.counted) if job["want_objects"] else None
    )
    result: dict[str, object] = {}
    parts: dict[str, bytes] = {}
    try:
        _run(job["clock"], capture, calls if job["want_objects"] else None, result)
        total, finished = capture.finish(
            with_open="error" not in result, first=job["first"], count=job["count"]
        )
        figures = []
        for one in finished:
            parts[f"figure-{one.page}"] = one.png
            if one.objects is not None:
                parts[f"objects-{one.page}"] = json.dumps(one.objects, allow_nan=False).encode()
            figures.append({"page": one.page, "objects": one.objects is not None})
        result |= {"total": total, "figures": figures}
    except TooManyPixelsError as error:
        result |= {"pixels": error.size, "total": 0, "figures": []}
    except Exception as error:  # drawing what was left open, which is the doing of the program too
        _print(error)
        result |= {"total": 0, "figures": []}
        result.setdefault("error", _description(error))
    sizes = {name: len(content) for name, content in parts.items()}
    head = json.dumps({"token": job["token"], "result": result, "parts": sizes}).encode()
    os.ftruncate(output, 0)  # a program may have written to whatever is open
    for piece in (b"%d\n" % len(head), head, *parts.values()):
        _write(output, piece)


def _write(output: int, content: bytes) -> None:
    rest = memoryview(content)
    while rest:
        rest = rest[os.write(output, rest) :]


def _run(clock: float, capture: Capture, calls: CallCounts | None, result: dict[str, object]) -> None:
    source = Path(PROGRAM).read_bytes()
    _prepare(capture)
    if calls is not None:
        calls.install(source)
    main = types.ModuleType("__main__")
    main.__file__ = PROGRAM
    main.__builtins__ = builtins  # type: ignore[attr-defined]
    sys.modules["__main__"] = main
    fix_clock(clock)
    fix_randomness()
    try:
        exec(compile(source, PROGRAM, "exec", dont_inherit=True), main.__dict__)  # noqa: S102 - what we are for
    except TooManyPixelsError:
        raise
    except SystemExit as end:
        if end.code not in (None, 0):
            result["error"] = _description(end)
    except BaseException as error:
        _print(error)
        result["error"] = _description(error)
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(Exception):
            stream.flush()


def _prepare(capture: Capture) -> None:
    sys.argv = sys.orig_argv = [PROGRAM]
    sys.path[:] = [*(path for path in sys.path if path.startswith(sys.base_prefix)), os.getcwd()]
    sys.dont_write_bytecode = True
    for name in [name for name in sys.modules if name.partition(".")[0] in _PACKAGES]:
        del sys.modules[name]
    site.setquit()
    keep_boxes()
    capture.install()


def _print(error: BaseException) -> None:
    """Print a traceback that begins in the program."""
    trace = error.__traceback__
    while trace is not None and trace.tb_frame.f_code.co_filename != PROGRAM:
        trace = trace.tb_next
    with contextlib.suppress(Exception):
        sys.stdout.flush()
    with contextlib.suppress(Exception):
        traceback.print_exception(error.with_traceback(trace or error.__traceback__), limit=-20)


def _description(error: BaseException) -> dict[str, object]:
    """Return what the service reports of an exception."""
    try:
        text = str(error)
    except Exception:
        text = ""
    description: dict[str, object] = {"type": _cut(type(error).__name__, 200), "text": _cut(text)}
    if isinstance(error, SyntaxError):
        description |= {"text": _cut(str(error.msg)), "file": sendable(str(error.filename or "")[-1000:])}
        description |= {"line": error.lineno or 0, "context": _cut((error.text or "").strip())}
        description["syntax"] = True
        return description
    if isinstance(error, NameError | ImportError) and isinstance(error.name, str):
        description["name"] = _cut(error.name, 200)
    if isinstance(error, ModuleNotFoundError):
        description["missing"] = True
    description["module"] = _cut(_module(error), 200)
    own = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename == PROGRAM]
    if own:
        description |= {
            "line": own[-1].lineno or 0,
            "file": PROGRAM,
            "context": _cut(own[-1].line or ""),
        }
    return description


def _module(error: BaseException) -> str:
    """Return the name of the module in which an exception was raised, or an empty text."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    name = trace.tb_frame.f_globals.get("__name__") if trace is not None else None
    return name if isinstance(name, str) else ""


def _cut(text: str, most: int = _MAX_TEXT) -> str:
    """Return the beginning of a text as it can be sent."""
    return sendable(text[:most])
