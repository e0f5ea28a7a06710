"""Seconds and memory to open a finished run of many samples; prints JSON.

    python -m benchmarks.runs.opening RUN SAMPLES

The first lines of the run are copied under other ids until there are so many.
"""

from __future__ import annotations

import json
import sys
import time
from itertools import islice
from pathlib import Path

from benchmarks.runs.measured import rss
from i2s_sdk.runlog.folder import ANSWERS, RECORDS, RENDERINGS, RunFolder

#: Lines that are copied; more would only take memory.
_COPIED = 20_000


def main(run: str, samples: str) -> None:
    """Open the run, and print what it took."""
    folder = Path(run)
    for name in (ANSWERS, RENDERINGS, RECORDS):
        _enlarge(folder / name, int(samples))
    size = sum((folder / name).stat().st_size for name in (ANSWERS, RENDERINGS, RECORDS))
    before, began, spent = rss(), time.monotonic(), time.process_time()
    with RunFolder.open(folder) as found:
        told = {
            "samples": len(found.ended),
            "mib_on_disk": size / 2**20,
            "wall_s": time.monotonic() - began,
            "cpu_s": time.process_time() - spent,
            "index_mib": rss() - before,
        }
    print(json.dumps(told))


def _enlarge(file: Path, samples: int) -> None:
    with file.open() as read:
        lines = [json.loads(line) for line in islice(read, _COPIED)]
    with file.open("w") as out:
        for number in range(samples):
            out.write(json.dumps({**lines[number % len(lines)], "id": f"s{number:06}"}) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
