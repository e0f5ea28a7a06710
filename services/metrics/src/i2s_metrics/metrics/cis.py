"""Cosine similarity between Inception vectors."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar

from i2s_metrics.functional.arrays import RgbArray
from i2s_metrics.functional.cis import cis_input, cis_input_of_leaderboard, cis_similarity
from i2s_metrics.metrics.base import Metric
from i2s_metrics.model import Comparison, Inputs, Network, Value
from i2s_metrics.pair import Pair
from i2s_wire.metrics.profile import Profile


class _InceptionSimilarity(Metric):
    name = "cis"
    version = "1"
    symmetric = True
    network = Network.INCEPTION
    comparison: ClassVar[Comparison]

    @staticmethod
    @abstractmethod
    def input_of(picture: RgbArray) -> RgbArray:
        """Return a picture as the network takes it."""

    def compute(self, pair: Pair) -> Inputs:
        """Return both pictures in the size of the network."""
        kept = f"{self.name}/{self.comparison}"
        reference = pair.of_reference(kept, self.input_of)
        prediction = self.input_of(pair.prediction)
        return Inputs(self.comparison, prediction.tobytes(), reference.tobytes())

    def value_of(self, answer: float) -> Value:
        """Return (1 + cos) / 2 of the cosine that the network answered."""
        return Value(cis_similarity(answer))


class PaperInceptionSimilarity(_InceptionSimilarity):
    """Cosine of the values of the penultimate layer."""

    summary = "Cosine of the 2048 penultimate values of Inception v3, as (1 + cos) / 2."
    source = "Image2Struct, section 2.2, equation 1"
    profiles = frozenset({Profile.PAPER})
    comparison = Comparison.POOL

    @staticmethod
    def input_of(picture: RgbArray) -> RgbArray:
        """Return the whole picture in the size of the network."""
        return cis_input(picture)


class HelmInceptionSimilarity(_InceptionSimilarity):
    """Cosine of the class scores of the central square, as on the leaderboard."""

    summary = "Cosine of the 1000 class scores of Inception v3 for the central square, as (1 + cos) / 2."
    source = "HELM at commit 63754d05"
    profiles = frozenset({Profile.HELM})
    comparison = Comparison.LOGITS

    @staticmethod
    def input_of(picture: RgbArray) -> RgbArray:
        """Return the central square in the size of the network."""
        return cis_input_of_leaderboard(picture)

    def undefined_value(self) -> Value:
        """Return 0, as the leaderboard records a failure."""
        return Value(0.0)
