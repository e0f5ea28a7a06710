"""Earth Mover Similarity.

In order of reading: ``rules`` (what the profiles do differently), ``patches`` (steps 1 to 3), ``inner``
(step 6, pixels), ``outer`` (steps 4 to 7, patches), ``similarity`` (step 8, and what depends on the
reference alone). Steps are those of docs/metrics.md. Lower bounds are in ``bounds``; ``simplex`` solves both
transports. docs/decisions/0014 says why the result is exact.
"""

from i2s_metrics.functional.ems.rules import HELM, PAPER, Rules
from i2s_metrics.functional.ems.similarity import EarthMover, Reference, earth_mover_similarity

__all__ = ["HELM", "PAPER", "EarthMover", "Reference", "Rules", "earth_mover_similarity"]
