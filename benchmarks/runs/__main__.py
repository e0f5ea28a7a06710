"""What a run costs beside models, renderers and metrics: our own work for a sample, memory, and opening.

Measured: `evaluate` of a replay with synthetic samples of tiny images, against a renderer and a metric
service that answer at once with one image and one value (services.py; real gRPC servers in another process,
used for nothing else). Everything else is as always: three stages, files of lines, images, numbers, report.
CPU is that of the evaluating process; what the services need is left out.

There is no baseline to compare with. The exit code is 0 only if every sample was scored (else 2) and all
bounds hold (else 1): the memory between a fifth of the run and its end, opening the large run, and the
numbers and the report of the run and of the large one, which is made of copies of its lines.

    python -m benchmarks.runs                       # 20,000 samples; a run of 100,000 opened and reported
    python -m benchmarks.runs --samples 100000      # 100,000 samples really evaluated; two GB of disk
    python -m benchmarks.runs --samples 2000 --json
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.harness.command import MeasurementError, Result, add_output, command_line, finish
from benchmarks.harness.machine import load, processor
from benchmarks.harness.programs import running
from benchmarks.runs.data import write_data


@dataclass(frozen=True, slots=True)
class Bounds:
    """Each value must stay below."""

    growth_kib: float = 2.0  #: Memory of the evaluating process, from a fifth to the end, for each sample.
    open_seconds: float = 10.0  #: CPU seconds to open the large run.
    report_seconds: float = 60.0  #: CPU seconds for numbers and report, of the run and of the large one.
    peak_mib: float = 1024.0  #: The most memory at any time, those included.


def missed(found: Mapping[str, Any], bounds: Bounds) -> list[str]:
    """Return the bounds that what was measured does not stay below, as sentences."""
    checks = [
        ("memory grows by {:.2f} KiB a sample", found["growth_kib_a_sample"], bounds.growth_kib),
        ("opening takes {:.1f} CPU s", found["opened"]["cpu_s"], bounds.open_seconds),
    ]
    for name, of in (("the run", found["numbers_and_report"]), ("the large run", found["reported"])):
        checks.append((f"the report of {name} takes {{:.1f}} CPU s", of["cpu_s"], bounds.report_seconds))
        checks.append((f"memory of {name} reaches {{:.0f}} MiB", of["peak_mib"], bounds.peak_mib))
    return [
        f"{text.format(value)}, which is not below {bound:g}"
        for text, value, bound in checks
        if value >= bound
    ]


async def measure(samples: int, large: int, where: Path | None, bounds: Bounds) -> Result:
    """Measure a run of so many samples.

    Args:
        samples: Number of samples that are evaluated.
        large: Samples of the run that is opened and reported.
        where: Folder for the temporary files; None takes the one of the system.
        bounds: Bounds that the measured values must keep.

    Raises:
        MeasurementError: A sample was not scored.
    """
    before = load()
    with tempfile.TemporaryDirectory(prefix="i2s-runs-", dir=where) as place:
        folder = Path(place)
        data, answers = write_data(folder, samples)
        async with running("runs.services") as services:
            address = (await services.read())["address"]
            run = _step("evaluation", data, answers, folder / "run", address)
            await services.end()
        if run["scored"] != samples:
            raise MeasurementError(f"{run['scored']} of {samples} samples were scored")
        opened = _step("opening", folder / "run", large)
        reported = _step("reporting", folder / "run")
    known = {
        "machine": processor(),
        **_figures(run, samples),
        "opened": opened,
        "reported": reported,
        "load": [before, load()],
    }
    faults = missed(known, bounds)
    return Result({**known, "missed": faults}, _lines(known, faults), 1 if faults else 0)


def _step(name: str, *arguments: object) -> dict[str, Any]:
    """Return what a step of ``benchmarks.runs.steps`` prints."""
    command = [sys.executable, "-m", "benchmarks.runs.steps", name, *map(str, arguments)]
    answer = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    found: dict[str, Any] = json.loads(answer.stdout)
    return found


def _figures(run: dict[str, Any], samples: int) -> dict[str, Any]:
    first, last, end = run["looks"][0], run["looks"][-1], run["end"]
    early = next(look for look in run["looks"] if look["finished"] * 5 >= samples)
    grown = (last["rss_mib"] - early["rss_mib"]) * 1024 / max(1, last["finished"] - early["finished"])
    done = last["finished"] - first["finished"]
    return {
        "samples": samples,
        "scored": run["scored"],
        "cpu_ms_a_sample": 1000 * (last["cpu_s"] - first["cpu_s"]) / done,
        "wall_ms_a_sample": 1000 * (last["wall_s"] - first["wall_s"]) / done,
        "memory_mib": [round(look["rss_mib"], 1) for look in run["looks"]],
        "growth_kib_a_sample": grown,
        "numbers_and_report": {
            "cpu_s": end["cpu_s"] - last["cpu_s"],
            "wall_s": end["wall_s"] - last["wall_s"],
            "peak_mib": end["peak_mib"],
        },
    }


def _lines(found: dict[str, Any], faults: list[str]) -> Iterator[str]:
    opened, report, large = found["opened"], found["numbers_and_report"], found["reported"]
    memory = found["memory_mib"]
    yield f"{found['scored']} of {found['samples']} samples scored; load {found['load']}"
    yield f"our own CPU a sample     {found['cpu_ms_a_sample']:.2f} ms"
    yield f"wall clock a sample      {found['wall_ms_a_sample']:.2f} ms"
    yield f"memory                   {memory[0]:.0f} MiB at the beginning, {memory[-1]:.0f} MiB at the end"
    yield f"growth                   {found['growth_kib_a_sample']:.2f} KiB a sample"
    yield f"numbers and report       {report['cpu_s']:.1f} CPU s, peak {report['peak_mib']:.0f} MiB"
    yield (
        f"opening {opened['samples']} samples  {opened['cpu_s']:.1f} CPU s, {opened['wall_s']:.1f} s, "
        f"{opened['mib_on_disk']:.0f} MiB on disk, index {opened['index_mib']:.0f} MiB"
    )
    yield (
        f"report of {large['samples']} samples   {large['cpu_s']:.1f} CPU s, peak {large['peak_mib']:.0f} MiB"
        f", page {large['page_mib']:.0f} MiB"
    )
    yield from (f"MISSED: {fault}" for fault in faults)


def main() -> int:
    """Measure, print, and return the exit code."""
    parser, bounds = command_line("runs", __doc__), Bounds()
    add = parser.add_argument
    add("--samples", type=int, default=20_000, help="default: %(default)s")
    add("--open", type=int, default=100_000, help="samples of the large run (default: %(default)s)")
    add("--folder", type=Path, help="for the temporary files (default: that of the system)")
    add("--most-growth-kib", type=float, default=bounds.growth_kib, help="default: %(default)s")
    add("--most-open-seconds", type=float, default=bounds.open_seconds, help="default: %(default)s")
    add("--most-report-seconds", type=float, default=bounds.report_seconds, help="default: %(default)s")
    add("--most-peak-mib", type=float, default=bounds.peak_mib, help="default: %(default)s")
    add_output(parser)
    given = parser.parse_args()
    bounds = Bounds(
        given.most_growth_kib, given.most_open_seconds, given.most_report_seconds, given.most_peak_mib
    )
    work = (given.samples, given.open, given.folder, bounds)
    failures = (subprocess.CalledProcessError,)
    return finish(given, lambda: asyncio.run(measure(*work)), failures=failures, indent=2)


if __name__ == "__main__":
    raise SystemExit(main())
