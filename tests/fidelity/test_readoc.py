"""What the released code of READOC computes, recorded: single functions, and columns of whole documents."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest

from i2s_sdk.scoring.scorer import MetricValues, Scorable
from i2s_sdk.tasks.readoc.markdown import after_tables, before_tables, segments, table_spans
from i2s_sdk.tasks.readoc.order import kendall_distance_score, match_blocks, token_order_score
from i2s_sdk.tasks.readoc.scorer import (
    COLUMNS,
    COLUMNS_OF_SUBSET,
    ReadocScorer,
    edit_similarity,
    score_tables,
    tree_similarity,
    vocabulary_score,
)
from i2s_sdk.tasks.readoc.tables import table_conversions, table_tree, with_latex_tables
from i2s_sdk.tasks.readoc.trees import apted_distance, heading_tree
from i2s_wire.metrics.profile import Profile
from pandoc_conversions import as_html, completed

pytestmark = pytest.mark.fidelity

COMPANIONS = Path(__file__).parents[2].parent / "shared/companions"
VECTORS = COMPANIONS / "vectors/readoc_unit_vectors.json"
DOCUMENTS = COMPANIONS / "readoc"
#: A folder with what pymupdf4llm 2.0 makes of the documents, as SUBSET/ID.md.
PREDICTIONS = os.environ.get("I2S_READOC_PYMUPDF4LLM", "")

_NOT_HERE = "the folder of recorded vectors is not here"


def _vectors(op: str) -> list[dict[str, Any]]:
    if not VECTORS.is_file():
        pytest.skip(_NOT_HERE)
    found: list[dict[str, Any]] = json.loads(VECTORS.read_text(encoding="utf-8"))
    chosen = [one for one in found if one["op"] == op]
    assert chosen
    return chosen


def test_standardised_texts_are_those_of_the_released_code() -> None:
    for vector in _vectors("clean_md"):
        text = before_tables(vector["inp"], Profile.HELM)
        converted = {table.key: as_html(table) for table in table_conversions(text)}
        assert after_tables(with_latex_tables(text, converted, Profile.HELM)) == vector["out"], vector


def test_segments_are_those_of_the_released_code() -> None:
    for vector in _vectors("extract"):
        cut, parts = segments(vector["inp"], Profile.HELM), vector["out"]["subtask"]
        assert (cut.whole, list(cut.blocks)) == (vector["out"]["overall"], vector["out"]["segments"])
        assert (cut.plain, list(cut.tables), list(cut.headings)) == (
            parts["plain"], parts["table"], parts["heads"],
        )  # fmt: skip
        assert (list(cut.inline), list(cut.display)) == (parts["math"]["inline"], parts["math"]["outline"])


def test_heading_trees_have_the_score_of_the_released_code() -> None:
    for vector in _vectors("head_teds"):
        tree, other = heading_tree(vector["pred"]), heading_tree(vector["gold"])
        assert tree_similarity(apted_distance(tree, other), tree.size, other.size) == vector["out"], vector


def test_orders_have_the_score_of_the_released_code() -> None:
    for vector in _vectors("seg_order"):
        found = [match.predicted for match in match_blocks(vector["pred"], vector["gold"])]
        score = kendall_distance_score(found, len(vector["pred"]), len(vector["gold"]))
        assert score == pytest.approx(vector["out"]["kendall_tau"]), vector
    for vector in _vectors("word_order"):
        assert token_order_score(vector["pred"], vector["gold"]) == pytest.approx(
            vector["out"]["kendall_tau"]
        ), vector


def test_texts_have_the_scores_of_the_released_code() -> None:
    for vector in _vectors("concat"):
        assert edit_similarity(vector["pred"], vector["gold"]) == pytest.approx(
            vector["out"]["edit_dist_sim"]
        )
        assert vocabulary_score(vector["pred"], vector["gold"]) == pytest.approx(vector["out"]["f_measure"])


def test_tables_have_the_scores_of_the_released_code() -> None:
    for vector in _vectors("table"):
        predicted, gold = (
            [table_tree(html[len("<html><body>") : -len("</body></html>")]) for html in vector[side]]
            for side in ("pred_html", "gold_html")
        )
        value = score_tables(predicted, gold, 0).value if predicted else 0.0
        assert value == pytest.approx(vector["out"]["teds_min"]), vector
        texts = ["\n".join(vector[side]).strip() for side in ("pred", "gold")]
        assert edit_similarity(*texts) == pytest.approx(vector["concat"]["edit_dist_sim"]), vector
        assert vocabulary_score(*texts) == pytest.approx(vector["concat"]["f_measure"]), vector


def _flat(text: str) -> str:
    return re.sub(r"^#{1,6}\s+", "# ", text, flags=re.MULTILINE)


def _without_tables(text: str) -> str:
    for start, stop in reversed(list(table_spans(text))):
        text = text[:start] + text[stop:]
    return text


def _with_dollars(text: str) -> str:
    for before, after in (("\\(", "$"), ("\\)", "$"), ("\\[", "$$"), ("\\]", "$$")):
        text = text.replace(before, after)
    return text


#: Recorded columns of corrupted gold documents; those of subset github are the six that it has.
RUNS: dict[str, tuple[str, Callable[[str], str], str]] = {
    "gold": ("arxiv", str, "100 100 100 100 100 100 100 100 100 100"),
    "headings flat": ("arxiv", _flat, "100 100 95.1267 59.6691 100 100 100 100 100 100"),
    "lower-cased": (
        "arxiv",
        str.lower,
        "96.1628 75.6913 92.0517 90.0657 96.8594 93.8782 95.6527 94.9967 100 99.1664",
    ),
    "tables dropped": ("arxiv", _without_tables, "100 100 100 100 77.6585 100 0 0 100 99.9236"),
    "formulas with dollars": (
        "arxiv",
        _with_dollars,
        "99.9951 99.9868 100 100 99.6051 100 100 100 100 100",
    ),
    "gold of github": ("github", str, "100 100 100 100 100 100"),
    "headings flat in github": ("github", _flat, "100 100 94.3542 45.9223 100 100"),
}
#: The same of pymupdf4llm 2.0.
PYMUPDF4LLM = {
    "github": "84.7226 82.3246 65.5305 58.0195 99.5919 99.1495",
    "arxiv": "79.8588 87.7619 62.3118 54.2095 0 0 74.6282 44.9294 98.0751 98.0194",
}


def _columns(
    subset: str, predicted: Callable[[str, str], str], profile: Profile = Profile.HELM
) -> dict[str, float]:
    """Return the means of the columns, times 100."""
    paths = sorted((DOCUMENTS / subset / "markdown").glob("*.md"))
    if not paths:
        pytest.skip(_NOT_HERE)
    scorer = ReadocScorer(profile)
    found: list[MetricValues] = []
    for path in paths:
        gold = path.read_text(encoding="utf-8")
        sample = Scorable(path.stem, predicted(path.stem, gold), target=gold, subset=subset)
        values = scorer.score(completed(scorer, sample))
        assert isinstance(values, MetricValues)
        found.append(values)
    columns = {name: [one.metrics[name] for one in found] for name in COLUMNS}
    present = {name: [value for value in values if value is not None] for name, values in columns.items()}
    return {name: 100 * fmean(values) for name, values in present.items() if values}


#: The recorded values have four decimals; tables depend on the version of pandoc.
_TOLERANCES = {"heading_tree": 0.0001, "table_tree": 0.02}


def _assert_recorded(found: dict[str, float], subset: str, recorded: str) -> None:
    names = COLUMNS_OF_SUBSET.get(subset, COLUMNS)
    assert list(found) == list(names)
    for name, value in zip(names, map(float, recorded.split()), strict=True):
        assert found[name] == pytest.approx(value, abs=_TOLERANCES.get(name, 0.01)), name


@pytest.mark.parametrize("name", RUNS)
def test_columns_are_those_of_the_released_code(name: str) -> None:
    subset, corrupted, recorded = RUNS[name]
    _assert_recorded(_columns(subset, lambda _, gold: corrupted(gold)), subset, recorded)


@pytest.mark.parametrize("subset", PYMUPDF4LLM)
def test_columns_of_a_tool_are_those_of_the_released_code(subset: str) -> None:
    folder = Path(PREDICTIONS, subset)
    if not PREDICTIONS:
        pytest.skip("I2S_READOC_PYMUPDF4LLM names no folder of predictions")
    found = _columns(subset, lambda name, _: (folder / f"{name}.md").read_text(encoding="utf-8"))
    _assert_recorded(found, subset, PYMUPDF4LLM[subset])


@pytest.mark.parametrize("subset", ["arxiv", "github"])
def test_gold_documents_are_perfect_in_profile_paper(subset: str) -> None:
    assert set(_columns(subset, lambda _, gold: gold, Profile.PAPER).values()) == {100.0}
