"""Pictures large enough to be reduced, against the definition written plainly: seconds for each."""

import numpy as np
import pytest

from ems_definition import plain_parts
from i2s_metrics.functional.ems import HELM, PAPER, earth_mover_similarity
from kinds_of_pictures import few_greys, noise, text

pytestmark = pytest.mark.fidelity

RULES = {"paper": PAPER, "helm": HELM}
TOLERANCE = 1e-6


@pytest.mark.parametrize(
    ("ours", "theirs", "height", "width", "profile"),
    [
        (text, text, 97, 160, "paper"),
        (text, noise, 8, 1000, "paper"),
        (few_greys, few_greys, 90, 70, "helm"),
    ],
)
def test_lazy_transport_equals_the_plain_definition_on_reduced_pictures(ours, theirs, height, width, profile):
    rng = np.random.default_rng(7)
    prediction = ours(rng, height, width, (255, 255, 255))
    reference = theirs(rng, height, width, (255, 255, 255))
    result = earth_mover_similarity(prediction, reference, RULES[profile])
    block_emd, denominator = plain_parts(prediction, reference, profile)
    assert result.block_emd == pytest.approx(block_emd, abs=TOLERANCE)
    assert result.denominator == pytest.approx(denominator, abs=TOLERANCE)
