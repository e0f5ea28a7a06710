r"""The scorer ``teds``: TEDS of the tables of two LaTeX documents, as pandoc reads them.

Environments of tables (``tabular``, ``tabular*``, ``tabularx``, ``tabulary``, ``longtable``) are converted to
HTML by the documents service. All tables of a document count as one. The normalisation is that of
OmniDocBench, because whether pandoc finds a head depends on the rules that are drawn and not on the
structure.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from i2s_sdk.instances.instance import Instance
from i2s_sdk.scoring.scorer import Conversion, Metric, MetricValues, Scorable, Scorer
from i2s_sdk.tasks.latex.tex_source import without_comments
from i2s_sdk.text.teds import TableLimitError, TableRules, table_similarity, table_tree

TEDS = "teds"

_DELIMITER = re.compile(r"\\(begin|end)\{(?:tabular[xy]?\*?|longtable\*?)\}")
#: Rules within a table, whose arguments pandoc takes for text.
_RULE = re.compile(r"\\cmidrule(?:\s*+\[[^\]]{0,200}+\])?+(?:\s*+\([^)]{0,200}+\))?+\s*+\{[^}]{0,200}+\}")
#: The most tables of a document that are converted.
_MOST = 20


def latex_tables(code: str) -> list[str]:
    """Return the outermost environments of tables, without comments; one that is not closed is none."""
    text = without_comments(code)
    tables: list[str] = []
    depth = start = 0
    for tag in _DELIMITER.finditer(text):
        if tag[1] == "begin":
            start = start if depth else tag.start()
            depth += 1
        elif depth:
            depth -= 1
            if not depth:
                tables.append(_RULE.sub("", text[start : tag.end()]))
    return tables


@dataclass(frozen=True, slots=True)
class TableTedsScorer(Scorer):
    """Compares the tables of a LaTeX answer with those of the ground truth, if there are any.

    There is no value if pandoc finds no table in the ground truth. An answer in which it finds none counts 0.
    """

    #: Name as the manifest calls it.
    name: str = TEDS
    #: Version of the metric.
    version: str = "1"
    #: ``teds`` alone.
    metrics: tuple[Metric, ...] = (
        Metric(TEDS, summary="Similarity of the tables as trees (TEDS), as pandoc reads them."),
    )
    #: True: the time grows with the product of both sizes.
    in_worker: bool = True
    #: True: whether the ground truth has a value is known after its conversion.
    scores_unusable: bool = True
    #: True: runs without the documents service lack this metric alone.
    conversions_optional: bool = True

    def may_convert(self, instance: Instance) -> bool:
        """Return whether the ground truth of an instance may have a table."""
        try:
            code = instance.structure.read_text("utf-8", "replace") if instance.structure else ""
        except OSError:
            return False
        return bool(latex_tables(code))

    def applies(self, sample: Scorable) -> bool:
        """Return whether the ground truth has a table."""
        return sample.truth is not None and bool(latex_tables(sample.truth))

    def conversions(self, sample: Scorable) -> tuple[Conversion, ...]:
        """Return the tables of both sides that are not converted yet."""
        wanted = [*_conversions(sample.truth), *_conversions(sample.structure)]
        return tuple(
            conversion for conversion in dict.fromkeys(wanted) if conversion.key not in sample.conversions
        )

    def score(self, sample: Scorable) -> MetricValues:
        """Return TEDS of the tables, and why it is not defined if it is not."""
        truth = _html(_conversions(sample.truth), sample)
        if truth is None:
            return _undefined("pandoc does not convert the table of the ground truth")
        tables = _conversions(sample.structure)
        if not tables:
            return MetricValues({TEDS: 0.0})
        prediction = _html(tables, sample)
        if prediction is None:
            return MetricValues({TEDS: 0.0})
        rules = TableRules.OMNIDOCBENCH
        try:
            gold = table_tree(truth, rules=rules)
        except TableLimitError as error:
            return _undefined(f"the ground truth: {error}")
        try:
            return MetricValues({TEDS: table_similarity(table_tree(prediction, rules=rules), gold)})
        except TableLimitError as error:
            return MetricValues({TEDS: 0.0}, detail={"limit": str(error)})


def _undefined(why: str) -> MetricValues:
    return MetricValues({TEDS: None}, {TEDS: why})


def _conversions(code: str | None) -> list[Conversion]:
    return [Conversion("latex", table) for table in latex_tables(code or "")[:_MOST]]


def _html(conversions: Sequence[Conversion], sample: Scorable) -> str | None:
    """Return the HTML of some tables; None if pandoc finds none in one of them.

    White space of pandoc's lines is white space of the text.
    """
    pieces = [sample.conversions.get(conversion.key) or "" for conversion in conversions]
    return "".join(pieces).replace("\n", " ") if all("<table" in piece for piece in pieces) else None
