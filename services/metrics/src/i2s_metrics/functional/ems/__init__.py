"""Earth Mover Similarity.

In order of reading: ``rules`` (what the profiles do differently), ``resample`` (step 1),
``patches`` (steps 2 and 3), ``inner`` (step 6, pixels), ``outer`` and ``lazy`` (steps 4 to 7,
patches), ``reference`` (what depends on the reference alone), ``similarity`` (step 8). Steps are
those of docs/metrics.md. Lower bounds are in ``bounds`` (all pairs at once) and ``dual`` (one pair);
``simplex`` and its ``tree`` solve both transports. docs/ems.md says why the result is exact.
"""

from i2s_metrics.functional.ems.rules import HELM, PAPER, Rules
from i2s_metrics.functional.ems.similarity import EarthMover, Reference, earth_mover_similarity

__all__ = ["HELM", "PAPER", "EarthMover", "Reference", "Rules", "earth_mover_similarity"]
