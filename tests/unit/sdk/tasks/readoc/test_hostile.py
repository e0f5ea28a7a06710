"""Hostile predictions, in the worker process that scores them: values or a reason, and the next is scored."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from dataclasses import replace

import pytest
import pytest_asyncio

from i2s_sdk.scoring.scorer import DETAIL_BYTES, MetricValues, NotUsable, Scorable
from i2s_sdk.scoring.workers import ScorerWorkers
from i2s_sdk.tasks.readoc.scorer import COLUMNS, MAX_TABLES, ReadocScorer
from i2s_wire.metrics.profile import Profile

pytestmark = pytest.mark.slow

GOLD = "# One\n\nSome text with \\(a\\) in it.\n\n\\[b\\]\n\n## Two\n\nMore of the text, and an end.\n"
_MEGABYTE = 1_000_000
_PIECES = (
    "$", "[", "](", "![", "\\begin{figure}\n", "|\n", "=\n", "a\n-\n", "```\n", "\\(", "\\[", "$$ ", "$ ",
    "\n\\begin{table}", "#", "# ", "\n ", "<table>", "<table", "</table>", "\\begin{align}",
)  # fmt: skip


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def workers() -> AsyncIterator[ScorerWorkers]:
    made = ScorerWorkers(processes=1)
    yield made
    await made.close()


async def _score(
    workers: ScorerWorkers, structure: str, profile: Profile, html: str | None = None
) -> MetricValues | NotUsable:
    """Score a prediction of which pandoc makes the same of everything."""
    scorer = ReadocScorer(profile)
    sample = Scorable("a", structure, target=GOLD)
    while True:
        wanted = await workers.conversions(scorer, sample)
        assert not isinstance(wanted, NotUsable)
        if not wanted:
            return await workers.score(scorer, sample)
        sample = replace(sample, conversions={**sample.conversions, **{one.key: html for one in wanted}})


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize("profile", Profile)
@pytest.mark.parametrize("piece", _PIECES)
async def test_a_megabyte_of_one_thing_is_scored(
    workers: ScorerWorkers, piece: str, profile: Profile
) -> None:
    found = await _score(workers, piece * (_MEGABYTE // len(piece)), profile)
    assert isinstance(found, MetricValues)
    assert set(found.metrics) == set(COLUMNS)
    assert len(json.dumps(found.detail)) <= DETAIL_BYTES


@pytest.mark.asyncio(loop_scope="module")
async def test_many_headings_and_blocks_are_scored(workers: ScorerWorkers) -> None:
    headings = "\n\n".join(f"{'#' * (i % 6 + 1)} title {i}" for i in range(100_000))
    blocks = "\n\n".join(f"paragraph {i}" for i in range(100_000))
    for document in (headings, blocks):
        found = await _score(workers, document, Profile.HELM)
        assert isinstance(found, MetricValues)
        assert 0 < len(json.dumps(found.detail)) <= DETAIL_BYTES


@pytest.mark.asyncio(loop_scope="module")
async def test_too_many_tables_are_not_usable_with_the_reason(workers: ScorerWorkers) -> None:
    pipes = "\n\n".join(f"| {i} |\n|---|" for i in range(MAX_TABLES + 1))
    latex = "\n\\begin{table}\\end{table}\n" * (MAX_TABLES + 1)
    for document in (pipes, latex):
        found = await _score(workers, document, Profile.HELM)
        assert isinstance(found, NotUsable)
        assert found.reason == f"the document has more than {MAX_TABLES} tables"


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize("profile", Profile)
async def test_tables_in_tables_do_no_harm(workers: ScorerWorkers, profile: Profile) -> None:
    nested = "<table><tbody><tr><td>" * 1000 + "</td></tr></tbody></table>" * 1000
    found = await _score(workers, nested, profile)
    assert isinstance(found, MetricValues)
    latex = "\n\\begin{table}\\begin{tabular}{l}x\\end{tabular}\\end{table}\n"
    assert isinstance(await _score(workers, latex, profile, nested), MetricValues)


@pytest.mark.asyncio(loop_scope="module")
async def test_the_next_sample_is_scored(workers: ScorerWorkers) -> None:
    found = await _score(workers, GOLD, Profile.HELM)
    assert isinstance(found, MetricValues)
    assert {value for value in found.metrics.values() if value is not None} == {1.0}
