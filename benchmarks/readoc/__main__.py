"""CPU of scoring READOC documents: our scorer, and a plain implementation of the same rules.

Compared, in one run, on the same documents: the columns of trees and order, which are what can be quadratic,
by our scorer's functions and by their definitions (pairs of tokens and blocks, the distance of Zhang and
Shasha as their paper has it), with the same libraries for texts and pandoc. Both have to give the same
values. Counted beside it is the CPU of scoring whole documents with all columns, pandoc's processes included.

Documents are the Markdown files of a folder, in profile ``reference``, with all columns. A prediction is the
file of the same name in another folder, or the document in lower case with all headings on one level.

The exit code is 0 only if all documents together take less than 10 CPU seconds (else 1) and both ways agree
(else 2).

    python -m benchmarks.readoc FOLDER
    python -m benchmarks.readoc FOLDER --predictions FOLDER --json
"""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from benchmarks.harness.command import MeasurementError, Result, command_line, finish
from benchmarks.harness.machine import load
from benchmarks.harness.meter import own_and_childrens_seconds
from benchmarks.readoc import readoc_definition as definition
from i2s_sdk.scoring.scorer import Conversion, Scorable
from i2s_sdk.tasks.readoc.markdown import DocumentSegments, after_tables, before_tables, segments
from i2s_sdk.tasks.readoc.order import inversions, match_blocks
from i2s_sdk.tasks.readoc.scorer import ReadocScorer
from i2s_sdk.tasks.readoc.tables import table_tree, with_latex_tables
from i2s_sdk.tasks.readoc.trees import heading_tree
from i2s_sdk.text.tree_distance import TextTree, tree_distances
from i2s_wire.metrics.profile import Profile

CPU_BAR_SECONDS = 10.0
_EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "readoc"
_SCORER = ReadocScorer(Profile.HELM)


@dataclass(frozen=True, slots=True)
class Parts:
    """What both ways compare of a document: segments, and trees of headings and tables."""

    predicted: DocumentSegments
    gold: DocumentSegments
    headings: tuple[TextTree, TextTree]
    tables: tuple[list[TextTree], list[TextTree]]


def timed(what: Callable[[Any], Any], of: object) -> tuple[Any, float]:
    """Return a result and the CPU seconds that it took."""
    before = own_and_childrens_seconds()
    result = what(of)
    return result, own_and_childrens_seconds() - before


def as_html(conversion: Conversion) -> str | None:
    """Return what pandoc makes of a text, or None if it fails."""
    command = ["pandoc", "--sandbox", "-f", conversion.format, "-t", "html"]
    ended = subprocess.run(command, input=conversion.text.encode(), capture_output=True, check=False)
    return ended.stdout.decode() if ended.returncode == 0 else None


def scored(sample: Scorable) -> Scorable:
    """Score a document as a run does, and return it with its conversions."""
    while wanted := _SCORER.conversions(sample):
        found: Mapping[str, str | None] = {one.key: as_html(one) for one in wanted}
        sample = replace(sample, conversions={**sample.conversions, **found})
    _SCORER.score(sample)
    return sample


def parts_of(sample: Scorable) -> Parts:
    """Return what both ways compare."""
    cut = []
    for text in (sample.structure or "", sample.target):
        standard = before_tables(text, Profile.HELM)
        latex = with_latex_tables(standard, sample.conversions, Profile.HELM)
        cut.append(segments(after_tables(latex), Profile.HELM))
    tables = []
    for one in cut:
        fragments = [sample.conversions.get(Conversion("latex", table).key) for table in one.tables]
        trees = [table_tree(fragment) for fragment in fragments if fragment]
        tables.append([tree for tree in trees if tree is not None])
    headings = (heading_tree(cut[0].headings), heading_tree(cut[1].headings))
    return Parts(cut[0], cut[1], headings, (tables[0], tables[1]))


