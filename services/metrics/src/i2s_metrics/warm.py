"""Importing this compiles, or reads from the cache, all machine code that comparisons need.

Worker processes are forked from one that has imported it, so that no request waits for it.
"""

from __future__ import annotations

import numpy as np

from i2s_metrics.functional.ems import PAPER, earth_mover_similarity
from i2s_metrics.functional.pixel import pixel_similarity
from i2s_metrics.functional.ssim import structural_similarity


def _warm() -> None:
    # Whole patches of many colours: nothing is spared, neither in counting nor in transport.
    ramp = np.arange(24 * 24 * 3).reshape(24, 24, 3)
    reference, prediction = (ramp % 251).astype(np.uint8), (ramp % 241).astype(np.uint8)
    earth_mover_similarity(prediction, reference, PAPER)
    pixel_similarity(prediction, reference)
    structural_similarity(prediction[..., 0], reference[..., 0])


_warm()
