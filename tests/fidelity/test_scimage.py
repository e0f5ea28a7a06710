"""The tables of ScImage, out of its released scores of people."""

from pathlib import Path

import pytest

from i2s_sdk.stats.human_scores import (
    HumanScore,
    SystemScores,
    by_system,
    correlations,
    human_scoring_of,
    read_scores,
)

pytestmark = pytest.mark.fidelity

SCORING = human_scoring_of()
SHARED = Path(__file__).parents[2].parent / "shared/companions/scimage/Human_Evaluation_Scores"
#: Means of correctness, relevance and scientific style over all answers, those that compiled, and failures.
PUBLISHED = {
    "automatikz": ((2.05, 2.31, 3.35), (2.14, 2.41, 3.50), 17),
    "llama_tikz": ((1.78, 1.94, 2.61), (2.49, 2.72, 3.66), 116),
    "gpt4o_tikz": ((3.50, 3.67, 3.75), (3.84, 4.02, 4.10), 35),
    "llama_python": ((2.10, 2.54, 3.18), (2.92, 3.52, 4.42), 113),
    "gpt4o_python": ((3.51, 3.40, 3.93), (3.76, 3.64, 4.21), 27),
    "stable_diffusion": ((2.19, 2.09, 1.96), None, 0),
    "dalle": ((2.16, 2.00, 1.55), None, 0),
}
BY_KIND = {
    "gpt4o_tikz": {"a": 4.11, "n": 3.49, "s": 3.35, "ns": 3.59, "sa": 3.52, "na": 3.41, "nsa": 3.13},
    "gpt4o_python": {"a": 3.95, "n": 3.92, "s": 3.47, "ns": 3.28, "sa": 3.34, "na": 3.46, "nsa": 3.13},
}
CORRELATIONS = {
    "correctness and relevance": 0.894,
    "correctness and scientific": 0.670,
    "relevance and scientific": 0.765,
}


@pytest.fixture(scope="module")
def scores() -> list[HumanScore]:
    if not SHARED.is_dir():
        pytest.skip("the folder of recorded vectors is not here")
    return read_scores(SHARED / "English_evaluation_score.csv", SCORING)


@pytest.fixture(scope="module")
def systems(scores: list[HumanScore]) -> dict[str, SystemScores]:
    return {one.system: one for one in by_system(scores)}


@pytest.mark.parametrize("name", PUBLISHED)
def test_means_and_failures_are_the_published_ones(systems: dict[str, SystemScores], name: str) -> None:
    means, compiled, failed = PUBLISHED[name]
    found = systems[name]
    assert (found.figures, found.failed) == (404, failed)
    assert found.means == pytest.approx(means, abs=0.0051)
    if compiled is not None:
        assert found.compiled_means == pytest.approx(compiled, abs=0.0051)


@pytest.mark.parametrize("name", BY_KIND)
def test_correctness_by_kind_is_the_published_one(systems: dict[str, SystemScores], name: str) -> None:
    assert systems[name].correctness == pytest.approx(BY_KIND[name], abs=0.0051)


def test_correlations_are_the_published_ones(scores: list[HumanScore]) -> None:
    assert correlations(scores, SCORING.names) == pytest.approx(CORRELATIONS, abs=0.00051)


def test_the_scores_in_other_languages_are_read(scores: list[HumanScore]) -> None:
    found = by_system(read_scores(SHARED / "multilingual_evaluation_score.csv", SCORING))
    assert sum(one.figures for one in found) == 540
    assert {one.language for one in found} == {"en", "de", "zh", "fa"}
