"""What a run costs beside models, renderers and metrics: our own work for a sample, memory, and opening.

Measured: `evaluate` of a replay with synthetic samples of tiny pictures, against a renderer and a metric
service that answer at once with one picture and one value (services.py; real gRPC servers in another process,
used for nothing else). Everything else is as always: three stages, files of lines, pictures, numbers, report.
CPU is that of the evaluating process; what the services need is left out.

There is no baseline to compare with. The exit code is 0 only if every sample was scored (else 2), the memory
between a fifth of the run and its end grows by less than 2 KiB a sample, and opening the large run takes less
than 10 CPU seconds (else 1).

    python -m benchmarks.runs                       # 20,000 samples, and a run of 100,000 opened
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

from benchmarks.latex.machine import load
from benchmarks.runs.data import write_data

GROWTH_BAR_KIB, OPEN_BAR_SECONDS = 2.0, 10.0


def measure(samples: int, large: int) -> dict[str, Any]:
    """Return all figures."""
    before = load()
    with tempfile.TemporaryDirectory() as place:
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
    return {**_figures(run, samples), "opened": opened, "load": [before, load()]}


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


def _tell(found: dict[str, Any]) -> None:
    opened, report = found["opened"], found["numbers_and_report"]
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


def main() -> int:
    """Measure, print, and say whether the bars are reached."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--samples", type=int, default=20_000)
    parser.add_argument("--open", type=int, default=100_000, help="samples of the run that is opened")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    found = measure(given.samples, given.open)
    if given.json:
        print(json.dumps(found, indent=2))
    else:
        _tell(found)
    if found["scored"] != given.samples:
        return 2
    flat = found["growth_kib_a_sample"] < GROWTH_BAR_KIB
    return 0 if flat and found["opened"]["cpu_s"] < OPEN_BAR_SECONDS else 1


if __name__ == "__main__":
    sys.exit(main())
