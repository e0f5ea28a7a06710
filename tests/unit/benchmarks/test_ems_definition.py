"""The definition of Earth Mover Similarity that benchmarks compare with, beside the code of the service."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.ems.definition import block_emd, denominators, helm_denominator
from i2s_metrics.functional.ems import HELM, PAPER, earth_mover_similarity
from i2s_wire.metrics.profile import Profile


@pytest.fixture(params=[(255, 255, 255), (40, 40, 40), (30, 90, 160)], ids=["white", "dark", "colour"])
def pair(request: pytest.FixtureRequest) -> tuple[np.ndarray, np.ndarray]:
    reference = np.full((24, 32, 3), request.param, np.uint8)
    reference[4:14, 6:20] = (200, 30, 10)
    prediction = np.roll(reference, 5, axis=1)
    return prediction, reference


def test_profile_helm_equals_the_service(pair: tuple[np.ndarray, np.ndarray]) -> None:
    ours = earth_mover_similarity(*pair, HELM)
    assert block_emd(*pair, Profile.HELM).value == pytest.approx(ours.block_emd, abs=1e-5)
    assert helm_denominator(pair[1]).value == pytest.approx(ours.denominator, abs=1e-5)


def test_profile_paper_equals_the_service(pair: tuple[np.ndarray, np.ndarray]) -> None:
    ours = earth_mover_similarity(*pair, PAPER)
    assert block_emd(*pair).value == pytest.approx(ours.block_emd, abs=1e-5)
    assert max(denominator.value for denominator in denominators(pair[1])) == pytest.approx(
        ours.denominator, abs=1e-5
    )
