"""CPU of a whole run of the benchmark: by the reference-style procedure, and by this project.

Compared, in one run, on the same samples of all three tasks:

    procedure     what the released code does, written plainly, one sample at a time (procedure.py)
    first model   `evaluate` of recorded answers through running services, with empty caches
    second model  the same with other answers to the same instances, and the caches that the first one left

The answers are the ground truth with a line that it does not have, another one for each model, so that no
rendering and no score of the second model is known. The procedure has the answers of the second model and no
caches. CPU is that of all processes: services, sandboxes, engines, the evaluating process. It is projected
to the 2,400 instances of the benchmark by its mix of tasks. A worker is a processor with one sample at a
time: all services and the evaluation are restricted to so many processors. The floor is the time of engines
and metrics alone. Both ways leave LPIPS and CIS out.

The second model is also evaluated by profile `helm`. Its values must be equal to those of the procedure
(EMS to the 4th decimal), and the renderings of LaTeX and sheet music must be equal in every pixel. The exit
code is 2 if they are not, 1 if a bar is missed, else 0.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import platform
import tempfile
from dataclasses import dataclass
from pathlib import Path

from benchmarks.harness.command import add_output, command_line, finish, say
from benchmarks.harness.machine import load, processor
from benchmarks.whole_run.ours import Evaluated, evaluated, latencies
from benchmarks.whole_run.plain import Procedure, run_procedure
from benchmarks.whole_run.report import FIRST, INSTANCES, SECOND, Bars, Report, Way
from benchmarks.whole_run.samples import choose, lay_down
from benchmarks.whole_run.stack import Stack, open_stack, processors
from i2s_chassis.errors import StartError
from i2s_render_html.chromium import find_chromium
from i2s_wire.metrics.profile import Profile

_EXAMPLES = """examples:
  python -m benchmarks.whole_run                       10 samples of each task; about ten minutes on two cores
  python -m benchmarks.whole_run --samples 2           a quick look
  python -m benchmarks.whole_run --samples 0 --data DIR    all samples, and those of another data set
  python -m benchmarks.whole_run --output benchmarks/results/whole_run.json
"""
_CHROMIUM = Path("/usr/lib/chromium/chromium")


@dataclass(frozen=True, slots=True)
class Options:
    """What is measured."""

    data: tuple[Path, ...]  #: Folders of data sets beside the bundled examples.
    samples: int  #: Samples of each task; 0 takes all.
    chromium: Path  #: The browser of the procedure.
    bars: Bars  #: The values that are required.


async def run(options: Options) -> Report:
    """Measure everything.

    Raises:
        MeasurementError: The data has no instance of a task.
        MeasurementError: An answer is not rendered.
        MeasurementError: A program of the comparison failed.
        I2SError: A service does not start or does not answer.
    """
    before = load()
    with tempfile.TemporaryDirectory(prefix="i2s-whole-run-") as place:
        folder = Path(place)
        samples = lay_down(choose(None, options.data, options.samples), folder)
        two: dict[str, Way] = {}
        say("starting the services once: indexes, formats and machine code are made if they are missing")
        async with open_stack(len(processors()), folder / "logs-0"):
            pass
        say("starting the services on one processor")
        async with open_stack(1, folder / "logs-1") as stack:
            runs = await _both_models(stack, folder)
            one = {title: _way(stack, run) for title, run in runs.items()}
        say("starting the services again")
        async with open_stack(min(2, len(processors())), folder / "logs-2") as stack:
            if stack.workers > 1:
                both = await _both_models(stack, folder)
                two = {title: _way(stack, run) for title, run in both.items()}
            caches = folder / "caches-helm"
            helm = await evaluated(stack, folder, "second", Profile.HELM, caches)
            latency = await latencies(stack, samples)
            helm_way = _way(stack, helm)
        images = folder / "procedure"
        images.mkdir()
        procedure = await run_procedure(samples, helm.outcomes, options.chromium, images)
    return Report(
        machine=_machine(options, procedure, before),
        samples={task: sum(sample.task == task for sample in samples) for task in INSTANCES},
        procedure=Way(procedure.costs),
        one=one,
        two=two,
        floor={title: run.floor for title, run in runs.items()},
        latency=latency,
        helm=helm_way,
        page_differences={one.id: one.difference for one in procedure.beside if one.task == "webpage"},
        faults=[fault for one in procedure.beside for fault in one.faults()],
        bars=options.bars,
    )


async def _both_models(stack: Stack, folder: Path) -> dict[str, Evaluated]:
    """Evaluate one model after the other with caches that are empty at the beginning."""
    caches = folder / f"caches-{stack.workers}"
    return {
        title: await evaluated(stack, folder, model, Profile.PAPER, caches)
        for title, model in ((FIRST, "first"), (SECOND, "second"))
    }


def _way(stack: Stack, run: Evaluated) -> Way:
    return Way(run.costs, stack.started + run.fixed)


def _machine(options: Options, procedure: Procedure, before: float) -> dict[str, str]:
    return {
        "machine": f"{processor()}, {len(processors())} CPUs, Linux {platform.release()}, "
        f"Python {platform.python_version()}",
        "browser of the procedure": options.chromium.name,
        "CPU": procedure.counted,
        "load": f"before {before:.1f}, after {os.getloadavg()[0]:.1f}",
    }


def _parser() -> argparse.ArgumentParser:
    parser = command_line("whole_run", __doc__, _EXAMPLES)
    add, bars = parser.add_argument, Bars()
    add("--samples", type=int, default=10, metavar="N", help="of each task, 0 for all (default: 10)")
    add("--data", type=Path, action="append", default=[], metavar="DIR", help="another data set; repeatable")
    add(
        "--chromium",
        type=Path,
        metavar="FILE",
        help=f"browser of the procedure (default: {_CHROMIUM} if it is installed, which the released code "
        "uses; else the headless shell of the service, which takes less)",
    )
    add("--least-ratio", type=float, default=bars.least_ratio, metavar="X", help="default: %(default)s")
    add("--most-overhead", type=float, default=bars.most_overhead, metavar="X", help="default: %(default)s")
    add("--least-scaling", type=float, default=bars.least_scaling, metavar="X", help="default: %(default)s")
    add_output(parser)
    return parser


def main() -> int:
    """Measure, print, and return the exit code."""
    given = _parser().parse_args()
    chromium = given.chromium or (_CHROMIUM if _CHROMIUM.is_file() else find_chromium(None).program)
    bars = Bars(given.least_ratio, given.most_overhead, given.least_scaling)
    options = Options(tuple(given.data), given.samples, chromium, bars)
    return finish(given, lambda: asyncio.run(run(options)).result(), failures=(StartError,))


if __name__ == "__main__":
    raise SystemExit(main())
