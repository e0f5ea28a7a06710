"""The four values of ShapeCodeBench, and the shapes that agree, for the report."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np

from i2s_sdk.scoring.scorer import Aggregate, Metric, MetricValues, NotUsable, Scorable, Scorer, ScorerLimits
from i2s_sdk.tasks.shapecode.program import ProgramError, Shape, draw, read_program

NAME = "shapecode"
EXACT, PIXELS, IOU, PARSED = "exact_match", "pixel_accuracy", "foreground_iou", "parse_success"
#: CPU time and memory for a sample.
LIMITS = ScorerLimits(cpu_seconds=10.0, memory_bytes=512 << 20)
METRICS = (
    Metric(EXACT, aggregate=Aggregate.SHARE, summary="Share of answers whose image is that of the truth."),
    Metric(PIXELS, summary="Share of the pixels that agree."),
    Metric(IOU, summary="Black pixels in both images, of those in either."),
    Metric(PARSED, aggregate=Aggregate.SHARE, summary="Share of answers that are programs."),
)


def compare(answer: tuple[Shape, ...], truth: tuple[Shape, ...]) -> dict[str, float]:
    """Return the four values of an answer that is a program."""
    ours, theirs = (np.asarray(draw(one)) for one in (answer, truth))
    black, other = ours < 128, theirs < 128
    union = int(np.count_nonzero(black | other))
    return {
        EXACT: float(np.array_equal(ours, theirs)),
        PIXELS: float(np.mean(ours == theirs)),
        IOU: int(np.count_nonzero(black & other)) / union if union else 1.0,
        PARSED: 1.0,
    }


@dataclass(frozen=True, slots=True)
class ShapeScorer(Scorer):
    """Draws answer and truth and compares the images.

    An answer that is no program counts 0 in all four values. The images of two programs without any black
    pixel have an IoU of 1.
    """

    #: Name as the manifest calls it.
    name: str = NAME
    #: Grows whenever a value can change.
    version: str = "1"
    #: The four columns.
    metrics: tuple[Metric, ...] = METRICS
    #: True: an answer may have any number of shapes.
    in_worker: bool = True
    #: Limits of a sample.
    limits: ScorerLimits = LIMITS

    def applies(self, sample: Scorable) -> bool:
        """Return whether there is a program to compare with."""
        return isinstance(sample.target, dict) and "program" in sample.target

    def score(self, sample: Scorable) -> MetricValues | NotUsable:
        """Return the values of an answer; one that is no program is not usable."""
        truth = read_program(sample.target["program"])
        try:
            answer = read_program(sample.structure or "")
        except ProgramError as error:
            return NotUsable(str(error))
        return MetricValues(compare(answer, truth), detail={"rows": _rows(answer, truth)})


def _rows(answer: tuple[Shape, ...], truth: tuple[Shape, ...]) -> list[tuple[str, str, str]]:
    """Return marks and texts of the shapes: those that are in both programs, missing, or added."""
    left = Counter(map(str, answer))
    rows = []
    for shape in map(str, truth):
        matched = left[shape] > 0
        left[shape] -= matched
        rows.append(("matched", shape, shape) if matched else ("missed", shape, ""))
    return [*rows, *(("extra", "", shape) for shape in left.elements())][:500]
