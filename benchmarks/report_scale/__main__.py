"""How long the report of a benchmark of 2,400 samples and five models takes to be written and to open.

Measured: `write_report` of five runs into one folder, and the page in headless Chromium from its address to
the first cards on the screen, in a tab of its own each time, then changes of the view. The runs are made of
the bundled examples: real images in real sizes, each with a digest of its own, ground truth in which every
tenth word is another one, documents, logs, questions, and values of baselines and of the oracle. They have
the small copies of images that the report of each run has made.

There is no baseline to compare with. The exit code is 0 only if the page shows all samples without an error
(else 2) and opens within the bound at the median (else 1). Elapsed time is measured here: a reader waits
for the page.

    python -m benchmarks.report_scale                     # three minutes and 4 GB of disk
    python -m benchmarks.report_scale --samples 240       # a quick look
    python -m benchmarks.report_scale --json
"""

from __future__ import annotations

import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.harness.command import MeasurementError, Result, add_output, command_line, finish
from benchmarks.harness.machine import load, processor
from benchmarks.harness.turns import Spread
from benchmarks.report_scale.data import samples, write_run
from i2s_sdk import write_report


def measure(number: int, models: int, times: int, where: Path | None, most_seconds: float) -> Result:
    """Measure a report.

    Args:
        number: Number of samples.
        models: Number of runs.
        times: How often the page is opened.
        where: Folder for the temporary files; None takes the one of the system.
        most_seconds: Bound on the median time until the page is open.

    Raises:
        MeasurementError: The page has an error, or does not show all samples.
    """
    before = load()
    with tempfile.TemporaryDirectory(prefix="i2s-report-scale-", dir=where) as place:
        folder, known_samples = Path(place), samples(number)
        runs = [folder / f"run-{at}" for at in range(models)]
        for at, run in enumerate(runs):
            write_run(run, f"vendor/model-{at}", 0.6 + 0.3 * at / models, known_samples)
        began, spent = time.perf_counter(), time.process_time()
        report = write_report(runs, folder / "report")
        page = Path(str(report.path))
        written = {
            "wall_s": time.perf_counter() - began,
            "cpu_s": time.process_time() - spent,
            "peak_mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
            "page_mib": page.stat().st_size / 2**20,
            "pictures": sum(1 for path in (folder / "report" / "pictures").rglob("*.png")),
        }
        command = [sys.executable, "-m", "benchmarks.report_scale.browser", str(page), str(times)]
        answer = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    shown: dict[str, Any] = json.loads(answer.stdout)
    opened = Spread.of(one["open_s"] for one in shown["opened"])
    known: dict[str, Any] = {
        "machine": processor(),
        "browser": shown["browser"],
        "samples": len(known_samples),
        "models": models,
        "written": written,
        "open_s": {"median": opened.median, "least": opened.least, "most": opened.greatest},
        **{
            name: statistics.median(one[name] for one in shown["opened"])
            for name in ("table_s", "grid_s", "cards_s", "search_s", "heap_mib")
        },
        "counts": sorted({one["count"] for one in shown["opened"]}),
        "faults": sorted({fault for one in shown["opened"] for fault in one["faults"]}),
        "load": [before, load()],
    }
    if known["faults"] or known["counts"] != [f"{len(known_samples)} of {len(known_samples)} samples"]:
        raise MeasurementError(f"{known['counts']} {known['faults']}")
    seconds = known["open_s"]["median"]
    lines = list(_lines(known))
    if seconds >= most_seconds:
        lines.append(f"MISSED: the page opens in {seconds:.2f} s, not in {most_seconds:g} s")
    return Result(known, lines, 1 if seconds >= most_seconds else 0)


def _lines(found: dict[str, Any]) -> Iterator[str]:
    written, opened = found["written"], found["open_s"]
    yield f"{found['machine']}, Chromium {found['browser']}, load {found['load']}"
    yield (
        f"written    {written['cpu_s']:.1f} CPU s, {written['wall_s']:.1f} s, "
        f"peak {written['peak_mib']:.0f} MiB, page {written['page_mib']:.1f} MiB, "
        f"{written['pictures']} images"
    )
    spread = Spread(opened["median"], opened["least"], opened["most"]).text(digits=2)
    yield f"opens in   {spread} s, median and range, heap {found['heap_mib']:.0f} MiB"
    yield f"table      {found['table_s']:.2f} s, grid {found['grid_s']:.2f} s, cards {found['cards_s']:.2f} s"
    yield f"search     {found['search_s']:.2f} s"


def main() -> int:
    """Measure, print, and return the exit code."""
    parser = command_line("report_scale", __doc__)
    add = parser.add_argument
    add("--samples", type=int, default=2400, help="default: %(default)s")
    add("--models", type=int, default=5, help="default: %(default)s")
    add("--repeat", type=int, default=9, help="how often the page is opened (default: %(default)s)")
    add("--folder", type=Path, help="for the temporary files (default: that of the system)")
    add("--most-seconds", type=float, default=1.0, help="to open the page (default: %(default)s)")
    add_output(parser)
    given = parser.parse_args()
    work = (given.samples, given.models, given.repeat, given.folder, given.most_seconds)
    failures = (subprocess.CalledProcessError,)
    return finish(given, lambda: measure(*work), failures=failures, indent=2)


if __name__ == "__main__":
    raise SystemExit(main())
