"""Plotting programs: a warm interpreter against a fresh one, and against the programs' own work.

Compared, in one run, in turns, on the example charts:

  fresh    a plain interpreter for each program, unconfined, with the libraries imported that the warm one has
  own      of that, what the program itself takes once all is imported: to run it and to save its figure
  warm     the engine of render-python with warm interpreters, in the strongest tier that works here
  cold     the same with a fresh interpreter in a sandbox for each program

CPU seconds are compared: of the process for `fresh` and `own`, of the job as the service reports it for
the others. The exit code is 0 only if `warm` and `cold` draw the same bytes (else 2), `warm` takes at least
5 times less CPU than `fresh` on the median, and at most 0.3 CPU seconds more than `own` (else 1).

With --gallery the programs of matplotlib's own gallery, from its source distribution, are run warm and
cold: how many are rendered, with which verdicts, and whether all pixels agree. They are fetched from the
package index, or found in the file that --source names.

    python -m benchmarks.python                       # JSON on standard output
    python -m benchmarks.python --repeat 5
    python -m benchmarks.python --gallery 200
"""

from __future__ import annotations

import asyncio
import json
import statistics
import subprocess
import sys
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

from benchmarks.harness.command import Result, add_repeat, command_line, finish
from benchmarks.harness.machine import load, look
from benchmarks.harness.turns import in_turns
from benchmarks.python.gallery import gallery
from i2s_chassis.jail import Jail, JailSettings
from i2s_render_python.engine import PythonEngine, open_engine
from i2s_render_python.installation import MODULES, find_installation
from i2s_render_python.model import DrawnProgram, Options, PythonJob
from i2s_render_python.settings import PythonSettings

EXAMPLES = Path(__file__).resolve().parents[2] / "examples/charts/programs"
LEAST_TIMES, MOST_MORE = 5.0, 0.3
FRESH = """
import importlib, io, json, sys, time
for name in json.loads(sys.argv[2]): importlib.import_module(name)
import matplotlib; matplotlib.use("Agg")
import matplotlib.pyplot as plt
start = time.process_time()
plt.show = lambda: plt.savefig(io.BytesIO(), format="png")
exec(compile(open(sys.argv[1]).read(), "program.py", "exec"), {"__name__": "__main__"})
print(json.dumps([time.process_time(), time.process_time() - start]))
"""


@dataclass(frozen=True, slots=True)
class Run:
    """One run of a program: CPU seconds by name, and its images, but of a fresh interpreter."""

    cpu: Mapping[str, float]
    images: Sequence[bytes] = ()


async def fresh(program: Path) -> Run:
    """Run a program in a fresh interpreter: CPU seconds of it all, and of the program in it."""
    environment = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "PATH": "/usr/bin:/bin"}
    command = [sys.executable, "-c", FRESH, str(program), json.dumps(MODULES)]
    ended = await asyncio.to_thread(
        subprocess.run, command, capture_output=True, check=True, text=True, env=environment
    )
    whole, own = json.loads(ended.stdout.splitlines()[-1])
    return Run({"fresh": whole, "own": own})


@asynccontextmanager
async def engine() -> AsyncIterator[PythonEngine]:
    """Open the engine with warm interpreters."""
    settings = PythonSettings(warm="zygote")
    installation = await asyncio.to_thread(find_installation, settings.fonts)
    jail = await Jail.start(JailSettings(uid_base=settings.jail_uid_base))
    try:
        async with open_engine(jail, installation, settings) as opened:
            yield opened
    finally:
        await jail.close()


async def render(opened: PythonEngine, program: bytes, *, cold: bool) -> DrawnProgram:
    """Run a program with the defaults of the service."""
    limits = PythonSettings().limit_table().default
    return await opened.render(PythonJob(program, options=Options(cold=cold), limits=limits))


def images(drawn: DrawnProgram) -> list[bytes]:
    """Return what a program has drawn, as PNG."""
    return [picture.png for picture in drawn.pictures]


async def _by_engine(opened: PythonEngine, name: str, program: Path) -> Run:
    content = await asyncio.to_thread(program.read_bytes)
    drawn = await render(opened, content, cold=name == "cold")
    return Run({name: drawn.usage.cpu_seconds}, images(drawn))


async def measure(opened: PythonEngine, repeat: int) -> tuple[dict[str, dict[str, float]], bool]:
    """Return the medians of each example, and whether warm and cold programs draw the same bytes."""
    programs = {path.stem: path for path in sorted(EXAMPLES.glob("*.py"))}
    ways: dict[str, Callable[[Path], Awaitable[Run]]] = {
        "fresh": fresh,
        **{name: partial(_by_engine, opened, name) for name in ("warm", "cold")},
    }
    runs = await in_turns(ways, programs, repeat, unmeasured=0)
    medians = {
        name: {
            part: statistics.median(one.cpu[part] for one in runs[way][name])
            for part, way in (("fresh", "fresh"), ("own", "fresh"), ("warm", "warm"), ("cold", "cold"))
        }
        for name in programs
    }
    pairs = [pair for name in programs for pair in zip(runs["warm"][name], runs["cold"][name], strict=True)]
    return medians, all(warm.images == cold.images != [] for warm, cold in pairs)


async def measure_gallery(opened: PythonEngine, programs: Mapping[str, bytes]) -> dict[str, object]:
    """Run programs warm and cold; returns counts of verdicts and the names of those whose pixels differ."""
    verdicts: Counter[str] = Counter()
    different, errors = [], {}
    for name, program in programs.items():
        warm, cold = await render(opened, program, cold=False), await render(opened, program, cold=True)
        verdicts[warm.verdict.name] += 1
        if warm.verdict is not cold.verdict or images(warm) != images(cold):
            different.append(f"{name}: {warm.verdict.name}, {cold.verdict.name}")
        if not warm.verdict.has_picture:
            errors[name] = warm.message[:200]
    return {"programs": len(programs), "verdicts": dict(verdicts), "different": different, "without": errors}


async def run(repeat: int, number: int, source: Path | None) -> Result:
    """Measure the examples, or so many programs of the gallery."""
    before = load()
    async with engine() as opened:
        tier = opened.isolation.tier.name
        if number:
            programs = await asyncio.to_thread(gallery, number, source)
            counted = await measure_gallery(opened, programs)
            found: dict[str, object] = {"gallery": counted}
            code = 2 if counted["different"] else 0
        else:
            medians, equal = await measure(opened, repeat)
            times = statistics.median(median["fresh"] / median["warm"] for median in medians.values())
            more = statistics.median(median["warm"] - median["own"] for median in medians.values())
            found = {"examples": medians, "fresh / warm": times, "warm - own": more, "equal": equal}
            code = 2 if not equal else 0 if times >= LEAST_TIMES and more <= MOST_MORE else 1
        isolation = {tier.lower(): opened.isolation.mechanisms}
        machine = asdict(look(opened.installation.versions, isolation, before))
    document = {"tier": tier, **found, "machine": machine}
    return Result(document, [json.dumps(document, indent=2)], code)


def main() -> int:
    """Measure and print; returns the exit code."""
    parser = command_line("python", __doc__)
    add_repeat(parser, 3)
    parser.add_argument("--gallery", type=int, default=0, metavar="N", help="run N programs of the gallery")
    parser.add_argument("--source", type=Path, metavar="FILE", help="matplotlib's source distribution")
    given = parser.parse_args()
    return finish(given, lambda: asyncio.run(run(given.repeat, given.gallery, given.source)), indent=2)


if __name__ == "__main__":
    raise SystemExit(main())
