"""What a worker is forked with."""

import subprocess
import sys

import pytest

COMPARE_ALL = """
import numpy as np
import i2s_metrics.warm
from i2s_metrics.functional import colours, pixel, ssim
from i2s_metrics.functional.ems import HELM, PAPER, earth_mover_similarity, inner, outer

entries = (colours._count_colour, colours._count_upper, colours._sort_lower, colours._most_frequent,
           inner._transport_costs, outer.lazy_transport, pixel._count, ssim._mean_over_windows)
before = [entry.signatures for entry in entries]
assert all(len(signatures) == 1 for signatures in before), before
rng = np.random.default_rng(0)
for height, width in ((1, 1), (13, 21), (40, 48), (200, 90)):
    noise = rng.integers(0, 256, (height, width, 3), dtype=np.uint8)
    page = np.full_like(noise, 255)
    page[::3] = 0
    ssim.structural_similarity(noise[::-1, :, 0], page[..., 1].T.copy().T)
    pixel.pixel_similarity(noise[::-1], page)
    for rules in (PAPER, HELM):
        earth_mover_similarity(noise[::-1], page, rules)
        earth_mover_similarity(page, noise, rules)
assert [entry.signatures for entry in entries] == before
"""


@pytest.mark.slow
def test_after_warming_no_comparison_compiles_anything():
    done = subprocess.run([sys.executable, "-c", COMPARE_ALL], check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
