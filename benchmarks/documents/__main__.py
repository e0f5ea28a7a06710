"""Tables to HTML: the documents service against one pandoc process for each table without a sandbox.

Compared, in one run, in turns, on the same tables (half LaTeX, half pipe tables of Markdown):

  plain     one `pandoc --sandbox -f … -t html` process for each table, unconfined, as many at once as the
            service has slots
  service   AsyncDocumentsClient.convert against a service that was started here, as many requests at once

Wall time is measured, because the aim is a number of tables a minute. It does not include the start of the
service. The exit code is 0 only if both ways give the same HTML (else 2) and the service converts at
least 1,000 tables a minute and takes at most 4 times the time of the plain processes on the median (else 1).

    python -m benchmarks.documents                # a table
    python -m benchmarks.documents --tables 400 --repeat 5
    python -m benchmarks.documents --json
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path

from benchmarks.latex.machine import load, look
from i2s_client import AsyncDocumentsClient
from i2s_client.service_table import DOCUMENTS
from i2s_sdk.settings import Settings
from i2s_sdk.stack.services import open_services
from i2s_wire.documents import DocumentsDescription, Fragment, FragmentFormat

LEAST_A_MINUTE = 1000.0
MOST_TIMES = 4.0
_READERS = {FragmentFormat.LATEX: "latex", FragmentFormat.MARKDOWN: "markdown"}


class DifferentError(Exception):
    """The two ways do not give the same HTML."""


@dataclass(frozen=True, slots=True)
class Figures:
    """Tables a minute of each repetition.

    Attributes:
        plain: Tables a minute with one process for each table.
        service: Tables a minute of the service.
        tables: Number of tables in a repetition.
        at_once: Processes or requests at the same time.
    """

    plain: list[float]
    service: list[float]
    tables: int
    at_once: int

    @property
    def ratio(self) -> float:
        """How many times longer the service takes, on the medians."""
        return statistics.median(self.plain) / statistics.median(self.service)


def tables(number: int) -> list[Fragment]:
    """Return so many tables of 2 to 6 columns and 3 to 12 rows, every other one in LaTeX."""
    return [_table(at, columns=2 + at % 5, rows=3 + at % 10) for at in range(number)]


def _table(at: int, columns: int, rows: int) -> Fragment:
    cells = [[f"{row * columns + column + at}.{column}" for column in range(columns)] for row in range(rows)]
    if at % 2:
        head, *body = [f"| {' | '.join(row)} |" for row in cells]
        text = "\n".join([head, f"|{'---|' * columns}", *body]) + "\n"
        return Fragment(str(at), FragmentFormat.MARKDOWN, text)
    body = [f"{' & '.join(f'${cell}$' for cell in row)} \\\\ \\hline" for row in cells]
    inner = "\n".join(["\\begin{tabular}{" + "l" * columns + "}", "\\hline", *body, "\\end{tabular}"])
    return Fragment(str(at), FragmentFormat.LATEX, f"\\begin{{table}}\n{inner}\n\\end{{table}}\n")


def convert_plainly(fragment: Fragment) -> str:
    """Return what a plain pandoc process makes of a fragment.

    Raises:
        subprocess.CalledProcessError: It refused it.
    """
    command = ["pandoc", "--sandbox", "-f", _READERS[fragment.format], "-t", "html"]
    ended = subprocess.run(command, input=fragment.text.encode(), capture_output=True, check=True)
    return ended.stdout.decode()


async def convert_by_service(
    client: AsyncDocumentsClient, fragments: Sequence[Fragment], at_once: int
) -> list[str | None]:
    """Return what the service makes of fragments, in as many requests at the same time as asked for."""
    size = -(-len(fragments) // at_once)
    parts = [fragments[start : start + size] for start in range(0, len(fragments), size)]
    answers = await asyncio.gather(*(client.convert(part) for part in parts))
    return [one.html for one in itertools.chain.from_iterable(answers)]


async def measure(
    client: AsyncDocumentsClient, about: DocumentsDescription, fragments: Sequence[Fragment], repeat: int
) -> Figures:
    """Convert all fragments both ways in turns.

    Raises:
        DifferentError: They do not agree.
    """
    plain: list[float] = []
    service: list[float] = []
    with ThreadPoolExecutor(about.slots) as pool:
        for _ in range(repeat):
            begun = time.perf_counter()
            wanted = await asyncio.to_thread(lambda: list(pool.map(convert_plainly, fragments)))
            plain.append(60 * len(fragments) / (time.perf_counter() - begun))
            begun = time.perf_counter()
            found = await convert_by_service(client, fragments, about.slots)
            service.append(60 * len(fragments) / (time.perf_counter() - begun))
            if found != wanted:
                at = next(at for at, pair in enumerate(zip(found, wanted, strict=True)) if pair[0] != pair[1])
                raise DifferentError(f"table {at}: {found[at]!r:.200} and {wanted[at]!r:.200}")
    return Figures(plain, service, len(fragments), about.slots)


async def run(number: int, repeat: int) -> tuple[Figures, list[str]]:
    """Measure; returns the figures and lines about the machine."""
    before = load()
    with tempfile.TemporaryDirectory(prefix="i2s-benchmark-") as logs:
        async with open_services(Settings(), Path(logs), (DOCUMENTS,)) as services:
            about = await services.converter.describe()
            figures = await measure(services.converter, about, tables(number), repeat)
            isolation = about.isolation
            machine = look(about.versions, {isolation.tier.name.lower(): isolation.mechanisms}, before)
    return figures, list(machine.lines())


def shown(figures: Figures) -> str:
    """Return the figures for people."""
    lines = [f"{figures.tables} tables, {figures.at_once} at once", f"{'':10} {'tables a minute':>24}"]
    for name, values in (("plain", figures.plain), ("service", figures.service)):
        spread = f"{statistics.median(values):.0f} ({min(values):.0f} to {max(values):.0f})"
        lines.append(f"{name:10} {spread:>24}")
    return "\n".join(lines)


def main() -> int:
    """Return 0 if the claims hold, 1 if they do not, 2 if the two sides differ."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.documents",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--tables", type=int, default=200, metavar="N", help="tables (default: 200)")
    parser.add_argument("--repeat", type=int, default=3, metavar="N", help="repetitions (default: 3)")
    parser.add_argument("--json", action="store_true", help="print one JSON document instead of a table")
    options = parser.parse_args()
    try:
        figures, machine = asyncio.run(run(max(2, options.tables), max(1, options.repeat)))
    except DifferentError as error:
        print(f"benchmark: {error}", file=sys.stderr)
        return 2
    if options.json:
        document = {"machine": machine, "ratio": figures.ratio, "bar": MOST_TIMES, **asdict(figures)}
        print(json.dumps(document, indent=1))
    else:
        print(*machine, shown(figures), sep="\n")
        print(f"\nservice / plain: {figures.ratio:.1f} times, bar {MOST_TIMES:g}")
    good = statistics.median(figures.service) >= LEAST_A_MINUTE and figures.ratio <= MOST_TIMES
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
