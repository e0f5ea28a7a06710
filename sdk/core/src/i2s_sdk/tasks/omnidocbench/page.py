"""A page with the blocks of its annotation and of its prediction, and which of them belong together."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from html import unescape
from typing import Any

from i2s_sdk.scoring.assignment import best_assignment
from i2s_sdk.tasks.omnidocbench.annotation import BlockKind, TrueBlock, true_blocks
from i2s_sdk.tasks.omnidocbench.blocks import BlockRules, PredictedBlock, PredictedKind, latex_as_text
from i2s_sdk.tasks.omnidocbench.match import BlockMatch, distances, match_blocks

#: The most blocks of a prediction, formulas within texts and cells of unmatched tables among them.
MAX_BLOCKS = 1000


class PageLimitError(ValueError):
    """A prediction exceeds a limit that the message names."""


@dataclass(frozen=True, slots=True)
class BlockPair:
    """True blocks beside the predicted ones that belong to them, in the forms that are compared."""

    #: TEXT or FORMULA.
    kind: BlockKind
    #: The true blocks; not empty.
    gold: tuple[TrueBlock, ...]
    #: The predicted ones; empty if there are none.
    predicted: tuple[PredictedBlock, ...]
    #: The form of the true blocks.
    gold_form: str
    #: The form of the predicted ones.
    predicted_form: str

    @property
    def gold_latex(self) -> str:
        """The LaTeX of the true formula; several are the rows of one."""
        return _rows([true_block.content for true_block in self.gold])

    @property
    def predicted_latex(self) -> str:
        """The same of the predicted one; empty if there is none."""
        if not self.predicted or not self.predicted[0].is_formula:
            return ""
        return _rows([predicted_block.content for predicted_block in self.predicted])


@dataclass(frozen=True, slots=True)
class TablePairing:
    """A true table beside the predicted one."""

    gold: TrueBlock
    #: HTML of the predicted table; empty if there is none, or it cannot be converted.
    html: str
    #: Where the predicted table begins; None if there is none.
    place: int | None


@dataclass(frozen=True, slots=True)
class MatchedPage:
    """A page of which it is known what belongs together."""

    #: Texts and formulas in the order of the annotation.
    pairs: tuple[BlockPair, ...]
    #: Texts beside predicted ones, before formulas that count as texts: the order of reading is theirs.
    ordered: tuple[BlockPair, ...]
    tables: tuple[TablePairing, ...]
    #: Predicted blocks that match nothing.
    extra: tuple[PredictedBlock, ...]
    #: Characters of all predicted blocks that are compared, and of those among them that match nothing.
    characters: tuple[int, int]


def latex_tables(blocks: Sequence[PredictedBlock]) -> list[str]:
    """Return the LaTeX of predicted tables, which becomes HTML elsewhere."""
    return [block.content for block in blocks if block.kind is PredictedKind.LATEX_TABLE]


def matched_page(
    annotation: Mapping[str, Any],
    predicted: Sequence[PredictedBlock],
    rules: BlockRules,
    html_of: Callable[[str], str],
) -> MatchedPage:
    """Return what belongs together on a page.

    Args:
        annotation: The annotation of the page.
        predicted: What ``rules.read`` returned.
        rules: The rules of the profile.
        html_of: Returns the HTML of a table in LaTeX; empty if it cannot be converted.

    Raises:
        PageLimitError: The prediction has more than MAX_BLOCKS blocks.
    """
    _require_few(len(predicted))
    gold = true_blocks(annotation)
    tables = [
        (
            predicted_block,
            predicted_block.content
            if predicted_block.kind is PredictedKind.HTML_TABLE
            else html_of(predicted_block.content),
        )
        for predicted_block in predicted
        if predicted_block.is_table
    ]
    pairings, left = _table_pairs(
        [true_block for true_block in gold if true_block.kind is BlockKind.TABLE], tables
    )
    mixed = [predicted_block for predicted_block in predicted if not predicted_block.is_table]
    if pairings or not rules.released:  # the released code drops tables if the page has none
        mixed += [cell for table, html in left for cell in _cells(table, html)]
    _require_few(len(mixed))
    return _Mixed(gold, mixed, rules).page(tuple(pairings))


def _require_few(blocks: int) -> None:
    if blocks > MAX_BLOCKS:
        raise PageLimitError(f"the page has more than {MAX_BLOCKS} blocks")


_Table = tuple[PredictedBlock, str]
_TAG = re.compile(r"<[^<>]*>")
_CELL = re.compile(r"<t[dh]\b[^<>]*>", re.IGNORECASE)


def _table_pairs(
    gold: Sequence[TrueBlock], predicted: Sequence[_Table]
) -> tuple[list[TablePairing], list[_Table]]:
    """Return each true table with the predicted one, and predicted tables that are left."""
    if not gold or not predicted:
        return [TablePairing(true_block, "", None) for true_block in gold], list(predicted)
    texts = [
        [_TAG.sub("", one) for one in side] for side in ((t.content for t in gold), (h for _, h in predicted))
    ]
    markup = [[true_block.content for true_block in gold], [html for _, html in predicted]]
    # Cells decide; of tables with the same cells, the markup.
    costs = distances(*texts) + 1e-3 * distances(*markup)
    columns = dict(best_assignment(-costs))
    pairings = [
        TablePairing(true_block, predicted[columns[row]][1], predicted[columns[row]][0].place)
        if row in columns
        else TablePairing(true_block, "", None)
        for row, true_block in enumerate(gold)
    ]
    used = set(columns.values())
    return pairings, [one for at, one in enumerate(predicted) if at not in used]


def _cells(table: PredictedBlock, html: str) -> Iterator[PredictedBlock]:
    """Yield the cells of a table that belongs to no true one, as texts."""
    for piece in _CELL.split(html)[1:]:
        text = unescape(_TAG.sub("", piece)).strip()
        if text:
            yield PredictedBlock(PredictedKind.TEXT, text, table.place)


def _rows(formulas: Sequence[str]) -> str:
    if len(formulas) == 1:
        return bare_latex(formulas[0])
    rows = r" \\ ".join(f"{{{bare_latex(formula)}}}" for formula in formulas)
    return rf"\begin{{array}}{{l}} {rows} \end{{array}}"


def bare_latex(latex: str) -> str:
    """Return the LaTeX of a formula without the delimiters around it."""
    text = latex.strip()
    for left, right in (("$$", "$$"), (r"\[", r"\]"), (r"\(", r"\)"), ("$", "$")):
        if len(text) >= len(left) + len(right) and text.startswith(left) and text.endswith(right):
            text = text[len(left) : len(text) - len(right)].strip()
    return text


_ARRAY, _END = r"\begin{array}{", r"\end{array}"
_SPACES = re.compile(r"[\s|]")


def _array_rows(latex: str) -> list[str]:
    """Return the rows of an array of one column; nothing if there is no such array."""
    start = latex.find(_ARRAY)
    columns_end = latex.find("}", start + len(_ARRAY)) if start >= 0 else -1
    end = latex.find(_END, columns_end) if columns_end >= 0 else -1
    if end < 0 or _SPACES.sub("", latex[start + len(_ARRAY) : columns_end]) not in ("l", "c", "r"):
        return []
    return [row.strip() for row in latex[columns_end + 1 : end].split(r"\\") if row.strip()]


class _Mixed:
    """The matching of texts and formulas with each other."""

    def __init__(
        self, gold: Sequence[TrueBlock], predicted: Sequence[PredictedBlock], rules: BlockRules
    ) -> None:
        self.rules = rules
        trues = [
            row
            for true_block in gold
            if true_block.kind is not BlockKind.TABLE
            for row in _true_rows(true_block)
        ]
        ordered = sorted(predicted, key=lambda one: (one.kind is PredictedKind.INLINE, one.place))
        answers = [row for predicted_block in ordered for row in _predicted_rows(predicted_block)]
        forms = [(true, self._form(true.kind is BlockKind.FORMULA, true.content)) for true in trues]
        self.gold = [pair for pair in forms if pair[1]]
        answered = [(answer, self._form(answer.is_formula, answer.content)) for answer in answers]
        self.predicted = [pair for pair in answered if pair[1]]

    def _form(self, formula: bool, content: str) -> str:
        return self.rules.matched_form(content) if formula else self.rules.text_form(content)

    def page(self, tables: tuple[TablePairing, ...]) -> MatchedPage:
        """Return the page."""
        _require_few(len(self.predicted))
        matches = match_blocks(
            [form for _, form in self.gold],
            [form for _, form in self.predicted],
            [true_block.kind is BlockKind.IGNORED for true_block, _ in self.gold],
            forced=self.rules.released,
        )
        pairs = [(match, self._pair(match)) for match in matches if match.gold]
        compared = [pair for _, pair in sorted(pairs, key=lambda pair: pair[0].gold) if pair is not None]
        ordered = tuple(block_pair for block_pair in compared if block_pair.kind is BlockKind.TEXT)
        if self.rules.released:
            compared = [self._as_text(block_pair) for block_pair in compared]
        used = {at for match in matches if match.gold for at in match.predicted}
        counted = [
            (at, len(form))
            for at, (predicted_block, form) in enumerate(self.predicted)
            if predicted_block.kind is not PredictedKind.INLINE
        ]
        extra = [at for at, _ in counted if at not in used]
        characters = sum(size for _, size in counted), sum(size for at, size in counted if at not in used)
        return MatchedPage(
            tuple(compared), ordered, tables, tuple(self.predicted[at][0] for at in extra), characters
        )

    def _pair(self, match: BlockMatch) -> BlockPair | None:
        """Return a pair; None if its true blocks are ignored."""
        gold = [self.gold[at] for at in match.gold]
        predicted = [self.predicted[at] for at in match.predicted]
        counted = [true_block.category for true_block, _ in gold if true_block.kind is not BlockKind.IGNORED]
        if not counted:
            return None
        category = Counter(counted).most_common(1)[0][0]
        kind = next(true_block.kind for true_block, _ in gold if true_block.category == category)
        pair = BlockPair(
            kind,
            tuple(true_block for true_block, _ in gold),
            tuple(predicted_block for predicted_block, _ in predicted),
            self.rules.joint.join(form for _, form in gold),
            self.rules.joint.join(form for _, form in predicted),
        )
        if kind is BlockKind.FORMULA and not self.rules.released:
            forms = [
                self.rules.formula_form(one) if one else "" for one in (pair.gold_latex, pair.predicted_latex)
            ]
            pair = replace(pair, gold_form=forms[0], predicted_form=forms[1])
        return pair

    def _as_text(self, pair: BlockPair) -> BlockPair:
        """Return a formula that is matched with a text as a text, and any other pair as it is."""
        if pair.kind is not BlockKind.FORMULA or not pair.predicted or pair.predicted[0].is_formula:
            return pair
        text = latex_as_text(pair.gold_latex)
        form = self.rules.text_form(pair.gold_latex if text is None else text)
        return replace(pair, kind=BlockKind.TEXT, gold_form=form)


def _true_rows(block: TrueBlock) -> list[TrueBlock]:
    rows = _array_rows(block.content) if block.kind is BlockKind.FORMULA else []
    if not rows:
        return [block]
    order = block.order
    return [
        replace(block, content=row, order=None if order is None else order + at / 1000)
        for at, row in enumerate(rows)
    ]


def _predicted_rows(block: PredictedBlock) -> list[PredictedBlock]:
    rows = _array_rows(block.content) if block.is_formula else []
    return [replace(block, content=row) for row in rows] or [block]


def reading_order(pairs: Sequence[BlockPair]) -> tuple[list[float], list[float]]:
    """Return the orders of the true texts, and those of the matched ones in the order of the prediction."""
    matched = [pair for pair in pairs if pair.predicted]
    matched.sort(key=lambda block_pair: block_pair.predicted[0].place)
    true = sorted(block.order for pair in pairs for block in pair.gold if block.order)
    predicted = [block.order for block_pair in matched for block in block_pair.gold if block.order]
    return true, predicted


def order_similarity(pairs: Sequence[BlockPair]) -> float | None:
    """Return 1 − the edit distance of the two orders / the longer one; None if the page has no texts."""
    from rapidfuzz.distance import Levenshtein

    true, predicted = reading_order(pairs)
    if not true and not predicted:
        return None
    return 1.0 - float(Levenshtein.normalized_distance(true, predicted))
