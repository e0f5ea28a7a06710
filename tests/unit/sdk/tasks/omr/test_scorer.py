"""The values of samples of OMR, and what holds a scorer of untrusted scores."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from i2s_sdk.errors import ScorerError
from i2s_sdk.instances.instance import Content
from i2s_sdk.scoring.omr_ned import OmrDistance
from i2s_sdk.scoring.scorer import DETAIL_BYTES, MetricValues, NotUsable, Scorable, ScorerLimits
from i2s_sdk.scoring.workers import ScorerWorkers
from i2s_sdk.tasks.omr import scorer as module
from i2s_sdk.tasks.omr.scorer import NED, SIMILARITY, OmrScorer
from i2s_sdk.tasks.omr.spec import OMR, structure_fault, view
from i2s_sdk.tasks.registry import open_task
from i2s_sdk.tasks.view import ShownSample, TextPanel
from i2s_wire.installation import install_command

SCORER = OmrScorer()
SCORE = OMR.constant
BARS = "".join(f"={at}\n4c\n4d\n4e\n4f\n" for at in range(1, 5))
LARGE = "**kern\n*clefG2\n*M4/4\n" + BARS * 2000 + "==\n*-\n"


def _values(structure: str | None, target: object = SCORE) -> MetricValues | NotUsable:
    return SCORER.score(Scorable("a", structure, target=target))


def test_a_distance_has_its_similarity_beside_it() -> None:
    found = _values(SCORE.replace("4g", "4a", 1))
    assert isinstance(found, MetricValues)
    assert found.metrics[NED] == 4 / 74
    assert found.metrics[SIMILARITY] == 1 - 4 / 74
    assert (found.detail["edits"], found.detail["prediction"], found.detail["truth"]) == (4, 37, 37)


def test_what_is_no_score_counts_as_an_empty_one() -> None:
    found = _values("<score-partwise>")
    assert found == NotUsable("the score is not well-formed XML: no element found: line 1, column 16")
    assert SCORER.unusable(Scorable("a")).metrics == {SIMILARITY: 0.0, NED: 1.0}
    empty = _values(OMR.blank(None))
    assert isinstance(empty, MetricValues)
    assert empty.metrics == {SIMILARITY: 0.0, NED: 1.0}


def test_a_ground_truth_that_cannot_be_read_is_no_fault_of_the_answer() -> None:
    found = _values(SCORE, "<score-partwise/>")
    assert isinstance(found, MetricValues)
    assert found.metrics == {SIMILARITY: None, NED: None}
    assert "the score of the instance has no parts" in found.undefined[NED]


def test_it_applies_to_instances_with_a_score() -> None:
    assert SCORER.applies(Scorable("a", target=SCORE))
    assert not SCORER.applies(Scorable("a"))


def test_without_musicdiff_the_task_says_what_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    assert open_task("omr").unavailable() == {}
    monkeypatch.setattr(module, "is_available", lambda: False)
    missing = open_task("omr").unavailable()
    assert set(missing) == {SIMILARITY, NED}
    assert "musicdiff" in missing[NED]
    assert install_command("i2s-sdk[omr]") in missing[NED]
    with pytest.raises(ScorerError, match=re.escape(install_command("i2s-sdk[omr]"))):
        _values(SCORE)


def test_less_is_better_in_the_distance_alone() -> None:
    assert [metric.lower_is_better for metric in SCORER.metrics] == [False, True]
    assert OMR.main_metric == SIMILARITY


def test_ground_truth_is_checked_when_data_is() -> None:
    assert structure_fault(Content(structure=SCORE)) == ""
    assert structure_fault(Content(structure="hello")) == "is neither MusicXML nor MEI nor **kern"
    assert structure_fault(Content(structure=" ")).startswith("is empty")


def test_a_report_shows_where_the_scores_differ() -> None:
    found = _values(SCORE.replace("4g", "4a", 1))
    assert isinstance(found, MetricValues)
    (panel,) = view(ShownSample(usable=True, detail={"omr": found.detail}))
    assert isinstance(panel, TextPanel)
    assert panel.text.splitlines() == [
        "4 symbols to be deleted or inserted, of 37 of the answer and 37 of the target",
        "@@ measure 2, staff 1, beat 1.0 @@",
        "-(Note) A4 (quarter note)",
        "@@ measure 2, staff 1, beat 1.0 @@",
        "+(Note) G4 (quarter note)",
    ]
    assert view(ShownSample(detail={"omr": {"limit": "time"}})) == ()


@pytest.mark.parametrize("line", ["x" * 100_000, "\u4e2d" * 900, "x" * 900])
def test_long_differences_leave_the_counts(monkeypatch: pytest.MonkeyPatch, line: str) -> None:
    distance = OmrDistance(3, 20, 30, (f"-{line}",) * 200)
    monkeypatch.setattr(module, "omr_distance", lambda *texts: distance)
    found = _values(SCORE)
    assert isinstance(found, MetricValues)
    assert (found.detail["edits"], found.detail["prediction"], found.detail["truth"]) == (3, 20, 30)
    assert found.detail["differences"][0].startswith(f"-{line[:900]}")
    assert len(json.dumps(found.detail)) <= DETAIL_BYTES


@pytest_asyncio.fixture
async def workers() -> AsyncIterator[ScorerWorkers]:
    made = ScorerWorkers(ScorerLimits(cpu_seconds=3, memory_bytes=1 << 29), processes=1)
    yield made
    await made.close()


@pytest.mark.slow
async def test_a_huge_score_meets_the_limits_of_its_worker_and_the_next_is_scored(
    workers: ScorerWorkers,
) -> None:
    found = await workers.score(SCORER, Scorable("a", LARGE, target=SCORE))
    assert isinstance(found, NotUsable)
    assert "takes more than" in found.reason
    scored = await workers.score(SCORER, Scorable("b", SCORE, target=SCORE))
    assert isinstance(scored, MetricValues)
    assert scored.metrics == {SIMILARITY: 1.0, NED: 0.0}
