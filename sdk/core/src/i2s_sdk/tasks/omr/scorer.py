"""The scorer of OMR: OMR-NED, as musicdiff computes it."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass

from i2s_sdk.errors import ScorerError
from i2s_sdk.scoring.omr_ned import (
    PACKAGE,
    ScoreFaultError,
    TruthFaultError,
    is_available,
    omr_distance,
)
from i2s_sdk.scoring.scorer import DETAIL_BYTES, Metric, MetricValues, NotUsable, Scorable, Scorer
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


#: The longest line of a difference that is kept, in characters.
MOST_CHARACTERS = 1000
_COUNTS_BYTES = 1024  # of a detail that its counts and names may take


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
        detail = {**asdict(distance), "differences": _kept(distance.differences)}
        return MetricValues({SIMILARITY: max(0.0, 1.0 - distance.ned), NED: distance.ned}, detail=detail)


def _kept(differences: Iterable[str]) -> list[str]:
    """Return the first lines, cut where they are long, that fit into a detail beside the counts."""
    kept: list[str] = []
    left = DETAIL_BYTES - _COUNTS_BYTES
    for line in differences:
        shown = line if len(line) <= MOST_CHARACTERS else line[: MOST_CHARACTERS - 1] + "…"
        left -= len(json.dumps(shown)) + 2
        if left < 0:
            break
        kept.append(shown)
    return kept
