"""The scorer of OmniDocBench: texts, formulas, tables and the order of reading of a page."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from rapidfuzz.distance import Levenshtein

from i2s_sdk.instances.instance import Instance
from i2s_sdk.json_text import read_json
from i2s_sdk.scoring.cdm import MOST_BOXES, cdm, detection
from i2s_sdk.scoring.glyph_f1 import MOST_TOKENS, glyph_f1
from i2s_sdk.scoring.page_tokens import Token, read_drawn
from i2s_sdk.scoring.scorer import (
    FORMULA,
    FORMULAS_NOT_DRAWN,
    Conversion,
    Metric,
    MetricValues,
    NotUsable,
    Scorable,
)
from i2s_sdk.tasks.omnidocbench.annotation import BlockKind, kind_of
from i2s_sdk.tasks.omnidocbench.blocks import BlockRules
from i2s_sdk.tasks.omnidocbench.detail import PairValues, detail_of
from i2s_sdk.tasks.omnidocbench.page import (
    BlockPair,
    MatchedPage,
    PageLimitError,
    TablePairing,
    latex_tables,
    matched_page,
    order_similarity,
)
from i2s_sdk.tasks.omnidocbench.reading import OWN
from i2s_sdk.tasks.omnidocbench.released import RELEASED
from i2s_sdk.text.teds import TableLimitError, TableRules, table_similarity, table_tree
from i2s_wire.metrics.profile import Profile

#: Name of the scorer, and of its detail in records.
NAME = "omnidocbench"
#: The longest prediction of a page, in characters.
MAX_CHARACTERS = 200_000
#: Columns of which ``overall`` is the mean.
PARTS = ("text_edit", "formula_cdm", "table_teds")

_SUMMARIES = {
    "text_edit": "Similarity of the matched texts: 1 − edits / characters of the page.",
    "formula_cdm": "Mean CDM of the displayed formulas of the page.",
    "formula_glyph_f1": "Mean glyph F1 of the displayed formulas of the page.",
    "formula_edit": "Similarity of the matched formulas as LaTeX.",
    "table_teds": "Mean TEDS of the tables of the page.",
    "table_teds_s": "Mean TEDS of the tables without their contents.",
    "table_edit": "Similarity of the matched tables as HTML.",
    "reading_order": "Similarity of the order of the matched texts.",
    "precision": "Share of the characters of the prediction that belong to a block of the annotation.",
}
_DRAWN = ("formula_cdm", "formula_glyph_f1")
_ONLY_OWN = ("formula_glyph_f1", "precision")
_ABSENT = {
    "text": "the page has no text that counts",
    "formula": "the page has no displayed formula",
    "table": "the page has no table",
    "reading_order": "the page has no text with a place in the order of reading",
    "precision": "the prediction has no text, formula or table",
}
_NOT_DRAWN = "no formula of the annotation can be drawn"


@dataclass(frozen=True, slots=True)
class OmniDocBenchScorer:
    """Compares the Markdown of a page with its annotation.

    A column has no value if the page has none of its kind; a prediction without it counts 0 there. Profile
    ``reference`` reads and compares as the released code of v1.5 does; ``paper`` as ``reading`` says.
    LaTeX tables become HTML by pandoc, and formulas are drawn by render-latex.
    """

    #: Profile whose rules are followed.
    profile: Profile
    #: Name as the manifest calls it.
    name: str = NAME
    #: Grows whenever a value can change.
    version: str = "2"
    #: True: pages can take any time.
    in_worker: bool = True
    #: True: the annotation decides which columns are 0 and which have no value.
    scores_unusable: bool = True
    #: Tables in LaTeX become HTML, and formulas are drawn.
    conversion_formats: frozenset[str] = frozenset({"latex", FORMULA})
    #: Whether formulas are drawn; without it their columns ``formula_metrics`` have no value.
    formulas: bool = True

    @property
    def metrics(self) -> tuple[Metric, ...]:
        """The columns."""
        return tuple(
            Metric(name, low=self._low(name), summary=summary)
            for name, summary in _SUMMARIES.items()
            if self._has(name)
        )

    def _low(self, column: str) -> float:
        """Return the least value: a tree can be farther from another one than it is large."""
        return -1.0 if self.profile is Profile.HELM and column in ("table_teds", "table_teds_s") else 0.0

    def _has(self, column: str) -> bool:
        return self.profile is not Profile.HELM or column not in _ONLY_OWN

    @property
    def _rules(self) -> BlockRules:
        return RELEASED if self.profile is Profile.HELM else OWN

    @property
    def formula_metrics(self) -> tuple[str, ...]:
        """The columns for which formulas are drawn."""
        return tuple(name for name in _DRAWN if self._has(name))

    def may_draw(self, instance: Instance) -> bool:
        """Return whether the page has a displayed formula."""
        blocks = instance.target.get("layout_dets") if isinstance(instance.target, Mapping) else ()
        return any(kind_of(str(block.get("category_type"))) is BlockKind.FORMULA for block in blocks or ())

    def without_formulas(self) -> OmniDocBenchScorer:
        """Return the scorer that has no formula drawn."""
        return replace(self, formulas=False)

    def applies(self, sample: Scorable) -> bool:
        """Return whether there is an annotation."""
        return isinstance(sample.target, Mapping)

    def conversions(self, sample: Scorable) -> tuple[Conversion, ...]:
        """Return the LaTeX tables, then the formulas of the annotation, then those of the prediction.

        So nothing that a prediction has decides which formulas of the annotation can be drawn.
        """
        try:
            tables = [Conversion("latex", latex_table) for latex_table in _latex_tables(self._rules, sample)]
            wanted = [table for table in tables if table.key not in sample.conversions]
            if not wanted and self.formulas:
                pairs = [pair for pair in self._page(sample).pairs if pair.kind is BlockKind.FORMULA]
                wanted = _not_drawn([pair.gold_latex for pair in pairs], sample) or _not_drawn(
                    [pair.predicted_latex for pair in pairs], sample
                )
        except PageLimitError:  # ``score`` says so
            return ()
        return tuple(dict.fromkeys(wanted))

    def score(self, sample: Scorable) -> MetricValues | NotUsable:
        """Return the values of a page; a prediction that is None counts as an empty one."""
        try:
            page = self._page(sample)
        except PageLimitError as error:
            return NotUsable(str(error))
        tables = [_TableValues.of(table, self._low("table_teds")) for table in page.tables]
        pairs = [pair for pair in page.pairs if pair.kind is BlockKind.FORMULA]
        fault = "" if self.formulas else FORMULAS_NOT_DRAWN
        formulas = [
            _FormulaValues(pair, fault=fault) if fault else _FormulaValues.of(pair, sample) for pair in pairs
        ]
        texts = [pair for pair in page.pairs if pair.kind is BlockKind.TEXT]
        drawn = [formula for formula in formulas if not formula.fault]
        whole, extra = page.characters
        values: dict[str, float | None] = {
            "text_edit": _edit([(text.gold_form, text.predicted_form) for text in texts]),
            "formula_cdm": _mean([formula_values.cdm for formula_values in drawn]),
            "formula_glyph_f1": _mean([formula_values.glyph_f1 for formula_values in drawn]),
            "formula_edit": _edit(
                [(formula.pair.gold_form, formula.pair.predicted_form) for formula in formulas]
            ),
            "table_teds": _mean([table.teds for table in tables if table.teds is not None]),
            "table_teds_s": _mean([table.structure for table in tables if table.structure is not None]),
            "table_edit": _edit([table.forms for table in tables]),
            "reading_order": order_similarity(page.ordered),
            "precision": 1.0 - extra / whole if whole else None,
        }
        if not formulas and _has_formulas(texts):
            values["formula_cdm"] = 0.0  # as the released table has it if all formulas became texts
        metrics = {name: value for name, value in values.items() if self._has(name)}
        undefined = {name: _reason(name, formulas, fault) for name, value in metrics.items() if value is None}
        detail = detail_of(sample.target, page, self._pair_values(page, formulas), _table_values(tables))
        return MetricValues(metrics, undefined, detail=detail)

    def _pair_values(self, page: MatchedPage, formulas: Sequence[_FormulaValues]) -> PairValues:
        """Return what the report says of each pair."""
        of_formulas = {id(formula.pair): formula for formula in formulas}
        values: dict[int, Sequence[tuple[str, float]]] = {}
        for at, pair in enumerate(page.pairs):
            edit = ("edit", _edit([(pair.gold_form, pair.predicted_form)]) or 0.0)
            drawn = of_formulas.get(id(pair))
            if drawn is None or drawn.fault:
                values[at] = (edit,)
            elif self._has("formula_glyph_f1"):
                values[at] = (("cdm", drawn.cdm), ("glyph F1", drawn.glyph_f1), edit)
            else:
                values[at] = (("cdm", drawn.cdm), edit)
        return values

    def unusable(self, sample: Scorable) -> MetricValues:
        """Return 0 in the columns that the annotation has."""
        values = self.score(replace(sample, structure=None))
        assert isinstance(values, MetricValues), "an empty prediction exceeds no limit"
        return values

    def _page(self, sample: Scorable) -> MatchedPage:
        """Return the page with what belongs together.

        Raises:
            PageLimitError: The prediction exceeds a limit.
        """
        html = [
            (table, sample.conversions.get(Conversion("latex", table).key) or "")
            for table in _latex_tables(self._rules, sample)
        ]
        return _matched(self.profile, sample.structure or "", json.dumps(sample.target), tuple(html))


@lru_cache(maxsize=2)
def _matched(
    profile: Profile, prediction: str, annotation: str, html: tuple[tuple[str, str], ...]
) -> MatchedPage:
    """Return a page; that of the last sample is kept, since a scorer is asked for it several times."""
    rules = RELEASED if profile is Profile.HELM else OWN
    converted = dict(html)
    return matched_page(
        read_json(annotation), rules.read(prediction), rules, lambda one: converted.get(one, "")
    )


def _latex_tables(rules: BlockRules, sample: Scorable) -> Sequence[str]:
    prediction = sample.structure or ""
    if len(prediction) > MAX_CHARACTERS:
        raise PageLimitError(f"the page has more than {MAX_CHARACTERS:,} characters")
    return latex_tables(rules.read(prediction)) if r"\begin{tab" in prediction else ()


def _table_values(tables: Sequence[_TableValues]) -> PairValues:
    return {
        at: (("TEDS", table.teds or 0.0), ("TEDS-S", table.structure or 0.0))
        for at, table in enumerate(tables)
    }


def _not_drawn(formulas: Sequence[str], sample: Scorable) -> list[Conversion]:
    conversions = [Conversion(FORMULA, formula) for formula in formulas if formula]
    return [conversion for conversion in conversions if conversion.key not in sample.conversions]


def _edit(pairs: Sequence[tuple[str, str]]) -> float | None:
    """Return 1 − the sum of the edit distances / the sum of the longer lengths."""
    if not pairs:
        return None
    longer = sum(max(len(one), len(other)) for one, other in pairs)
    return 1.0 - sum(Levenshtein.distance(one, other) for one, other in pairs) / longer if longer else 1.0


def _has_formulas(texts: Sequence[BlockPair]) -> bool:
    """Return whether formulas of the annotation count as texts."""
    return any(all(block.kind is BlockKind.FORMULA for block in pair.gold) for pair in texts)


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None


def _reason(name: str, formulas: Sequence[_FormulaValues], fault: str) -> str:
    if formulas and name in _DRAWN:
        return fault or _NOT_DRAWN
    return _ABSENT.get(name) or _ABSENT[name.partition("_")[0]]


@dataclass(frozen=True, slots=True)
class _FormulaValues:
    """The values of a formula."""

    pair: BlockPair
    cdm: float = 0.0
    glyph_f1: float = 0.0
    #: Why the formula of the annotation cannot be compared; empty if it can.
    fault: str = ""

    @classmethod
    def of(cls, pair: BlockPair, sample: Scorable) -> _FormulaValues:
        """Return the values of a pair. A prediction that is missing, or draws nothing, has 0."""
        key = Conversion(FORMULA, pair.gold_latex).key
        if key not in sample.conversions:  # of a sample that is not usable
            return cls(pair)
        truth, prediction = _drawn(pair.gold_latex, sample), _drawn(pair.predicted_latex, sample)
        if not truth or len(truth) > MOST_TOKENS:
            return cls(pair, fault="it cannot be drawn" if not truth else "it has too many characters")
        if not prediction or len(prediction) > MOST_TOKENS:
            return cls(pair)
        boxes = [detection(one) for one in (truth, prediction)]
        value = round(cdm(*boxes).f1, 3) if len(boxes[1].boxes) <= MOST_BOXES else 0.0
        return cls(pair, value, glyph_f1(truth, prediction))


def _drawn(latex: str, sample: Scorable) -> list[Token]:
    return read_drawn(sample.conversions.get(Conversion(FORMULA, latex).key) or "")[0]


_TAG = re.compile(r"<(/?)([A-Za-z][A-Za-z0-9]*+)([^<>]*+)>")
_SPAN = re.compile(r"(?:col|row)span\s*=\s*[\"']?\d+", re.IGNORECASE)
_LEFT_OUT = frozenset(
    ["html", "body", "thead", "tbody", "tfoot", "span", "div", "p", "sup", "sub", "colgroup", "col"]
)


def _table_form(html: str) -> str:
    """Return a table as HTML without attributes but spans, heads as cells, in NFKC with single blanks."""

    def tag(match: re.Match[str]) -> str:
        slash, name, attributes = match.groups()
        name = name.lower()
        if name in _LEFT_OUT:
            return ""
        spans = "" if slash else "".join(f" {one.lower()}" for one in _SPAN.findall(attributes))
        return f"<{slash}{'td' if name == 'th' else name}{spans}>"

    return " ".join(unicodedata.normalize("NFKC", _TAG.sub(tag, html)).split())


@dataclass(frozen=True, slots=True)
class _TableValues:
    """The values of a table."""

    pairing: TablePairing
    #: TEDS, and TEDS without contents; None if the table of the annotation cannot be compared.
    teds: float | None
    structure: float | None
    #: The forms of both sides.
    forms: tuple[str, str]

    @classmethod
    def of(cls, pairing: TablePairing, low: float) -> _TableValues:
        """Return the values of a pair, at least ``low``; a missing or too large prediction has 0."""
        values = [_teds(pairing, low, structure_only=only) for only in (False, True)]
        forms = _table_form(pairing.gold.content), _table_form(pairing.html)
        return cls(pairing, values[0], values[1], forms)


def _teds(pairing: TablePairing, low: float, *, structure_only: bool) -> float | None:
    rules = TableRules.OMNIDOCBENCH
    try:
        truth = table_tree(pairing.gold.content, structure_only=structure_only, rules=rules)
    except TableLimitError:
        return None
    if truth is None:
        return None
    if not pairing.html:
        return 0.0
    try:
        prediction = table_tree(pairing.html, structure_only=structure_only, rules=rules)
        return max(low, table_similarity(prediction, truth))
    except TableLimitError:
        return 0.0
