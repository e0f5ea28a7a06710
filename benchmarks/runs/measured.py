"""One evaluation in a process of its own, which looks at itself as it goes; prints JSON.

python -m benchmarks.runs.measured DATA ANSWERS RUN ADDRESS
"""

from __future__ import annotations

import json
import os
import resource
import sys
import time
from pathlib import Path

from i2s_sdk import Settings, evaluate
from i2s_sdk.evaluation.progress import Progress

_PAGE = os.sysconf("SC_PAGE_SIZE")
_LOOKS = 20  # over the whole run


def main(data: str, answers: str, run: str, address: str) -> None:
    """Evaluate, and print what it took."""
    looks: list[dict[str, float]] = []

    def look(progress: Progress) -> None:
        if progress.finished * _LOOKS >= progress.planned * (len(looks) + 1) or not progress.last:
            looks.append({"finished": progress.finished, "rss_mib": rss(), **_spent()})
            print(f"{progress.finished} of {progress.planned} samples, {rss():.0f} MiB", file=sys.stderr)

    settings = Settings(render_latex=address, metrics=address, reference_points="no")
    result = evaluate(data, f"replay:{answers}", out=run, settings=settings, on_progress=look)
    print(
        json.dumps(
            {
                "scored": result.summary.scored,
                "looks": looks,
                "end": {"rss_mib": rss(), "peak_mib": _peak(), **_spent()},
            }
        )
    )


def rss() -> float:
    """Return the memory that this process uses, in MiB."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * _PAGE / 2**20


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _spent() -> dict[str, float]:
    return {"cpu_s": time.process_time(), "wall_s": time.monotonic()}


if __name__ == "__main__":
    main(*sys.argv[1:])
