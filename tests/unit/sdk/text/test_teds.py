"""TEDS and TEDS-S have the values of the released code; hostile tables end in values or named limits."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

from i2s_sdk.text import teds as module
from i2s_sdk.text.teds import TableLimitError, TableRules, html_page, teds

_FOLDER = Path(__file__).with_name("teds")


def _rows(name: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = json.loads((_FOLDER / name).read_text("utf-8"))["rows"]
    return rows


_PAIRS = [row for row in _rows("vectors.json") if isinstance(row["teds"], float)]


@pytest.mark.parametrize("row", _PAIRS, ids=lambda row: row["id"])
def test_values_are_those_of_the_released_code(row: dict[str, Any]) -> None:
    pair = row["pred"], row["gt"]
    assert teds(*pair) == pytest.approx(row["teds"], abs=1e-9)
    assert teds(*pair, structure_only=True) == pytest.approx(row["teds_s"], abs=1e-9)
    assert teds(*pair, ignored_tags=["b"]) == pytest.approx(row["teds_ignore_b"], abs=1e-9)
    assert teds(row["gt"], row["pred"]) == pytest.approx(row["teds_swapped"], abs=1e-9)


@pytest.mark.parametrize("row", _rows("pubtabnet_samples.json"), ids=lambda row: row["id"])
def test_values_of_the_samples_are_those_of_the_notebook(row: dict[str, Any]) -> None:
    assert teds(row["pred"], row["gt"]) == pytest.approx(row["teds"], abs=1e-9)
    assert teds(row["gt"], row["gt"]) == 1.0


def test_the_pair_of_the_notebook_has_its_published_value() -> None:
    (row,) = [row for row in _rows("pubtabnet_samples.json") if row["id"] == "notebook"]
    assert teds(row["pred"], row["gt"]) == pytest.approx(0.9781765018607124, abs=1e-9)


def test_a_span_that_is_no_number_is_one() -> None:
    rows = [row for row in _rows("vectors.json") if not isinstance(row["teds"], float)]
    assert [row["id"] for row in rows] == ["t34", "t35"]
    for row in rows:
        assert teds(row["pred"], row["gt"]) == pytest.approx(0.8)


def test_two_tables_without_elements_are_equal() -> None:
    assert teds(html_page("<table></table>"), html_page("<table>1</table>")) == 1.0


@pytest.mark.parametrize("source", ["", " ", "<!-- -->", "\x00", "\ud800", "<html>", "text"])
def test_text_without_a_table_counts_zero(source: str) -> None:
    truth = html_page("<table><tr><td>a</td></tr></table>")
    for rules in TableRules:
        assert teds(source, truth, rules=rules) == teds(truth, source, rules=rules) == 0.0


def test_th_is_a_cell_only_where_the_rules_say_so() -> None:
    truth = html_page("<table><tr><th colspan=2>cd</th></tr></table>")
    other = html_page("<table><tr><td>ce</td></tr></table>")
    assert teds(other, truth) == pytest.approx(0.5)  # the tag differs
    assert teds(truth.replace("cd", "zz"), truth) == 1.0
    assert teds(truth.replace("cd", "cz"), truth, rules=TableRules.TH_AS_TD) == pytest.approx(1 - 0.5 / 2)
    assert teds(truth.replace("2", "3"), truth, rules=TableRules.TH_AS_TD) == pytest.approx(0.5)


def test_omnidocbench_leaves_out_what_its_normalisation_leaves_out() -> None:
    plain = "<table><tr><td>ab 1</td><td>$x^2$</td></tr><tr><td>2</td><td>H2O</td></tr></table>"
    dressed = (
        '<div><table class="t" style="width:1%"><colgroup><col/></colgroup><thead><tr><th><p>ab \u00a0 １</p>'
        '</th><th><span>$x^2$</span></th></tr></thead><tbody class="b"><tr><td>\n2\n</td>'
        "<td>H<sub>2</sub>O</td></tr></tbody></table></div>"
    )
    formula = plain.replace("$x^2$", "<math alttext='x^2'><mi>x</mi></math>")
    two = plain.replace("</tr><tr>", "</tr></table><p>between</p><table><tr>")
    for variant in (dressed, formula, two, html_page(dressed)):
        assert teds(variant, plain, rules=TableRules.OMNIDOCBENCH) == 1.0
        assert teds(html_page(variant), html_page(plain)) < 1.0
    assert teds(plain.replace("ab 1", "ab 2"), plain, rules=TableRules.OMNIDOCBENCH) == pytest.approx(
        1 - 1 / 24
    )


def test_a_span_of_a_thousand_million_is_compared_as_a_number() -> None:
    wide = html_page(f"<table><tr><td colspan='{10**9}' rowspan='{'9' * 5000}'>a</td></tr></table>")
    assert teds(wide, wide) == 1.0
    assert teds(wide, html_page("<table><tr><td>a</td></tr></table>")) == pytest.approx(0.5)


@pytest.mark.parametrize("tag", ["table><tr><td", "b", "th", "tbody", "tr", "td", "div"])
def test_nesting_of_ten_thousand_ends_in_a_value_or_a_named_limit(tag: str) -> None:
    deep = html_page("<table><tr>" + f"<{tag}>" * 10_000 + "x")
    plain = html_page("<table><tr><td>a</td></tr></table>")
    for rules in TableRules:
        began = time.process_time()
        for pair in ((deep, plain), (deep, deep + " ")):
            try:
                assert 0.0 <= teds(*pair, rules=rules) <= 1.0
            except TableLimitError as error:
                assert "table" in str(error)
        assert time.process_time() - began < 10


def test_ten_megabytes_exceed_a_named_limit() -> None:
    with pytest.raises(TableLimitError, match="more than 4,000,000 characters"):
        teds(html_page("<table><tr><td>" + "x" * 10_000_000), html_page("<table></table>"))


def test_too_many_elements_exceed_a_named_limit() -> None:
    rows = "<tr><td>a</td></tr>" * (module.MAX_ELEMENTS // 2 + 1)
    with pytest.raises(TableLimitError, match="more than 5,000 elements"):
        teds(html_page(f"<table>{rows}</table>"), html_page("<table></table>"))


def test_too_many_tokens_exceed_a_named_limit() -> None:
    text = "x" * (module.MAX_TOKENS + 1)
    long = html_page(f"<table><tr><td>{text}</td></tr></table>")
    with pytest.raises(TableLimitError, match="more than 200,000 characters and tags"):
        teds(long, long)
    assert teds(long, long, structure_only=True) == 1.0


def test_a_comparison_that_takes_too_long_exceeds_a_named_limit() -> None:
    inside = "<table><tr><th>1</th><th>" * 60 + "</th></tr></table>" * 60
    nested = html_page("<table>" + f"<tr><th>{inside}</th></tr>" * 15 + "</table>")
    with pytest.raises(TableLimitError, match="takes too long"):
        teds(nested, nested.replace("1", "<b></b>"))
