"""CPU of scoring documents: TEDS of two tables of 500 cells, and pages of OmniDocBench without formulas.

Words are random. Of the second table a tenth of the cells and of the rows are others. Of the dense page 3 %
of the characters are missing; of the other page each line of its 100 paragraphs is written as a paragraph.
The exit code is 0 only if each median is below its bar; imports are left out.

    python -m benchmarks.document_scores --output benchmarks/results/document_scores.json
"""

import sys
import time
from collections.abc import Callable, Iterator
from itertools import pairwise
from random import Random

from benchmarks.harness.command import Result, add_output, add_repeat, command_line, finish
from benchmarks.harness.machine import load, look
from benchmarks.harness.turns import Spread
from i2s_sdk.scoring.scorer import Scorable
from i2s_sdk.tasks.omnidocbench.scorer import OmniDocBenchScorer
from i2s_sdk.text.teds import html_page, teds
from i2s_wire.metrics.profile import Profile

_CHANCE = Random(20261130)


def _words(number: int) -> str:
    return " ".join("".join(_CHANCE.choices("abcdefghijklmnopqrstuvwxyz", k=6)) for _ in range(number))


def _html(rows: list[list[str]]) -> str:
    cells = (f"<tr><td>{'</td><td>'.join(row)}</td></tr>" for row in rows)
    return f"<table>{''.join(cells)}</table>"


def _tables(columns: int) -> Callable[[int], object]:
    rows = [[_words(2) for _ in range(columns)] for _ in range(500 // columns)]
    other = [[_words(2) if _CHANCE.random() < 0.1 else cell for cell in row] for row in rows]
    other = [[_words(2)] if _CHANCE.random() < 0.1 else row for row in other]
    return lambda _: teds(html_page(_html(other)), html_page(_html(rows)))


def _page(texts: list[str], tables: list[str], predicted: list[str]) -> Callable[[int], object]:
    blocks = [{"category_type": "text_block", "text": text} for text in texts]
    blocks += [{"category_type": "table", "html": table} for table in tables]
    target = {"layout_dets": [{**block, "order": order} for order, block in enumerate(blocks)]}
    scorer, prediction = OmniDocBenchScorer(Profile.PAPER), "\n\n".join(predicted)
    # The scorer keeps the page that it read last, so each is another one.
    return lambda number: scorer.score(Scorable("page", prediction + "\n" * number, target=target))


def _cases() -> Iterator[tuple[str, float, Callable[[int], object]]]:
    for columns in (1, 2, 4, 10, 50):
        yield f"TEDS, rows of {columns}", 0.1, _tables(columns)
    texts, lines = [_words(57) for _ in range(150)], [_words(13) for _ in range(700)]
    tables = [_html([[_words(1) for _ in range(10)] for _ in range(10)]) for _ in range(4)]
    predicted = ["".join(character for character in text if _CHANCE.random() > 0.03) for text in texts]
    yield "dense page", 1.0, _page(texts, tables, [*predicted, *tables])
    whole = [" ".join(lines[at : at + 7]) for at in range(0, 700, 7)]
    yield "a paragraph a line", 3.0, _page(whole, [], lines)


def _run(repeat: int) -> Result:
    before, rows, lines = load(), [], []
    for name, bar, compare in _cases():
        ends = [(compare(number), time.process_time())[1] for number in range(repeat + 1)]
        spread = Spread.of(after - began for began, after in pairwise(ends))
        lines.append(f"{name:<20}{spread.text(digits=3)} CPU s, bar {bar}")
        rows.append({"case": name, "bar": bar, **spread._asdict()})
    machine = list(look({}, {}, before).lines())
    missed = any(row["median"] >= row["bar"] for row in rows)
    return Result({"machine": machine, "cpu_seconds": rows}, [*machine, *lines], int(missed))


if __name__ == "__main__":
    parser = command_line("document_scores", __doc__)
    add_repeat(parser, 9, "of every comparison")
    add_output(parser)
    given = parser.parse_args()
    sys.exit(finish(given, lambda: _run(given.repeat)))
