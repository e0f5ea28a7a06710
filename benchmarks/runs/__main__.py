"""What a run costs beside models, renderers and metrics: our own work for a sample, memory, and opening.

Measured: `evaluate` of a replay with synthetic samples of tiny pictures, against a renderer and a metric
service that answer at once with one picture and one value (services.py; real gRPC servers in another process,
used for nothing else). Everything else is as always: three stages, files of lines, pictures, numbers, report.
CPU is that of the evaluating process; what the services need is left out.

There is no baseline to compare with. The exit code is 0 only if every sample was scored (else 2) and all
bounds hold (else 1): the memory between a fifth of the run and its end, opening the large run, and the
numbers and the report of the run and of the large one, which is made of copies of its lines.

    python -m benchmarks.runs                       # 20,000 samples; a run of 100,000 opened and reported
    python -m benchmarks.runs --samples 100000      # 100,000 samples really evaluated; two GB of disk
    python -m benchmarks.runs --samples 2000 --json
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from benchmarks.harness.machine import load, processor
from benchmarks.runs.bounds import Bounds, missed
from benchmarks.runs.data import write_data


def measure(samples: int, large: int, where: Path | None) -> dict[str, Any]:
    """Return all figures.

    Args:
        samples: Number of samples that are evaluated.
        large: Samples of the run that is opened and reported.
        where: Folder for the temporary files; None takes the one of the system.
    """
    before = load()
    with tempfile.TemporaryDirectory(prefix="i2s-runs-", dir=where) as place:
        folder = Path(place)
        data, answers = write_data(folder, samples)
        services = [sys.executable, "-m", "benchmarks.runs.services"]
        with subprocess.Popen(services, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as serving:
            assert serving.stdin is not None
            assert serving.stdout is not None
            address = json.loads(serving.stdout.readline())["address"]
            run = _module("measured", data, answers, folder / "run", address)
            serving.stdin.close()
        opened = _module("opening", folder / "run", large)
        reported = _module("reporting", folder / "run")
    return {
        "machine": processor(),
        **_figures(run, samples),
        "opened": opened,
        "reported": reported,
        "load": [before, load()],
    }


def _module(name: str, *arguments: object) -> dict[str, Any]:
    command = [sys.executable, "-m", f"benchmarks.runs.{name}", *map(str, arguments)]
    answer = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    found: dict[str, Any] = json.loads(answer.stdout)
    return found


def _figures(run: dict[str, Any], samples: int) -> dict[str, Any]:
    first, last, end = run["looks"][0], run["looks"][-1], run["end"]
    early = next(one for one in run["looks"] if one["finished"] * 5 >= samples)
    grown = (last["rss_mib"] - early["rss_mib"]) * 1024 / max(1, last["finished"] - early["finished"])
    done = last["finished"] - first["finished"]
    return {
        "samples": samples,
        "scored": run["scored"],
        "cpu_ms_a_sample": 1000 * (last["cpu_s"] - first["cpu_s"]) / done,
        "wall_ms_a_sample": 1000 * (last["wall_s"] - first["wall_s"]) / done,
        "memory_mib": [round(one["rss_mib"], 1) for one in run["looks"]],
        "growth_kib_a_sample": grown,
        "numbers_and_report": {
            "cpu_s": end["cpu_s"] - last["cpu_s"],
            "wall_s": end["wall_s"] - last["wall_s"],
            "peak_mib": end["peak_mib"],
        },
    }


def _print(found: dict[str, Any], faults: list[str]) -> None:
    opened, report, large = found["opened"], found["numbers_and_report"], found["reported"]
    memory = found["memory_mib"]
    print(f"{found['scored']} of {found['samples']} samples scored; load {found['load']}")
    print(f"our own CPU a sample     {found['cpu_ms_a_sample']:.2f} ms")
    print(f"wall clock a sample      {found['wall_ms_a_sample']:.2f} ms")
    print(f"memory                   {memory[0]:.0f} MiB at the beginning, {memory[-1]:.0f} MiB at the end")
    print(f"growth                   {found['growth_kib_a_sample']:.2f} KiB a sample")
    print(f"numbers and report       {report['cpu_s']:.1f} CPU s, peak {report['peak_mib']:.0f} MiB")
    print(
        f"opening {opened['samples']} samples  {opened['cpu_s']:.1f} CPU s, {opened['wall_s']:.1f} s, "
        f"{opened['mib_on_disk']:.0f} MiB on disk, index {opened['index_mib']:.0f} MiB"
    )
    print(
        f"report of {large['samples']} samples   {large['cpu_s']:.1f} CPU s, peak {large['peak_mib']:.0f} MiB"
        f", page {large['page_mib']:.0f} MiB"
    )
    for one in faults:
        print(f"MISSED: {one}")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        "python -m benchmarks.runs",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add, bounds = parser.add_argument, Bounds()
    add("--samples", type=int, default=20_000, help="default: %(default)s")
    add("--open", type=int, default=100_000, help="samples of the large run (default: %(default)s)")
    add("--folder", type=Path, help="for the temporary files (default: that of the system)")
    add("--most-growth-kib", type=float, default=bounds.growth_kib, help="default: %(default)s")
    add("--most-open-seconds", type=float, default=bounds.open_seconds, help="default: %(default)s")
    add("--most-report-seconds", type=float, default=bounds.report_seconds, help="default: %(default)s")
    add("--most-peak-mib", type=float, default=bounds.peak_mib, help="default: %(default)s")
    add("--json", action="store_true", help="print one JSON document instead of lines")
    add("--output", type=Path, metavar="FILE", help="write the JSON document too, if all were scored")
    return parser


def main() -> int:
    """Measure, print, and return the exit code."""
    given = _parser().parse_args()
    bounds = Bounds(
        given.most_growth_kib, given.most_open_seconds, given.most_report_seconds, given.most_peak_mib
    )
    try:
        found = measure(given.samples, given.open, given.folder)
    except subprocess.CalledProcessError as error:
        print(f"benchmarks.runs: {error.cmd[2]} failed; the reason is above", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("benchmarks.runs: interrupted", file=sys.stderr)
        return 130
    faults = missed(found, bounds)
    document = json.dumps({**found, "missed": faults}, indent=2)
    if given.json:
        print(document)
    else:
        _print(found, faults)
    if found["scored"] != given.samples:
        return 2
    if given.output:
        given.output.write_text(document + "\n")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
