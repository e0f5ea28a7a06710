"""Formulas drawn for scorers, and tables that pandoc reads, by the real services."""

from __future__ import annotations

from pathlib import Path

import pytest

from i2s_sdk import evaluate
from i2s_sdk.run.conversions import FormulaDrawer
from i2s_sdk.run.storage.folder import read_records
from i2s_sdk.scoring.page_tokens import read_drawn
from i2s_sdk.scoring.scorer import FORMULA, Conversion
from i2s_sdk.settings import Settings
from i2s_sdk.stack.services import open_services

pytestmark = pytest.mark.integration

_FORMULAS = (
    r"x^2",
    r"\frac{a}{b}+\sum_{i=1}^n i",
    r"\begin{align} a &= b \\ c &= d \end{align}",
    r"\commandofnobody{x}",
    r"\gdef\frac#1#2{x} y",
    r"\text{if } x > 0",
    "a_1" * 200,
)


def test_the_markdown_of_the_example_pages_passes_every_test(running: Settings, tmp_path: Path) -> None:
    assert running.examples is not None
    result = evaluate(running.examples / "olmocrbench", out=tmp_path / "run", settings=running)
    assert result.summary.scored == 5
    records = read_records(tmp_path / "run").values()
    assert sum(one.score.parts.get("math", (0.0, 0.0))[0] for one in records) == 5.0
    for record in records:
        assert all(passed == number for passed, number in record.score.parts.values()), record.score.detail


async def test_formulas_that_are_drawn_together_are_as_each_is_alone(
    running: Settings, tmp_path: Path
) -> None:
    async with open_services(running, tmp_path, ["render-latex"]) as services:
        drawer = FormulaDrawer(services.renderers["render-latex"])
        conversions = [Conversion(FORMULA, formula) for formula in _FORMULAS]
        together = await drawer(conversions)
        alone = {
            key: text for conversion in conversions for key, text in (await drawer([conversion])).items()
        }
    for conversion in conversions:
        assert read_drawn(together[conversion.key] or "") == read_drawn(alone[conversion.key] or ""), (
            conversion.text
        )
    assert [conversion.text for conversion in conversions if together[conversion.key] is None] == [
        _FORMULAS[3]
    ]


def test_tables_of_the_examples_are_like_themselves(running: Settings, tmp_path: Path) -> None:
    evaluate(out=tmp_path / "run", tasks=["latex"], subsets=["table"], settings=running)
    values = {
        record.instance.id: record.score.metrics["teds"] for record in read_records(tmp_path / "run").values()
    }
    assert values == dict.fromkeys(values, 1.0)
    assert len(values) == 4
