"""Seconds and memory to open a finished run of many samples; prints JSON.

    python -m benchmarks.runs.opening RUN SAMPLES

The lines of a small run are copied under other ids until there are so many.
"""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path

from i2s_sdk.runlog.folder import ANSWERS, RECORDS, RENDERINGS, RunFolder

_PAGE = os.sysconf("SC_PAGE_SIZE")


def main(run: str, samples: str) -> None:
    """Open the run, and print what it took."""
    folder = Path(run)
    for name in (ANSWERS, RENDERINGS, RECORDS):
        _enlarge(folder / name, int(samples))
    size = sum((folder / name).stat().st_size for name in (ANSWERS, RENDERINGS, RECORDS))
    before, began, spent = _rss(), time.monotonic(), time.process_time()
    with RunFolder.open(folder) as found:
        told = {
            "samples": len(found.ended),
            "mib_on_disk": size / 2**20,
            "wall_s": time.monotonic() - began,
            "cpu_s": time.process_time() - spent,
            "index_mib": _rss() - before,
        }
    print(json.dumps(told))


def _enlarge(file: Path, samples: int) -> None:
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    with file.open("w") as out:
        for number in range(samples):
            out.write(json.dumps({**lines[number % len(lines)], "id": f"s{number:06}"}) + "\n")


def _rss() -> float:
    return int(Path("/proc/self/statm").read_text().split()[1]) * _PAGE / 2**20


if __name__ == "__main__":
    main(*sys.argv[1:])
