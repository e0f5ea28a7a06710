"""The scorer of OMR: OMR-NED, as musicdiff computes it."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from i2s_sdk.errors import ScorerError
from i2s_sdk.scoring.omr_ned import (
    PACKAGE,
    ScoreFaultError,
    TruthFaultError,
    is_available,
    omr_distance,
)
from i2s_sdk.scoring.scorer import Metric, MetricValues, NotUsable, Scorable, Scorer
from i2s_wire.installation import install_command

#: Name of the scorer, and of its detail in records.
NAME = "omr"
SIMILARITY, NED = "omr_similarity", "omr_ned"
METRICS = (
    Metric(SIMILARITY, summary="1 − OMR-NED, at least 0."),
    Metric(
        NED,
        unusable=1.0,
        summary="Symbols to be deleted or inserted, as a share of those of both scores (musicdiff).",
        lower_is_better=True,
    ),
)


def missing_package() -> str:
    """Return why nothing can be compared, and what installs the package; empty if it is installed."""
    if is_available():
        return ""
    return f"OMR-NED needs the package {PACKAGE}: {install_command('i2s-sdk[omr]')}"


@dataclass(frozen=True, slots=True)
class OmrScorer(Scorer):
    """Compares an answer with the score of the instance, whatever the formats of the two.

    An answer that cannot be read counts as an empty score, as in the evaluation of musicdiff: 1.
    """

    name: str = NAME
    version: str = "1"
    metrics: tuple[Metric, ...] = METRICS
    in_worker: bool = True

    def applies(self, sample: Scorable) -> bool:
        """Return whether there is a score to compare with."""
        return isinstance(sample.target, str)

    def score(self, sample: Scorable) -> MetricValues | NotUsable:
        """Return the values of an answer.

        Raises:
            ScorerError: musicdiff is not installed.
        """
        if reason := missing_package():
            raise ScorerError(reason)
        try:
            distance = omr_distance(sample.structure or "", sample.target)
        except TruthFaultError as error:
            reason = f"the score of the instance {error}"
            return MetricValues(dict.fromkeys((SIMILARITY, NED)), dict.fromkeys((SIMILARITY, NED), reason))
        except ScoreFaultError as error:
            return NotUsable(f"the score {error}")
        detail = {**asdict(distance), "differences": list(distance.differences)}
        return MetricValues({SIMILARITY: max(0.0, 1.0 - distance.ned), NED: distance.ned}, detail=detail)
