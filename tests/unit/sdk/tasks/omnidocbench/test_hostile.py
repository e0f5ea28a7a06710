"""Hostile predictions, in the worker process that scores them: values or a reason, and the next is scored."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from dataclasses import replace

import pytest
import pytest_asyncio

from i2s_sdk.scoring.scorer import DETAIL_BYTES, MetricValues, NotUsable, Scorable
from i2s_sdk.scoring.workers import ScorerWorkers
from i2s_sdk.tasks.omnidocbench.reading import text_form
from i2s_sdk.tasks.omnidocbench.scorer import MAX_CHARACTERS, OmniDocBenchScorer, _table_form
from i2s_wire.metrics.profile import Profile
from linear_time import assert_linear
from omnidocbench_page import annotation

pytestmark = pytest.mark.slow

_PIECES = (
    "$", "$$", "$ ", "\\[", "\\(", "[", "](", "![", "<table", "<table>", "</table>",
    "<td colspan=1000000000>",
    "\\begin{tabular}", "\\begin{table}", "\\begin{align}", "\\begin{", "\\text{", "|", "|a", "|-", "```\n",
    "~~~\n", "#", "# ", "*", "_", "_a", "\n", "\n\n", " ", "a\n", "\x00", "\ud800", "<a ", "&amp", "{",
    "\\frac{", "\\", "$\\frac{", "中", "a ",
)  # fmt: skip


#: What stands before and after many of one piece.
_AROUND = (("", ""), ("a", "a"), ("<table><tr><td>", ""), ("<", ""), ("<a", ""), ("a<b", "c"))


@pytest.mark.parametrize("form", [text_form, _table_form], ids=["text", "table"])
def test_forms_take_a_short_time_with_pieces_between_words_and_in_tags_without_end(
    form: Callable[[str], str],
) -> None:
    def read(length: int) -> None:
        for before, after in _AROUND:
            for piece in ("_", "a", "\\_", " ", "#", "*", "<a", "<td ", "=0", "&", " colspan=1"):
                form(f"{before}{piece * (length // len(piece))}{after}")

    assert_linear(read, 20_000, 4.0)  # 3 s for one piece if the time is quadratic


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def workers() -> AsyncIterator[ScorerWorkers]:
    made = ScorerWorkers(processes=1)
    yield made
    await made.close()


async def _score(workers: ScorerWorkers, structure: str, profile: Profile) -> MetricValues | NotUsable:
    """Score a prediction of which nothing can be converted."""
    scorer = OmniDocBenchScorer(profile)
    sample = Scorable("a", structure, target=annotation())
    while True:
        wanted = await workers.conversions(scorer, sample)
        if isinstance(wanted, NotUsable):
            return wanted
        if not wanted:
            return await workers.score(scorer, sample)
        sample = replace(sample, conversions={**sample.conversions, **{one.key: None for one in wanted}})


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize("profile", Profile)
@pytest.mark.parametrize("piece", _PIECES)
async def test_a_page_full_of_one_thing_has_values_or_a_named_limit(
    workers: ScorerWorkers, piece: str, profile: Profile
) -> None:
    found = await _score(workers, piece * (MAX_CHARACTERS // len(piece)), profile)
    if isinstance(found, NotUsable):
        assert found.reason.startswith("the page has more than 1000 blocks")
    else:
        assert len(json.dumps(found.detail)) <= DETAIL_BYTES


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize("profile", Profile)
@pytest.mark.parametrize(
    "structure",
    [
        "x" * 10_000_000,
        "<table>" * 400 + "<tr><td>x</td></tr>" + "</table>" * 400,
        "<table><tr>" + "<td>x</td>" * 6000 + "</tr></table>",
        "<table><tr><td colspan=1000000000 rowspan='-1'>x</td></tr></table>",
        "<table>" + "<div>" * 5000 + "</table>",
        "$$" + "{" * 900 + "$$ and $" + "\\sqrt{" * 150 + "$",
        "> " * 5000 + "text",
        "- " * 5000 + "text",
        "text\n\n$$ unclosed\n\nOn the tides",
    ],
    ids=["ten megabytes", "nested", "wide", "spans", "deep", "braces", "quotes", "lists", "unclosed"],
)
async def test_hostile_markdown_has_values_or_a_named_limit(
    workers: ScorerWorkers, structure: str, profile: Profile
) -> None:
    found = await _score(workers, structure, profile)
    if isinstance(found, NotUsable):
        assert found.reason == "the page has more than 200,000 characters"
    else:
        assert found.metrics["text_edit"] is not None
