"""The scorer of page layouts: Design2Code's scores of blocks, TreeBLEU, and the words that are shown."""

from __future__ import annotations

from dataclasses import dataclass

from i2s_sdk.scoring.scorer import Metric, MetricValues, Scorable, Scorer, ScorerLimits
from i2s_sdk.tasks.webpage.block_match import compare_blocks
from i2s_sdk.tasks.webpage.detail import detail_of
from i2s_sdk.tasks.webpage.layout import ShownPage, page_from_text, text_f1, tree_bleu

#: Name of the scorer in the manifest of a run and in the detail of a sample.
NAME = "page layout"
BLOCK_MATCH, BLOCK_TEXT, BLOCK_POSITION, BLOCK_COLOR = (
    "block_match",
    "block_text",
    "block_position",
    "block_color",
)
DESIGN2CODE_DOM, TREE_BLEU, TREE_PRECISION, TEXT_F1 = (
    "design2code_dom",
    "tree_bleu",
    "tree_bleu_precision",
    "text_f1",
)

_SUMMARIES = {
    BLOCK_MATCH: "Share of the area of text blocks of both pages that is matched (Design2Code).",
    BLOCK_TEXT: "Mean similarity of the texts of matched blocks (Design2Code).",
    BLOCK_POSITION: "1 minus the mean distance of the middles of matched blocks (Design2Code).",
    BLOCK_COLOR: "1 minus the mean CIEDE2000 / 100 of the text colours of matched blocks (Design2Code).",
    DESIGN2CODE_DOM: "Mean of the four scores of blocks; Design2Code's fifth, CLIP, is missing.",
    TREE_BLEU: "Share of the reference's elements with their children that the page has (TreeBLEU).",
    TREE_PRECISION: "Share of the page's elements with their children that the reference has.",
    TEXT_F1: "F1 of the words that the images show.",
}
_LIMITS = ScorerLimits(cpu_seconds=20.0)
_OF_BLOCKS = (BLOCK_MATCH, BLOCK_TEXT, BLOCK_POSITION, BLOCK_COLOR, DESIGN2CODE_DOM)
_OF_TEXT = (*_OF_BLOCKS, TEXT_F1)
_NO_TEXT = "the ground truth shows no text"
_NO_RUNS = "an earlier version stored the layout without runs of blocks; the page has to be rendered again"


@dataclass(frozen=True, slots=True)
class LayoutScorer(Scorer):
    """Compares what a browser laid out, as far as images show it."""

    #: Name as the manifest calls it.
    name: str = NAME
    #: Version of the metrics.
    version: str = "2"
    #: Scores of blocks and their mean, then those of elements and words.
    metrics: tuple[Metric, ...] = tuple(Metric(name, summary=said) for name, said in _SUMMARIES.items())
    #: True: the time grows with what a model wrote.
    in_worker: bool = True
    #: Rendering and ground truth are compared by what the engine drew.
    compares_drawn: bool = True
    #: Bounds of the comparison keep it below.
    limits: ScorerLimits = _LIMITS

    def applies(self, sample: Scorable) -> bool:
        """Return whether the ground truth was laid out."""
        return bool(sample.drawn_truth)

    def score(self, sample: Scorable) -> MetricValues:
        """Return the values; a rendering without a layout shows nothing."""
        reference = page_from_text(sample.drawn_truth or "")
        page = page_from_text(sample.drawn) if sample.drawn else ShownPage((), {})
        recall, precision = tree_bleu(reference.subtrees, page.subtrees)
        values: dict[str, float | None] = {TREE_BLEU: recall, TREE_PRECISION: precision}
        if not reference.blocks:
            values |= dict.fromkeys(_OF_TEXT)
            return MetricValues(values, dict.fromkeys(_OF_TEXT, _NO_TEXT))
        shown = text_f1([block.text for block in reference.blocks], [block.text for block in page.blocks])
        if reference.runs is None or page.runs is None:
            values |= {**dict.fromkeys(_OF_BLOCKS), TEXT_F1: shown}
            return MetricValues(values, dict.fromkeys(_OF_BLOCKS, _NO_RUNS))
        scores = compare_blocks(reference.blocks, page.blocks, runs=(reference.runs, page.runs))
        values |= {
            BLOCK_MATCH: scores.match,
            BLOCK_TEXT: scores.text,
            BLOCK_POSITION: scores.position,
            BLOCK_COLOR: scores.color,
            DESIGN2CODE_DOM: scores.mean,
            TEXT_F1: shown,
        }
        return MetricValues(values, detail=detail_of(scores, reference.truncated or page.truncated))

    def unusable(self, sample: Scorable) -> MetricValues:
        """Return 0; no value of texts if the ground truth shows none."""
        values: dict[str, float | None] = dict.fromkeys((metric.name for metric in self.metrics), 0.0)
        if page_from_text(sample.drawn_truth or "").blocks:
            return MetricValues(values)
        return MetricValues(values | dict.fromkeys(_OF_TEXT), dict.fromkeys(_OF_TEXT, _NO_TEXT))
