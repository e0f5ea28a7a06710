"""Scorers that need texts as HTML: they are asked until they need no more, within their limits."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from pathlib import Path

import pytest
import pytest_asyncio

from i2s_sdk.errors import ScorerError
from i2s_sdk.scoring.scorer import (
    Conversion,
    ConvertingScorer,
    MetricValues,
    NotUsable,
    Scorable,
    Scorer,
    ScorerLimits,
)
from i2s_sdk.scoring.workers import ConversionFetcher, ScorerWorkers
from odd_scorers import AskingScorer, OddScorer

IN_WORKER, HERE = AskingScorer(), AskingScorer(in_worker=False)


class Upper:
    """Converts texts to upper case, except "bad", and remembers what it was asked for."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    async def __call__(self, conversions: Sequence[Conversion]) -> Mapping[str, str | None]:
        self.asked += [conversion.text for conversion in conversions]
        return {
            conversion.key: None if conversion.text == "bad" else conversion.text.upper()
            for conversion in conversions
        }


@pytest_asyncio.fixture
async def workers(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[ScorerWorkers]:
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[3] / "support"))
    made = ScorerWorkers(ScorerLimits(cpu_seconds=1, memory_bytes=1 << 28), processes=1)
    yield made
    await made.close()


async def _score(
    workers: ScorerWorkers, scorer: Scorer, structure: str
) -> tuple[MetricValues | NotUsable, Upper]:
    upper = Upper()
    sample = await ConversionFetcher(workers, upper).completed(scorer, Scorable("a", structure, target="t"))
    found = sample if isinstance(sample, NotUsable) else await workers.score(scorer, sample)
    return found, upper


@pytest.mark.parametrize("scorer", [pytest.param(IN_WORKER, marks=pytest.mark.slow), HERE])
async def test_a_scorer_is_asked_until_it_needs_no_more(workers: ScorerWorkers, scorer: AskingScorer) -> None:
    found, upper = await _score(workers, scorer, "one bad three one")
    assert found == MetricValues({"letters": 8.0})
    assert upper.asked == ["one", "bad", "three"]


async def test_a_scorer_that_needs_nothing_is_not_asked(workers: ScorerWorkers) -> None:
    scorer = OddScorer(in_worker=False)
    assert not isinstance(scorer, ConvertingScorer)
    found, upper = await _score(workers, scorer, "four")
    assert found == MetricValues({"letters": 4.0})
    assert upper.asked == []


@pytest.mark.slow
async def test_what_passes_a_limit_while_it_asks_is_not_usable(workers: ScorerWorkers) -> None:
    found, _ = await _score(workers, IN_WORKER, "loop")
    assert found == NotUsable("scoring it (odd) takes more than 1 s of CPU time")
    assert (await _score(workers, IN_WORKER, "next"))[0] == MetricValues({"letters": 4.0})


async def test_a_scorer_that_asks_for_ever_is_a_fault_of_ours(workers: ScorerWorkers) -> None:
    with pytest.raises(ScorerError, match="without end on 'a'"):
        await _score(workers, HERE, "*")


async def test_without_a_service_the_reason_is_said(workers: ScorerWorkers) -> None:
    with pytest.raises(ScorerError, match="needs the documents service"):
        await ConversionFetcher(workers).completed(HERE, Scorable("a", "x", target="t"))


def test_keys_tell_formats_apart() -> None:
    keys = {Conversion(kind, text).key for kind in ("latex", "markdown") for text in ("a", "b", "\ud800")}
    assert len(keys) == 6
