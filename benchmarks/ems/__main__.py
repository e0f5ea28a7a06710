"""CPU per Earth Mover Similarity: its definition written plainly against the service's way.

Compared, in one run, by turns, on the same pairs of pictures, in profile ``paper``:

    definition  cv2.EMD for every pair of patches, for the pair and for the reference against one colour:
                of black and white, both of which equation 4 asks for, only the one that counts
    warm        ours, with the reference made ready before: what a further prediction costs
    cold        ours, from nothing

Counted is the CPU time of the process. Left out: reading and decoding files, and compiling, which is
done once before. Both ways have to give the same two distances within the float32 of cv2.EMD.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path

from benchmarks.ems.measure import DisagreementError, measure
from benchmarks.ems.pictures import pairs
from benchmarks.ems.report import Report
from benchmarks.harness import machine

_EXAMPLES = """examples:
  python -m benchmarks.ems                          all pairs, five repetitions of ours
  python -m benchmarks.ems --limit 4 --repeat 3     a quick look
  python -m benchmarks.ems --json > benchmarks/results/ems.json
"""
_PICTURES = Path(__file__).resolve().parents[2] / "examples" / "references"
_PACKAGES = ("numpy", "numba", "pillow", "opencv-python-headless")


def _count(text: str) -> int:
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"{value} is not 1 or more")
    return value


def parser() -> argparse.ArgumentParser:
    """Return the command line."""
    command = argparse.ArgumentParser(
        prog="python -m benchmarks.ems",
        description=__doc__,
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = command.add_argument
    add("--repeat", type=_count, default=5, metavar="N", help="repetitions of ours (default: 5)")
    add("--limit", type=_count, metavar="N", help="only the first N pairs")
    add("--json", action="store_true", help="print one JSON document instead of tables")
    return command


def main(arguments: Sequence[str] | None = None) -> int:
    """Return 0 if the claims hold, 1 if one does not, 2 if the two ways disagree."""
    options = parser().parse_args(arguments)

    before = machine.load()
    try:
        figures = measure(pairs(_PICTURES, options.limit), options.repeat)
    except (DisagreementError, OSError) as error:
        print(f"benchmark: {error}", file=sys.stderr)
        return 2
    where = machine.look({name: version(name) for name in _PACKAGES}, {}, before)
    report = Report(where, options.repeat, figures)
    print(json.dumps(report.as_json(), indent=1) if options.json else report.as_text())
    return 0 if report.holds else 1


if __name__ == "__main__":
    raise SystemExit(main())
