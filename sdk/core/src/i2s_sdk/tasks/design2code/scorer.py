"""The scorers of blocks alone: those of profile ``reference``, and those against words read in an image."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from i2s_sdk.scoring.scorer import Metric, MetricValues, Scorable, Scorer, ScorerLimits
from i2s_sdk.tasks.webpage.block_match import compare_blocks
from i2s_sdk.tasks.webpage.detail import detail_of
from i2s_sdk.tasks.webpage.layout import ShownPage, page_from_text
from i2s_sdk.tasks.webpage.scorer import (
    BLOCK_COLOR,
    BLOCK_MATCH,
    BLOCK_POSITION,
    BLOCK_TEXT,
    DESIGN2CODE_DOM,
)

#: Names of the columns against blocks that were read in the image, by those against blocks of a page.
OCR_COLUMNS: Mapping[str, str] = {
    DESIGN2CODE_DOM: "design2code_ocr",
    BLOCK_MATCH: "ocr_block_match",
    BLOCK_TEXT: "ocr_block_text",
    BLOCK_POSITION: "ocr_block_position",
    BLOCK_COLOR: "ocr_block_color",
}

_RELEASED = {
    DESIGN2CODE_DOM: "Mean of the four scores of blocks; the fifth of the benchmark, CLIP, is missing.",
    BLOCK_MATCH: "Share of the area of text blocks of both pages that is matched, as released.",
    BLOCK_TEXT: "Mean similarity of the texts of matched blocks by difflib, as released.",
    BLOCK_POSITION: "1 minus the mean distance of the middles of matched blocks, as released.",
    BLOCK_COLOR: "1 minus the mean CIEDE2000 / 100 of the text colours of matched blocks, as released.",
}
_LIMITS = ScorerLimits(cpu_seconds=20.0)
_READ = "Against blocks that a program read in the image, as there is no page of the ground truth: "
_OCR = {OCR_COLUMNS[name]: f"{_READ}{name}." for name in OCR_COLUMNS}


def _metrics(summaries: Mapping[str, str]) -> tuple[Metric, ...]:
    return tuple(Metric(name, summary=said) for name, said in summaries.items())


@dataclass(frozen=True, slots=True)
class BlockScorer(Scorer):
    """Compares the blocks of two pages."""

    #: Name as the manifest calls it.
    name: str = "released blocks"
    #: The mean and the four scores.
    metrics: tuple[Metric, ...] = _metrics(_RELEASED)
    #: Whether difflib leaves out what is frequent in texts of 200 characters and more.
    autojunk: bool = True
    #: Version of the metrics.
    version: str = "1"
    #: True: the time grows with what a model wrote.
    in_worker: bool = True
    #: Rendering and ground truth are compared by what the engine drew.
    compares_drawn: bool = True
    #: Bounds of the comparison keep it below.
    limits: ScorerLimits = _LIMITS

    def applies(self, sample: Scorable) -> bool:
        """Return whether there are blocks of the ground truth."""
        return bool(sample.drawn_truth)

    def score(self, sample: Scorable) -> MetricValues:
        """Return the values; a page without blocks, of either side, has 0 in all, as released."""
        reference = page_from_text(sample.drawn_truth or "")
        page = page_from_text(sample.drawn) if sample.drawn else ShownPage((), {})
        scores = compare_blocks(reference.blocks, page.blocks, autojunk=self.autojunk)
        values = scores.mean, scores.match, scores.text, scores.position, scores.color
        named = dict(zip((metric.name for metric in self.metrics), values, strict=True))
        return MetricValues(named, detail=detail_of(scores, reference.truncated or page.truncated))


#: Compares the blocks that the released code sees, as it does.
RELEASED_SCORER = BlockScorer()
#: Compares the blocks that an image shows with those that were read in the reference.
OCR_SCORER = BlockScorer("blocks read in the image", _metrics(_OCR), autojunk=False)
