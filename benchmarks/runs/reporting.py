"""CPU and memory to read a large run and to write its numbers and its report; prints JSON.

    python -m benchmarks.runs.reporting RUN

RUN is the folder that ``opening`` has enlarged. The steps are timed one by one, so that it is seen where time
and memory go.
"""

from __future__ import annotations

import json
import resource
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from benchmarks.runs.measured import rss
from i2s_sdk import read_run, write_report
from i2s_sdk.runlog.planned import INSTANCES, Planned, planned_lines
from i2s_sdk.runlog.reader import StoredRun
from i2s_sdk.stats.aggregate import summarize_run

T = TypeVar("T")


def main(run: str) -> None:
    """Read the run, compute its numbers, write its report, and print what each took."""
    folder = Path(run)
    _plan_what_was_enlarged(folder)
    steps: dict[str, dict[str, float]] = {}

    def timed(name: str, work: Callable[[], T]) -> T:
        began = time.process_time()
        found = work()
        steps[name] = {"cpu_s": time.process_time() - began, "mib_after": rss(), "peak_mib": _peak()}
        return found

    stored: StoredRun = timed("read", lambda: read_run(folder))
    timed("numbers", partial(summarize_run, stored))
    samples = len(stored.records)
    del stored
    began = time.process_time()
    timed("report, which reads and computes again", lambda: write_report([folder]))
    facts: dict[str, Any] = {
        "samples": samples,
        "cpu_s": time.process_time() - began,
        "peak_mib": _peak(),
        "page_mib": sum(one.stat().st_size for one in folder.glob("*.html")) / 2**20,
        "steps": steps,
    }
    print(json.dumps(facts))


def _plan_what_was_enlarged(folder: Path) -> None:
    """Write the list of instances anew, with the ids of the records that ``opening`` has made."""
    records = folder / "records.jsonl"
    with records.open() as lines:
        ids = [json.loads(line)["id"] for line in lines]
    (folder / INSTANCES).write_bytes(planned_lines(Planned(one, "latex", "equation") for one in ids))


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    main(*sys.argv[1:])
