"""The index of the TeX tree: with what trials have shown before, and with every package tried out.

Compared, in one run, in turns, on the TeX tree of this machine:

  trying      every package that another bundle loads is loaded by pdfLaTeX, as on a tree that is not known
  remembering trials that come with the renderer are not made again where the files are the same

CPU seconds of the process and of all that it starts are compared. The exit code is 0 only if both indexes are
equal (else 2) and remembering takes at least 3 times less on the median (else 1), which it does on the trees
of Debian 12 and 13.

    python -m benchmarks.texindex                # some minutes
    python -m benchmarks.texindex --repeat 1 --json
"""

from __future__ import annotations

import asyncio
import resource
import sqlite3
import tempfile
from collections.abc import Mapping
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import NamedTuple

from benchmarks.harness.command import MeasurementError, Result, add_repeat, command_line, finish
from benchmarks.harness.machine import load, look
from benchmarks.harness.turns import Spread, in_turns
from i2s_render_latex.texindex import build_index, tree_roots
from i2s_render_latex.texindex.records import Records, shipped_records

LEAST_TIMES = 3.0


class Built(NamedTuple):
    """An index that was built."""

    cpu_seconds: float
    wall_seconds: float
    tried: int
    rows: list[tuple[int, str, str]]


async def built(remembered: Records) -> Built:
    """Build the index; what earlier trials have shown is given."""
    with tempfile.TemporaryDirectory() as folder:
        began = _cpu_seconds()
        summary = build_index(tree_roots(), Path(folder) / "index", remembered=remembered)
        spent = _cpu_seconds() - began
        with closing(sqlite3.connect(summary.path)) as connection:
            rows = connection.execute("SELECT category, name, providers FROM names").fetchall()
    return Built(spent, summary.seconds, summary.tried, rows)


def _cpu_seconds() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def _check(task: str, measured: Mapping[str, Built]) -> None:
    if measured["trying"].rows != measured["remembering"].rows:
        raise MeasurementError("both ways do not give the same index")


def measure(repeat: int) -> Result:
    """Build the index in both ways."""
    before = load()
    ways = {"trying": {}, "remembering": shipped_records()}
    variants = {name: lambda _, records=records: built(records) for name, records in ways.items()}
    measured = asyncio.run(in_turns(variants, {"index": None}, repeat, unmeasured=0, check=_check))
    sides = {name: of["index"] for name, of in measured.items()}
    cpu = {name: Spread.of(one.cpu_seconds for one in several) for name, several in sides.items()}
    wall = {name: Spread.of(one.wall_seconds for one in several) for name, several in sides.items()}
    tried = {name: several[0].tried for name, several in sides.items()}
    times = cpu["trying"].median / cpu["remembering"].median
    machine = look({"packages that are known": str(len(shipped_records()))}, {}, before)
    document = {
        "machine": asdict(machine),
        "repetitions": repeat,
        "cpu_seconds": cpu,
        "wall_seconds": wall,
        "tried": tried,
        "times": times,
    }
    lines = [
        *machine.lines(),
        *(
            f"{name:<12} {cpu[name].text(digits=1)} CPU s, {wall[name].text(digits=1)} s, "
            f"{tried[name]} packages tried out"
            for name in sides
        ),
        f"remembering takes {times:.1f} times less CPU; claimed: {LEAST_TIMES:g}",
    ]
    return Result(document, lines, 0 if times >= LEAST_TIMES else 1)


def main() -> int:
    """Run the command line."""
    parser = command_line("texindex", __doc__)
    add_repeat(parser, 3, "of both")
    given = parser.parse_args()
    return finish(given, lambda: measure(given.repeat))


if __name__ == "__main__":
    raise SystemExit(main())
