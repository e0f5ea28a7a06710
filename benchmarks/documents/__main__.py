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

import asyncio
import itertools
import statistics
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import TypeAlias

from benchmarks.harness.command import MeasurementError, Result, add_repeat, command_line, finish
from benchmarks.harness.machine import load, look
from benchmarks.harness.turns import Spread, in_turns, timed
from i2s_client import AsyncDocumentsClient
from i2s_client.service_table import DOCUMENTS
from i2s_sdk.settings import Settings
from i2s_sdk.stack.services import open_services
from i2s_wire.documents import Fragment, FragmentFormat

LEAST_A_MINUTE = 1000.0
MOST_TIMES = 4.0
_READERS = {FragmentFormat.LATEX: "latex", FragmentFormat.MARKDOWN: "markdown"}

#: Seconds, and the HTML of each table.
Converted: TypeAlias = tuple[float, list[str | None]]


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


async def _plain(pool: ThreadPoolExecutor, fragments: Sequence[Fragment]) -> Converted:
    return await timed(asyncio.to_thread(lambda: list(pool.map(convert_plainly, fragments))))


async def _by_service(client: AsyncDocumentsClient, at_once: int, fragments: Sequence[Fragment]) -> Converted:
    """Convert fragments in as many requests at the same time as asked for."""
    size = -(-len(fragments) // at_once)
    parts = [fragments[start : start + size] for start in range(0, len(fragments), size)]
    seconds, answers = await timed(asyncio.gather(*(client.convert(part) for part in parts)))
    return seconds, [one.html for one in itertools.chain.from_iterable(answers)]


def _require_equal(task: str, converted: Mapping[str, Converted]) -> None:
    pairs = zip(converted["service"][1], converted["plain"][1], strict=True)
    for at, (ours, plain) in enumerate(pairs):
        if ours != plain:
            raise MeasurementError(f"table {at}: {ours!r:.200} and {plain!r:.200}")


async def run(number: int, repeat: int) -> Result:
    """Convert all tables both ways in turns.

    Raises:
        MeasurementError: The two ways do not give the same HTML.
    """
    before = load()
    with tempfile.TemporaryDirectory(prefix="i2s-benchmark-") as logs:
        async with open_services(Settings(), Path(logs), (DOCUMENTS,)) as services:
            about = await services.converter.describe()
            with ThreadPoolExecutor(about.slots) as pool:
                ways = {
                    "plain": partial(_plain, pool),
                    "service": partial(_by_service, services.converter, about.slots),
                }
                work = {"tables": tables(number)}
                taken = await in_turns(ways, work, repeat, unmeasured=0, check=_require_equal)
            isolation = {about.isolation.tier.name.lower(): about.isolation.mechanisms}
            machine = look(about.versions, isolation, before)
    rates = {name: [60 * number / seconds for seconds, _ in own["tables"]] for name, own in taken.items()}
    ratio = statistics.median(rates["plain"]) / statistics.median(rates["service"])
    good = statistics.median(rates["service"]) >= LEAST_A_MINUTE and ratio <= MOST_TIMES
    facts = {"ratio": ratio, "bar": MOST_TIMES, **rates, "tables": number, "at_once": about.slots}
    lines = [
        *machine.lines(),
        f"{number} tables, {about.slots} at once",
        f"{'':10} {'tables a minute':>24}",
        *(f"{name:10} {Spread.of(values).text():>24}" for name, values in rates.items()),
        f"\nservice / plain: {ratio:.1f} times, bar {MOST_TIMES:g}",
    ]
    return Result({"machine": list(machine.lines()), **facts}, lines, 0 if good else 1)


def main() -> int:
    """Return 0 if the claims hold, 1 if they do not, 2 if the two sides differ."""
    parser = command_line("documents", __doc__)
    parser.add_argument("--tables", type=int, default=200, metavar="N", help="tables (default: 200)")
    add_repeat(parser, 3)
    given = parser.parse_args()
    return finish(given, lambda: asyncio.run(run(max(2, given.tables), given.repeat)))


if __name__ == "__main__":
    raise SystemExit(main())
