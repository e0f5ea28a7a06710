"""The steps of the benchmark, each in a process of its own that measures itself; prints JSON.

python -m benchmarks.runs.steps evaluation DATA ANSWERS RUN ADDRESS
python -m benchmarks.runs.steps opening RUN SAMPLES     # the first lines are copied until there are so many
python -m benchmarks.runs.steps reporting RUN           # a run that ``opening`` has enlarged
"""

from __future__ import annotations

import json
import os
import resource
import sys
import time
from collections.abc import Callable, Mapping
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar

from i2s_sdk import Settings, evaluate, read_run, write_report
from i2s_sdk.run.pipeline import Progress
from i2s_sdk.run.storage.folder import ANSWERS, RECORDS, RENDERINGS, RunFolder, StoredRun
from i2s_sdk.run.storage.manifest import INSTANCES, PlannedInstance, planned_lines
from i2s_sdk.stats.aggregate import summarize_run

T = TypeVar("T")

_PAGE = os.sysconf("SC_PAGE_SIZE")
_LOOKS = 20  # over the whole run
_COPIED = 20_000  # lines; more would only take memory


def evaluation(data: str, answers: str, run: str, address: str) -> dict[str, Any]:
    """Evaluate a replay, and return CPU and memory as it goes."""
    looks: list[dict[str, float]] = []

    def look(progress: Progress) -> None:
        if progress.finished * _LOOKS >= progress.planned * (len(looks) + 1) or not progress.last:
            looks.append({"finished": progress.finished, "rss_mib": _rss(), **_spent()})
            print(f"{progress.finished} of {progress.planned} samples, {_rss():.0f} MiB", file=sys.stderr)

    settings = Settings(render_latex=address, metrics=address, reference_points="no")
    result = evaluate(data, f"replay:{answers}", out=run, settings=settings, on_progress=look)
    end = {"rss_mib": _rss(), "peak_mib": _peak(), **_spent()}
    return {"scored": result.summary.scored, "looks": looks, "end": end}


def opening(run: str, samples: str) -> dict[str, Any]:
    """Enlarge a finished run to so many samples, open it, and return what that takes."""
    folder, names = Path(run), (ANSWERS, RENDERINGS, RECORDS)
    for name in names:
        _enlarge(folder / name, int(samples))
    size = sum((folder / name).stat().st_size for name in names)
    before, began, spent = _rss(), time.monotonic(), time.process_time()
    with RunFolder.open(folder) as found:
        return {
            "samples": len(found.ended),
            "mib_on_disk": size / 2**20,
            "wall_s": time.monotonic() - began,
            "cpu_s": time.process_time() - spent,
            "index_mib": _rss() - before,
        }


def _enlarge(file: Path, samples: int) -> None:
    with file.open() as read:
        lines = [json.loads(line) for line in islice(read, _COPIED)]
    with file.open("w") as out:
        for number in range(samples):
            out.write(json.dumps({**lines[number % len(lines)], "id": f"s{number:06}"}) + "\n")


def reporting(run: str) -> dict[str, Any]:
    """Read a run, compute its numbers, write its report, and return what each step takes."""
    folder = Path(run)
    with (folder / RECORDS).open() as lines:
        ids = [json.loads(line)["id"] for line in lines]
    (folder / INSTANCES).write_bytes(planned_lines(PlannedInstance(one, "latex", "equation") for one in ids))
    steps: dict[str, dict[str, float]] = {}

    def timed(name: str, work: Callable[[], T]) -> T:
        began = time.process_time()
        found = work()
        steps[name] = {"cpu_s": time.process_time() - began, "mib_after": _rss(), "peak_mib": _peak()}
        return found

    stored: StoredRun = timed("read", lambda: read_run(folder))
    timed("numbers", partial(summarize_run, stored))
    samples = len(stored.records)
    del stored
    began = time.process_time()
    timed("report, which reads and computes again", lambda: write_report([folder]))
    return {
        "samples": samples,
        "cpu_s": time.process_time() - began,
        "peak_mib": _peak(),
        "page_mib": sum(path.stat().st_size for path in folder.glob("*.html")) / 2**20,
        "steps": steps,
    }


def _rss() -> float:
    """Return the memory that this process uses, in MiB."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * _PAGE / 2**20


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _spent() -> dict[str, float]:
    return {"cpu_s": time.process_time(), "wall_s": time.monotonic()}


_STEPS: Mapping[str, Callable[..., dict[str, Any]]] = {
    "evaluation": evaluation,
    "opening": opening,
    "reporting": reporting,
}

if __name__ == "__main__":
    print(json.dumps(_STEPS[sys.argv[1]](*sys.argv[2:])))
