"""The scorers of what an engine drew: ``glyph_f1`` and ``cdm``."""

from __future__ import annotations

from dataclasses import dataclass

from i2s_sdk.scoring.cdm import MOST_BOXES, Detection, cdm, detection
from i2s_sdk.scoring.glyph_f1 import MOST_TOKENS, glyph_f1
from i2s_sdk.scoring.page_tokens import read_drawn
from i2s_sdk.scoring.scorer import Metric, MetricValues, Scorable, Scorer

GLYPH_F1, CDM = "glyph_f1", "cdm"


@dataclass(frozen=True, slots=True)
class GlyphF1Scorer(Scorer):
    """Compares the characters, rules and shapes that two documents draw (:mod:`i2s_sdk.scoring.glyph_f1`)."""

    #: Name as the manifest calls it.
    name: str = GLYPH_F1
    #: Version of the metric.
    version: str = "3"
    #: ``glyph_f1`` alone.
    metrics: tuple[Metric, ...] = (
        Metric(
            GLYPH_F1,
            summary="F1 of the characters and rules drawn and of the steps between them, in any size.",
        ),
    )
    #: True: the time grows with the product of both lengths.
    in_worker: bool = True
    #: True: the ground truth is rendered too.
    compares_drawn: bool = True

    def applies(self, sample: Scorable) -> bool:
        """Return whether it is known what the ground truth draws."""
        return sample.drawn_truth is not None

    def score(self, sample: Scorable) -> MetricValues:
        """Return the F1; what is beyond the limit of a page, or cannot be read, counts as not drawn."""
        truth, limit = read_drawn(sample.drawn_truth or "")
        if why := _undefined(len(truth), limit, MOST_TOKENS):
            return MetricValues({GLYPH_F1: None}, {GLYPH_F1: why})
        prediction, _ = read_drawn(sample.drawn or "")
        return MetricValues({GLYPH_F1: glyph_f1(truth, prediction)})

    def unusable(self, sample: Scorable) -> MetricValues:
        """Return 0; no value if a usable sample would have none."""
        truth, limit = read_drawn(sample.drawn_truth or "")
        why = _undefined(len(truth), limit, MOST_TOKENS)
        return MetricValues({GLYPH_F1: None if why else 0.0}, {GLYPH_F1: why} if why else {})


@dataclass(frozen=True, slots=True)
class CdmScorer(Scorer):
    """Compares two pages by CDM on the glyphs drawn (:mod:`i2s_sdk.scoring.cdm`)."""

    #: Name as the manifest calls it.
    name: str = CDM
    #: Version of the metric.
    version: str = "3"
    #: ``cdm`` alone.
    metrics: tuple[Metric, ...] = (
        Metric(
            CDM, summary="F1 of CDM: its costs and rejection, on the boxes of glyphs in place of colours."
        ),
    )
    #: True: the time grows with the cube of the lengths.
    in_worker: bool = True
    #: True: the ground truth is rendered too.
    compares_drawn: bool = True

    def applies(self, sample: Scorable) -> bool:
        """Return whether it is known what the ground truth draws."""
        return sample.drawn_truth is not None

    def score(self, sample: Scorable) -> MetricValues:
        """Return the F1, rounded to three decimals as the released code has it."""
        truth, why = _truth_of_cdm(sample)
        if why:
            return MetricValues({CDM: None}, {CDM: why})
        prediction = detection(read_drawn(sample.drawn or "")[0])
        if len(prediction.boxes) > MOST_BOXES:
            return MetricValues({CDM: 0.0}, detail={"limit": f"more than {MOST_BOXES} boxes"})
        return MetricValues({CDM: round(cdm(truth, prediction).f1, 3)})

    def unusable(self, sample: Scorable) -> MetricValues:
        """Return 0; no value if a usable sample would have none."""
        _, why = _truth_of_cdm(sample)
        return MetricValues({CDM: None if why else 0.0}, {CDM: why} if why else {})


def _truth_of_cdm(sample: Scorable) -> tuple[Detection, str]:
    """Return the boxes of the ground truth, and why there is no value; empty if there is one."""
    tokens, limit = read_drawn(sample.drawn_truth or "")
    truth = detection(tokens)
    return truth, _undefined(len(truth.boxes), limit, MOST_BOXES)


def _undefined(number: int, limit: str, most: int) -> str:
    if limit:
        return f"the objects of the ground truth are not known: {limit}"
    if number > most:
        return f"the ground truth has {number} tokens, more than {most}"
    return "" if number else "the ground truth draws nothing"
