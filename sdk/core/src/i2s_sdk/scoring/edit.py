"""Scorers of edit similarity: ``edit`` of texts; ``edit_tex`` and ``edit_normal`` of LaTeX by its tokens."""

from __future__ import annotations

from dataclasses import dataclass

from i2s_sdk.scoring.scorer import Metric, MetricValues, Scorable, Scorer
from i2s_sdk.text.edit_similarity import EDIT, edit_similarity, token_similarity
from i2s_sdk.text.tex_tokens import normal_tex_tokens, tex_tokens
from i2s_wire.metrics.profile import Profile


@dataclass(frozen=True, slots=True)
class EditScorer(Scorer):
    """Compares two texts by what has to change between them."""

    #: Profile whose rules are followed.
    profile: Profile
    #: Name as the manifest calls it.
    name: str = EDIT
    #: Version of the metric.
    version: str = "1"
    #: ``edit`` alone.
    metrics: tuple[Metric, ...] = (
        Metric(EDIT, summary="Edit similarity of the texts: 1 minus the share of characters to change."),
    )
    #: False: both texts are bounded, and so is the time.
    in_worker: bool = False

    def applies(self, sample: Scorable) -> bool:
        """Return whether there is a text to compare with."""
        return sample.truth is not None

    def score(self, sample: Scorable) -> MetricValues:
        """Return the similarity of the two texts; a rendering without a text has the empty one."""
        return MetricValues({EDIT: edit_similarity(sample.text or "", sample.truth or "", self.profile)})


EDIT_TEX, EDIT_NORMAL = "edit_tex", "edit_normal"


@dataclass(frozen=True, slots=True)
class TexEditScorer(Scorer):
    """Compares LaTeX by its tokens, and by those of its normal form (:mod:`i2s_sdk.text.tex_tokens`)."""

    #: Name as the manifest calls it.
    name: str = EDIT_TEX
    #: Version of the metrics.
    version: str = "1"
    #: ``edit_tex`` and ``edit_normal``.
    metrics: tuple[Metric, ...] = (
        Metric(EDIT_TEX, summary="Edit similarity of the tokens that TeX reads, as they are written."),
        Metric(
            EDIT_NORMAL,
            summary="Edit similarity of the tokens of TeX in a normal form, whichever way it is written.",
        ),
    )
    #: True: the time grows with the product of both lengths.
    in_worker: bool = True

    def applies(self, sample: Scorable) -> bool:
        """Return whether there is a text to compare with."""
        return sample.truth is not None

    def score(self, sample: Scorable) -> MetricValues:
        """Return both similarities; a rendering without a text has the empty one."""
        texts = sample.text or "", sample.truth or ""
        return MetricValues(
            {
                EDIT_TEX: token_similarity(*map(tex_tokens, texts)),
                EDIT_NORMAL: token_similarity(*map(normal_tex_tokens, texts)),
            }
        )
