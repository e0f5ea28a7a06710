"""Scorers in processes of their own: what a model wrote can cost a sample its values, and nothing else."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import pytest_asyncio

from i2s_sdk.errors import ScorerError
from i2s_sdk.scoring.scorer import DETAIL_BYTES, MetricValues, NotUsable, Scorable, ScorerLimits, limits_of
from i2s_sdk.scoring.workers import ScorerWorkers
from odd_scorers import OddScorer

pytestmark = pytest.mark.slow
SCORER = OddScorer()


@pytest_asyncio.fixture
async def workers(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[ScorerWorkers]:
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[3] / "support"))
    made = ScorerWorkers(ScorerLimits(cpu_seconds=1, memory_bytes=1 << 28), processes=1)
    yield made
    await made.close()


async def _score(workers: ScorerWorkers, structure: str) -> MetricValues | NotUsable:
    return await workers.score(SCORER, Scorable("a", structure, target="t"))


async def test_values_come_from_a_process_that_stays(workers: ScorerWorkers) -> None:
    assert await _score(workers, "four") == MetricValues({"letters": 4.0})
    first, second = [await _score(workers, "pid") for _ in range(2)]
    assert first == second
    assert first != MetricValues({"letters": float(os.getpid())})


async def test_a_scorer_may_find_a_structure_not_usable(workers: ScorerWorkers) -> None:
    assert await _score(workers, "refuse it is empty") == NotUsable("it is empty")


@pytest.mark.parametrize(
    ("structure", "reason"),
    [("loop", "more than 1 s of CPU time"), ("grow", "more than 256 MiB"), ("nest", "nested too deeply")],
)
async def test_what_passes_a_limit_is_not_usable_and_the_next_sample_is_scored(
    workers: ScorerWorkers, structure: str, reason: str
) -> None:
    found = await _score(workers, structure)
    assert isinstance(found, NotUsable)
    assert reason in found.reason
    assert await _score(workers, "next") == MetricValues({"letters": 4.0})


async def test_memory_is_limited_where_the_system_refuses_to_limit_address_space(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As macOS does; however large the process is that starts the workers."""
    large = b"x" * (1 << 30)
    support = Path(__file__).parents[3] / "support"
    monkeypatch.setenv("PYTHONPATH", f"{support / 'mac'}:{support}")
    # Pages cost CPU time on a loaded machine, where memory is to be what ends it.
    workers = ScorerWorkers(ScorerLimits(cpu_seconds=60, memory_bytes=1 << 28), processes=1)
    try:
        found = await _score(workers, "swell")
        del large
        assert isinstance(found, NotUsable)
        assert "more than 256 MiB" in found.reason
        assert await _score(workers, "next") == MetricValues({"letters": 4.0})
    finally:
        await workers.close()


async def test_a_sample_whose_process_was_killed_from_outside_is_scored_again(
    workers: ScorerWorkers, tmp_path: Path
) -> None:
    order = f"die-once {tmp_path / 'killed'}"
    assert await _score(workers, order) == MetricValues({"letters": float(len(order))})


async def test_a_process_that_is_killed_twice_is_a_failure_of_ours(workers: ScorerWorkers) -> None:
    with pytest.raises(ScorerError, match="killed, or hung, twice"):
        await _score(workers, "die")
    assert await _score(workers, "next") == MetricValues({"letters": 4.0})


async def test_what_a_scorer_raises_is_a_failure_of_ours_and_says_what(workers: ScorerWorkers) -> None:
    with pytest.raises(ScorerError, match="ValueError: seven"):
        await _score(workers, "raise seven")


async def test_a_scorer_that_its_process_cannot_import_is_a_failure_of_ours_and_says_so(
    workers: ScorerWorkers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PYTHONPATH")
    with pytest.raises(ScorerError, match="ended with exit code 1; the log says why"):
        await _score(workers, "four")


@pytest.mark.parametrize("printed", ["no JSON", "[]", '{"metrics": {"letters": 1.0}}'])
async def test_what_is_printed_while_a_sample_is_scored_is_no_answer(
    workers: ScorerWorkers, printed: str
) -> None:
    order = f"print {printed}"
    assert await _score(workers, order) == MetricValues({"letters": float(len(order))})
    assert await _score(workers, "next") == MetricValues({"letters": 4.0})


@pytest.mark.parametrize("line", ["no JSON", "[]"])
async def test_a_worker_whose_answer_cannot_be_read_is_lost(workers: ScorerWorkers, line: str) -> None:
    with pytest.raises(ScorerError, match="twice"):
        await _score(workers, f"garble {line}")
    assert await _score(workers, "next") == MetricValues({"letters": 4.0})


async def test_what_is_written_to_standard_error_is_logged_without_control_characters_and_bounded(
    workers: ScorerWorkers, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    order = "warn \x9b31mred" + "x" * 100_000
    assert await _score(workers, order) == MetricValues({"letters": float(len(order))})
    await workers.close()
    assert "\\x9b31mred" in caplog.text
    assert "\x9b" not in caplog.text
    assert len(caplog.text) < 20_000
    assert "red" not in capfd.readouterr().err


async def test_what_is_no_number_is_a_failure_of_ours(workers: ScorerWorkers) -> None:
    with pytest.raises(ScorerError, match="not finite numbers"):
        await _score(workers, "nan")


async def test_parts_and_detail_of_values_arrive(workers: ScorerWorkers) -> None:
    values = await _score(workers, "parts 3 4")
    assert isinstance(values, MetricValues)
    assert values.parts == {"letters": (3.0, 4.0)}
    assert values.detail == {"note": "3 4"}


async def test_a_detail_that_is_too_long_is_left_out(workers: ScorerWorkers) -> None:
    values = await _score(workers, f"detail {DETAIL_BYTES}")
    assert isinstance(values, MetricValues)
    assert values.detail == {}
    assert values.metrics == {"letters": 1.0}


async def test_nothing_is_imported_from_the_working_folder(
    workers: ScorerWorkers, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("json", "pickle", "resource", "base64"):
        (tmp_path / f"{name}.py").write_text(f"open({str(tmp_path / 'run')!r}, 'w')\n")
    monkeypatch.chdir(tmp_path)
    assert await _score(workers, "four") == MetricValues({"letters": 4.0})
    assert not (tmp_path / "run").exists()


async def test_the_limit_of_cpu_time_is_that_of_each_sample(workers: ScorerWorkers) -> None:
    """A process that has used its second for others has as much for the next."""
    assert [await _score(workers, "burn 0.7") for _ in range(4)] == [MetricValues({"letters": 8.0})] * 4


@dataclass(frozen=True, slots=True)
class _Limited:
    limits: ScorerLimits


def test_a_scorer_may_have_lower_limits_and_never_higher_ones() -> None:
    settings = ScorerLimits(cpu_seconds=5, memory_bytes=1000)
    assert limits_of(SCORER, settings) == settings
    assert limits_of(_Limited(ScorerLimits(2, 2000)), settings) == ScorerLimits(2, 1000)
    assert limits_of(_Limited(ScorerLimits(9, 10)), settings) == ScorerLimits(5, 10)
