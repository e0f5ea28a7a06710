"""How long the report of a benchmark of 2,400 samples and five models takes to be written and to open.

Measured: `write_report` of five runs into one folder, and the page in headless Chromium from its address to
the first cards on the screen, in a tab of its own each time, then changes of the view. The runs are made of
the bundled examples: real pictures in real sizes, each with a digest of its own, ground truth in which every
tenth word is another one, documents, logs, questions, and values of baselines and of the oracle. They have
the small copies of pictures that the report of each run has made.

There is no baseline to compare with. The exit code is 0 only if the page shows all samples without an error
(else 2) and opens within the bound at the median (else 1). Elapsed time is measured here: a reader waits
for the page.

    python -m benchmarks.report_scale                     # three minutes and 4 GB of disk
    python -m benchmarks.report_scale --samples 240       # a quick look
    python -m benchmarks.report_scale --json
"""

from __future__ import annotations

import argparse
import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.harness.machine import load, processor
from benchmarks.report_scale.data import samples, write_run
from i2s_sdk import write_report


def measure(number: int, models: int, times: int, where: Path | None) -> dict[str, Any]:
    """Return all figures.

    Args:
        number: Number of samples.
        models: Number of runs.
        times: How often the page is opened.
        where: Folder for the temporary files; None takes the one of the system.
    """
    before = load()
    with tempfile.TemporaryDirectory(prefix="i2s-report-scale-", dir=where) as place:
        folder, known = Path(place), samples(number)
        runs = [folder / f"run-{at}" for at in range(models)]
        for at, run in enumerate(runs):
            write_run(run, f"vendor/model-{at}", 0.6 + 0.3 * at / models, known)
        began, spent = time.perf_counter(), time.process_time()
        report = write_report(runs, folder / "report")
        page = Path(str(report.path))
        written = {
            "wall_s": time.perf_counter() - began,
            "cpu_s": time.process_time() - spent,
            "peak_mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
            "page_mib": page.stat().st_size / 2**20,
            "pictures": sum(1 for one in (folder / "report" / "pictures").rglob("*.png")),
        }
        command = [sys.executable, "-m", "benchmarks.report_scale.browser", str(page), str(times)]
        answer = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    shown: dict[str, Any] = json.loads(answer.stdout)
    opened = [one["open_s"] for one in shown["opened"]]
    return {
        "machine": processor(),
        "browser": shown["browser"],
        "samples": len(known),
        "models": models,
        "written": written,
        "open_s": {"median": statistics.median(opened), "least": min(opened), "most": max(opened)},
        **{
            name: statistics.median(one[name] for one in shown["opened"])
            for name in ("table_s", "grid_s", "cards_s", "heap_mib")
        },
        "counts": sorted({one["count"] for one in shown["opened"]}),
        "faults": sorted({fault for one in shown["opened"] for fault in one["faults"]}),
        "load": [before, load()],
    }


def _print(found: dict[str, Any]) -> None:
    written, opened = found["written"], found["open_s"]
    print(f"{found['machine']}, Chromium {found['browser']}, load {found['load']}")
    print(
        f"written    {written['cpu_s']:.1f} CPU s, {written['wall_s']:.1f} s, "
        f"peak {written['peak_mib']:.0f} MiB, page {written['page_mib']:.1f} MiB, "
        f"{written['pictures']} pictures"
    )
    print(
        f"opens in   {opened['median']:.2f} s at the median ({opened['least']:.2f} to {opened['most']:.2f}), "
        f"heap {found['heap_mib']:.0f} MiB"
    )
    print(
        f"table      {found['table_s']:.2f} s, grid {found['grid_s']:.2f} s, cards {found['cards_s']:.2f} s"
    )


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        "python -m benchmarks.report_scale",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("--samples", type=int, default=2400, help="default: %(default)s")
    add("--models", type=int, default=5, help="default: %(default)s")
    add("--repeat", type=int, default=9, help="how often the page is opened (default: %(default)s)")
    add("--folder", type=Path, help="for the temporary files (default: that of the system)")
    add("--most-seconds", type=float, default=1.0, help="to open the page (default: %(default)s)")
    add("--json", action="store_true", help="print one JSON document instead of lines")
    add("--output", type=Path, metavar="FILE", help="write the JSON document too, if all samples are shown")
    return parser


def main() -> int:
    """Measure, print, and return the exit code."""
    given = _parser().parse_args()
    try:
        found = measure(given.samples, given.models, given.repeat, given.folder)
    except subprocess.CalledProcessError:
        print("benchmarks.report_scale: the browser failed; the reason is above", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("benchmarks.report_scale: interrupted", file=sys.stderr)
        return 130
    if given.json:
        print(json.dumps(found, indent=2))
    else:
        _print(found)
    number = found["samples"]
    if found["faults"] or found["counts"] != [f"{number} of {number} samples"]:
        print(f"WRONG: {found['counts']} {found['faults']}")
        return 2
    if given.output:
        given.output.write_text(json.dumps(found, indent=2) + "\n")
    if found["open_s"]["median"] >= given.most_seconds:
        print(f"MISSED: the page opens in {found['open_s']['median']:.2f} s, not in {given.most_seconds:g} s")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
