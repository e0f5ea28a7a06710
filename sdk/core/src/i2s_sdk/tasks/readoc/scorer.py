"""The scorer of READOC: ten columns that compare a Markdown document with a gold one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import Levenshtein

from i2s_sdk.scoring.assignment import best_assignment
from i2s_sdk.scoring.scorer import Conversion, Metric, MetricValues, NotUsable, Scorable
from i2s_sdk.tasks.readoc.detail import detail_of
from i2s_sdk.tasks.readoc.markdown import DocumentSegments, after_tables, before_tables, segments
from i2s_sdk.tasks.readoc.order import BlockMatch, kendall_distance_score, match_blocks, token_order_score
from i2s_sdk.tasks.readoc.tables import table_conversions, table_tree, with_latex_for_html, with_latex_tables
from i2s_sdk.tasks.readoc.trees import MAX_NODES, apted_distance, heading_tree
from i2s_sdk.text.tree_distance import TextTree, tree_distances
from i2s_wire.metrics.profile import Profile

#: The share of the longer text by which it is expected to differ. It decides how much work is tried first,
#: and changes no value.
_EXPECTED_DISTANCE = 0.02


def edit_similarity(predicted: str, gold: str) -> float:
    """Return 1 − Levenshtein distance / length of the longer text, by code points; 1 if both are empty."""
    longer = max(len(predicted), len(gold))
    if not longer:
        return 1.0
    hint = int(longer * _EXPECTED_DISTANCE)
    return 1.0 - Levenshtein.distance(predicted, gold, score_hint=hint) / longer


def vocabulary_score(predicted: str, gold: str) -> float:
    """Return F1 of the sets of white-space tokens; 0 if they have none in common."""
    words, gold_words = set(predicted.split()), set(gold.split())
    common = len(words & gold_words)
    return 2 * common / (len(words) + len(gold_words)) if common else 0.0


_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class TableScore:
    """The score of all tables, and how it came about."""

    #: Sum of the similarities of matched tables, divided by the larger number of tables.
    value: float
    #: Index of a gold table, index of the predicted table, and their similarity.
    matches: tuple[tuple[int, int, float], ...]


def tree_similarity(distance: float, size: int, other_size: int, extra: int = 0) -> float:
    """Return 1 − distance / size of the larger tree (TEDS); 1 if both sizes are 0.

    Args:
        distance: Edit distance of the trees.
        size: Size of the one tree.
        other_size: Size of the other tree.
        extra: Nodes to be added to both sizes, such as roots that are not counted.
    """
    larger = max(size, other_size) + extra
    if larger and abs(distance - larger) < _ROUNDING * larger:
        return 0.0  # not a negative number that comes from adding up fractions
    return 1.0 - distance / larger if larger else 1.0


def score_tables(
    predicted: Sequence[TextTree | None], gold: Sequence[TextTree | None], extra: int
) -> TableScore:
    """Match tables so that the sum of similarities is greatest.

    Args:
        predicted: Predicted tables, at least one; None for what is not a table, which is similar to nothing.
        gold: Gold tables, likewise.
        extra: Nodes to be added to the sizes of trees.
    """
    values = np.zeros((len(gold), len(predicted)))
    _fill(values, gold, predicted, extra)
    pairs = best_assignment(values)
    total = sum(float(values[pair]) for pair in pairs)
    matches = tuple((row, column, float(values[row, column])) for row, column in pairs)
    return TableScore(total / max(len(gold), len(predicted)), matches)


def _fill(
    values: NDArray[np.float64],
    gold: Sequence[TextTree | None],
    predicted: Sequence[TextTree | None],
    extra: int,
) -> None:
    rows = [(i, tree) for i, tree in enumerate(gold) if tree is not None]
    columns = [(i, tree) for i, tree in enumerate(predicted) if tree is not None]
    if _nodes(rows) > _nodes(columns):
        rows, columns, values = columns, rows, values.T
    others = [tree for _, tree in columns]
    for row, tree in rows:
        distances = tree_distances(tree, others)
        for (column, other), distance in zip(columns, distances, strict=True):
            values[row, column] = tree_similarity(distance, tree.size, other.size, extra)


def _nodes(trees: Sequence[tuple[int, TextTree]]) -> int:
    return sum(len(tree.kinds) for _, tree in trees)


#: Name of the scorer, and of its detail in records.
NAME = "readoc"
_SUMMARIES = {
    "text_concat": "Similarity of the text without headings, tables and formulas.",
    "text_vocab": "F1 of the sets of words of the text without headings, tables and formulas.",
    "heading_concat": "Similarity of all headings, joined by line ends.",
    "heading_tree": "Similarity of the trees of headings.",
    "embed_concat": "Similarity of all formulas within text.",
    "isolate_concat": "Similarity of all displayed formulas.",
    "table_concat": "Similarity of all tables as LaTeX.",
    "table_tree": "Mean similarity of the best assignment of predicted to gold tables, as trees.",
    "block_order": "Normalised Kendall distance of the order of the matched blocks.",
    "token_order": "Normalised Kendall distance of the order of common words by their first appearance.",
}
#: The columns, in the order shown.
COLUMNS = tuple(_SUMMARIES)
#: The columns that a subset has, where it does not have all.
COLUMNS_OF_SUBSET = {
    "github": ("text_concat", "text_vocab", "heading_concat", "heading_tree", "block_order", "token_order")
}
#: The most tables that a document may have.
MAX_TABLES = 2000

_SIGNED = ("heading_tree", "table_tree")
_ABSENT = {
    "text_concat": "the gold document has no text besides headings, tables and formulas",
    "heading_concat": "the gold document has no headings",
    "embed_concat": "the gold document has no formulas in its text",
    "isolate_concat": "the gold document has no displayed formulas",
    "table_concat": "the gold document has no tables",
    "block_order": "the gold document is empty",
    "token_order": "the gold document has fewer than two words",
}
_ABSENT["text_vocab"] = _ABSENT["text_concat"]
_ABSENT["heading_tree"] = _ABSENT["heading_concat"]
_ABSENT["table_tree"] = _ABSENT["table_concat"]
_GOLD_TABLE_FAILS = "pandoc cannot convert a table of the gold document"


@dataclass(frozen=True, slots=True)
class ReadocScorer:
    """Compares two Markdown documents: texts, headings, formulas, tables and order.

    ``…_concat`` is the similarity by Levenshtein distance of all contents of a kind, joined by line ends.
    ``text_vocab`` is F1 of the sets of words. ``heading_tree`` and ``table_tree`` are similarities of trees
    (TEDS), 1 − edit distance / size; the distance can be greater than the size, so both can be negative, but
    not below −1: a distance is at most the sum of the two sizes. ``block_order`` and ``token_order`` are
    normalised Kendall distances.

    A column has no value if the gold document has none of its kind, and in subset github, which has six.
    A prediction without contents of a kind, or one that is not usable, counts 0 there.

    In profile ``paper`` lines of fenced code are not headings, HTML tables are tables, sizes of trees include
    the root, and ``heading_tree`` is at least 0. In profile ``helm`` the distance of ``heading_tree`` is that
    of the package ``apted`` up to ``MAX_NODES`` nodes of a tree; all other distances are exact.

    Tables are converted by pandoc; ``conversions`` returns first the pipe tables, then, with their results,
    the LaTeX tables.
    """

    #: Profile whose rules are followed.
    profile: Profile
    #: The most tables that a prediction may have, of each form; with more it is not usable.
    max_tables: int = MAX_TABLES
    #: Name as the manifest calls it.
    name: str = NAME
    #: Grows whenever a value can change.
    version: str = "2"
    #: True: documents can take any time.
    in_worker: bool = True
    #: True: the gold document decides which columns are 0 and which have no value.
    scores_unusable: bool = True

    @property
    def metrics(self) -> tuple[Metric, ...]:
        """The ten columns."""
        return tuple(
            Metric(name, low=self._low(name), summary=summary) for name, summary in _SUMMARIES.items()
        )

    def _low(self, name: str) -> float:
        clamped = self.profile is Profile.PAPER and name == "heading_tree"
        return -1.0 if name in _SIGNED and not clamped else 0.0

    def applies(self, sample: Scorable) -> bool:
        """Return whether there is a gold document."""
        return isinstance(sample.target, str)

    def conversions(self, sample: Scorable) -> tuple[Conversion, ...]:
        """Return the pipe tables, and once these are converted the LaTeX tables, that pandoc has to convert.

        There are none for a prediction with more tables than it may have, because it is not scored.
        """
        texts = [self._before_tables(text) for text in (sample.structure or "", sample.target)]
        pipes = [table_conversions(text) for text in texts]
        if len(pipes[0]) > self.max_tables:
            return ()
        missing = [
            conversion for of in pipes for conversion in of if conversion.key not in sample.conversions
        ]
        if missing or not self._has_tables(sample):
            return _distinct(missing)
        tables = [self._segments(text, sample).tables for text in texts]
        if len(tables[0]) > self.max_tables:
            return ()
        wanted = [_latex(table) for of in tables for table in of]
        return _distinct([conversion for conversion in wanted if conversion.key not in sample.conversions])

    def score(self, sample: Scorable) -> MetricValues | NotUsable:
        """Return the values of a prediction; one that is None counts as an empty one."""
        predicted_text, gold_text = (
            self._before_tables(text) for text in (sample.structure or "", sample.target)
        )
        if len(table_conversions(predicted_text)) > self.max_tables:
            return self._too_many()
        predicted, gold = self._segments(predicted_text, sample), self._segments(gold_text, sample)
        if len(predicted.tables) > self.max_tables:
            return self._too_many()
        return self._values(predicted, gold, sample)

    def unusable(self, sample: Scorable) -> MetricValues:
        """Return 0 in the columns that the gold document has."""
        values = self.score(replace(sample, structure=None))
        assert isinstance(values, MetricValues)
        return values

    def _too_many(self) -> NotUsable:
        return NotUsable(f"the document has more than {self.max_tables} tables")

    def _before_tables(self, text: str) -> str:
        standard = before_tables(text, self.profile)
        return with_latex_for_html(standard) if self.profile is Profile.PAPER else standard

    def _segments(self, text: str, sample: Scorable) -> DocumentSegments:
        return segments(after_tables(with_latex_tables(text, sample.conversions, self.profile)), self.profile)

    def _has_tables(self, sample: Scorable) -> bool:
        return "table_tree" in COLUMNS_OF_SUBSET.get(sample.subset, COLUMNS)

    def _values(self, predicted: DocumentSegments, gold: DocumentSegments, sample: Scorable) -> MetricValues:
        matches = match_blocks(predicted.blocks, gold.blocks)
        tables: list[TableScore] = []
        compute: dict[str, Callable[[], float | None]] = {
            "text_concat": lambda: _similarity(predicted.plain, gold.plain),
            "text_vocab": lambda: vocabulary_score(predicted.plain, gold.plain) if gold.plain else None,
            "heading_concat": lambda: _joined(predicted.headings, gold.headings),
            "heading_tree": lambda: self._heading_tree(predicted.headings, gold.headings),
            "embed_concat": lambda: _joined(predicted.inline, gold.inline),
            "isolate_concat": lambda: _joined(predicted.display, gold.display),
            "table_concat": lambda: _joined(predicted.tables, gold.tables),
            "table_tree": lambda: self._table_tree(predicted.tables, gold.tables, sample, tables),
            "block_order": lambda: _block_order(matches, predicted.blocks, gold.blocks),
            "token_order": lambda: _token_order(predicted.whole, gold.whole),
        }
        columns = COLUMNS_OF_SUBSET.get(sample.subset, COLUMNS)
        metrics = {name: compute[name]() if name in columns else None for name in COLUMNS}
        undefined = {
            name: self._reason(name, sample, gold) for name, value in metrics.items() if value is None
        }
        matched = tables[0].matches if tables else ()
        detail = detail_of(
            predicted, gold, matches, matched, lambda table: sample.conversions.get(_latex(table).key)
        )
        return MetricValues(metrics, undefined, detail=detail)

    def _reason(self, name: str, sample: Scorable, gold: DocumentSegments) -> str:
        if name not in COLUMNS_OF_SUBSET.get(sample.subset, COLUMNS):
            return f"subset {sample.subset} does not have this column"
        return _GOLD_TABLE_FAILS if name == "table_tree" and gold.tables else _ABSENT[name]

    def _heading_tree(self, predicted: Sequence[str], gold: Sequence[str]) -> float | None:
        if not gold:
            return None
        if not predicted:  # in profile paper, where the roots count, half of a single heading would remain
            return 0.0
        trees = heading_tree(predicted), heading_tree(gold)
        value = tree_similarity(self._distance(*trees), trees[0].size, trees[1].size, self._extra)
        return max(0.0, value) if self.profile is Profile.PAPER else value

    def _distance(self, predicted: TextTree, gold: TextTree) -> float:
        smaller, larger = sorted((predicted, gold), key=lambda tree: tree.size)
        if self.profile is Profile.HELM and larger.size < MAX_NODES:
            return apted_distance(predicted, gold)
        (distance,) = tree_distances(smaller, [larger])
        return distance

    def _table_tree(
        self, predicted: Sequence[str], gold: Sequence[str], sample: Scorable, scores: list[TableScore]
    ) -> float | None:
        """Return the value of the tables, and append to ``scores`` how it came about."""
        converted = [sample.conversions.get(_latex(table).key, "") for table in gold]
        if not gold or None in converted:
            return None
        if not predicted:
            return 0.0
        answers = [sample.conversions.get(_latex(table).key) for table in predicted]
        scores.append(score_tables(_trees(answers), _trees(converted), self._extra))
        return scores[0].value

    @property
    def _extra(self) -> int:
        """The number of roots that sizes of trees do not include."""
        return 1 if self.profile is Profile.PAPER else 0


def _latex(table: str) -> Conversion:
    return Conversion("latex", table)


def _distinct(conversions: Sequence[Conversion]) -> tuple[Conversion, ...]:
    return tuple(dict.fromkeys(conversions))


def _trees(fragments: Sequence[str | None]) -> list[Any]:
    known = {fragment: table_tree(fragment) if fragment else None for fragment in set(fragments)}
    return [known[fragment] for fragment in fragments]


def _similarity(predicted: str, gold: str) -> float | None:
    return edit_similarity(predicted, gold) if gold else None


def _joined(predicted: Sequence[str], gold: Sequence[str]) -> float | None:
    return _similarity("\n".join(predicted).strip(), "\n".join(gold).strip())


def _block_order(
    matches: Sequence[BlockMatch], predicted: Sequence[str], gold: Sequence[str]
) -> float | None:
    if not gold:
        return None
    return kendall_distance_score([match.predicted for match in matches], len(predicted), len(gold))


def _token_order(predicted: str, gold: str) -> float | None:
    return token_order_score(predicted, gold) if len(gold.split(maxsplit=2)) > 1 else None