def ours(parts: Parts) -> list[Any]:
    """Return matched blocks, inversions and distances by the scorer's functions."""
    matches = match_blocks(parts.predicted.blocks, parts.gold.blocks)
    distances = [tree_distances(tree, parts.tables[0]) for tree in parts.tables[1]]
    headings = tree_distances(parts.headings[0], [parts.headings[1]])
    order = inversions(_places(parts))
    return [[(match.gold, match.predicted, match.distance) for match in matches], order, headings, distances]


def plain(parts: Parts) -> list[Any]:
    """Return the same by the definitions."""
    matches = definition.matched_blocks(parts.predicted.blocks, parts.gold.blocks)
    distances = [[definition.tree_distance(tree, one) for one in parts.tables[0]] for tree in parts.tables[1]]
    headings = [definition.tree_distance(*parts.headings)]
    return [matches, definition.inversions(_places(parts)), headings, distances]


def _places(parts: Parts) -> list[int]:
    places: dict[str, int] = {}
    for place, token in enumerate(parts.predicted.whole.split()):
        places.setdefault(token, place)
    return [places[one] for one in dict.fromkeys(parts.gold.whole.split()) if one in places]


def agree(one: Sequence[Any], other: Sequence[Any]) -> bool:
    """Return whether both ways gave the same, within rounding of sums."""
    numbers = [json.dumps(values, default=list) for values in (one, other)]
    found = [[float(number) for number in re.findall(r"-?[\d.]+(?:e-?\d+)?", text)] for text in numbers]
    same_length = len(found[0]) == len(found[1])
    return same_length and all(abs(a - b) < 1e-6 for a, b in zip(*found, strict=True))


def run(folder: Path, predictions: Path | None) -> Result:
    """Measure all documents.

    Args:
        folder: Has gold documents, ``*.md``, maybe in folders.
        predictions: Has predictions of the same relative names; None for corrupted documents.

    Raises:
        MeasurementError: There are no documents.
    """
    before = load()
    rows: list[dict[str, Any]] = []
    for path in sorted(folder.rglob("*.md")):
        gold = path.read_text(encoding="utf-8")
        if predictions is None:
            predicted = re.sub(r"^#+", "#", gold.lower(), flags=re.MULTILINE)
        else:
            predicted = (predictions / path.relative_to(folder)).read_text(encoding="utf-8")
        sample, whole = timed(scored, Scorable(path.stem, predicted, target=gold))
        parts = parts_of(sample)
        (mine, fast), (its, slow) = timed(ours, parts), timed(plain, parts)
        row = {"document": path.stem, "all_s": whole, "ours_s": fast, "plain_s": slow}
        rows.append({**row, "conversions": len(sample.conversions), "agree": agree(mine, its)})
    if not rows:
        raise MeasurementError(f"{folder} has no documents (*.md)")
    totals = {name: sum(float(row[name]) for row in rows) for name in ("all_s", "ours_s", "plain_s")}
    known = [before, load()]
    lines = [
        f"{'document':20} {'all columns':>12} {'ours':>9} {'plain':>9}   CPU seconds",
        *(
            f"{row['document']:20} {row['all_s']:12.3f} {row['ours_s']:9.3f} {row['plain_s']:9.3f}"
            for row in [*rows, {"document": "total", **totals}]
        ),
        f"trees and order: {totals['plain_s'] / totals['ours_s']:.0f} times less; load {known}",
    ]
    holds = totals["all_s"] < CPU_BAR_SECONDS
    code = 2 if not all(row["agree"] for row in rows) else 0 if holds else 1
    return Result({"documents": rows, **totals, "load": known}, lines, code)


def main() -> int:
    """Return 0 if the claims hold, 1 if the time is too long, 2 if the two ways disagree."""
    parser = command_line("readoc", __doc__)
    parser.add_argument("folder", type=Path, nargs="?", default=_EXAMPLES, help="gold documents (*.md)")
    parser.add_argument("--predictions", type=Path, help="folder of predictions with the same names")
    given = parser.parse_args()
    return finish(given, lambda: run(given.folder, given.predictions))


if __name__ == "__main__":
    raise SystemExit(main())
