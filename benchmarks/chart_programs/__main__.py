"""Public plotting programs of several years: how many are rendered at once, and how many after repairs.

The programs are those of the galleries and docstrings of matplotlib, networkx, numpy and scipy, out of source
distributions of 2018 to 2026, which are fetched from the package index. They are run by the engine of
render-python and repaired as the task chart repairs them in profile `paper`. The exit code is 0 if at least
92 % of the programs of 2023 to 2026 are rendered after repairs, else 1.

    python -m benchmarks.chart_programs                          # JSON on standard output
    python -m benchmarks.chart_programs --number 10 --folder DIR # a quick look; DIR keeps what is fetched
"""

from __future__ import annotations

import asyncio
import json
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from benchmarks.chart_programs.programs import RELEASES, Program, programs
from benchmarks.harness.command import Result, command_line, finish
from benchmarks.python.__main__ import engine
from i2s_render_python.engine import PythonEngine
from i2s_render_python.model import Options, PythonJob
from i2s_render_python.settings import PythonSettings
from i2s_sdk.tasks import render_with_repairs_async
from i2s_sdk.tasks.chart.document import ChartProgram
from i2s_sdk.tasks.chart.task import ChartTask
from i2s_sdk.tasks.repair import Attempts, RepairKind
from i2s_wire.render.rendering import Rendering
from i2s_wire.render.request import File

LEAST_SHARE = 0.92
OLD = "old"


async def run(opened: PythonEngine, program: Program) -> Attempts[ChartProgram]:
    """Run a program and repair it."""
    limits = replace(PythonSettings().limit_table().default, cpu_seconds=15.0, wall_seconds=60.0)
    files = tuple(File(path, content) for path, content in program.files.items())

    async def once(document: ChartProgram) -> Rendering:
        options = Options(restored_names=document.restored_names)
        drawn = await opened.render(PythonJob(document.source.encode(), files, options, limits))
        return Rendering(drawn.verdict, message=drawn.message, error=drawn.error)

    return await render_with_repairs_async(ChartTask(), ChartProgram(program.code), once)


async def measure(opened: PythonEngine, chosen: list[Program]) -> dict[str, object]:
    """Return how many programs are rendered, with the names that were put back and what is not rendered."""
    verdicts: Counter[str] = Counter()
    names: Counter[str] = Counter()
    first = last = restored = 0
    without = {}
    for program in chosen:
        attempts = await run(opened, program)
        first += attempts.first.verdict.has_picture
        last += attempts.last.verdict.has_picture
        put_back = [repair.detail for repair in attempts.repairs if repair.kind is RepairKind.RESTORE_NAME]
        if attempts.last.verdict.has_picture:
            restored += bool(put_back)
            names.update(put_back)
        else:
            without[program.name] = attempts.last.message[:200]
        verdicts[attempts.last.verdict.name] += 1
    return {
        "programs": len(chosen),
        "rendered at once": first,
        "rendered": last,
        "of these with names put back": restored,
        "verdicts": dict(verdicts),
        "names": dict(names.most_common()),
        "without": without,
    }


async def results(years: Sequence[str], number: int, folder: Path) -> Result:
    """Measure the programs of years.

    Args:
        years: Names of ``RELEASES``.
        number: Most programs of a release.
        folder: Keeps source distributions.
    """
    found: dict[str, dict[str, object]] = {}
    seen: set[str] = set()
    async with engine() as opened:
        for year in years:
            several = [program for release in RELEASES[year] for program in programs(release, number, folder)]
            new = list({program.code: program for program in several if program.code not in seen}.values())
            seen |= {program.code for program in new}  # many stay the same from year to year
            found[year] = await measure(opened, new)
            print(year, json.dumps(found[year], indent=2), file=sys.stderr)
    recent = [result for year, result in found.items() if year != OLD]
    counts = {
        name: sum(int(str(result[name])) for result in recent)
        for name in ("programs", "rendered at once", "rendered")
    }
    document = {"2023 to 2026": counts, **found}
    holds = counts["rendered"] >= LEAST_SHARE * counts["programs"]
    return Result(document, [json.dumps(document, indent=2)], 0 if holds else 1)


def main() -> int:
    """Measure and print; returns the exit code."""
    parser = command_line("chart_programs", __doc__)
    parser.add_argument("--number", type=int, default=50, metavar="N", help="most programs of a release")
    parser.add_argument("--years", nargs="+", choices=RELEASES, default=[*RELEASES], metavar="YEAR")
    parser.add_argument("--folder", type=Path, metavar="DIR", help="keeps source distributions")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        work = results(given.years, given.number, given.folder or Path(temporary))
        return finish(given, lambda: asyncio.run(work), indent=2)


if __name__ == "__main__":
    raise SystemExit(main())
