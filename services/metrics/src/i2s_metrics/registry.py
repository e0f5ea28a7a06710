"""The metrics, over the definitions in ``functional``: their names, profiles, versions and bounds."""

from __future__ import annotations

import difflib
import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import ClassVar

from i2s_metrics.errors import UnknownMetricError
from i2s_metrics.functional.arrays import RgbArray
from i2s_metrics.functional.ems import HELM, PAPER, EarthMover, Reference, Rules, earth_mover_similarity
from i2s_metrics.functional.feature_similarity import (
    check_leaderboard_range,
    cis_input,
    cis_input_of_leaderboard,
    cis_similarity,
    lpips_input,
    lpips_similarity,
)
from i2s_metrics.functional.pixel import pixel_row_similarity, pixel_similarity
from i2s_metrics.functional.ssim import check_leaderboard_size, structural_similarity
from i2s_metrics.images import Pair
from i2s_metrics.model import Inputs, MetricValue, Network, NetworkComparison
from i2s_wire.metrics.profile import Profile
from i2s_wire.metrics.score import Direction, SizePolicy
from i2s_wire.metrics.summaries import SUMMARIES

#: What the leaderboard records if a metric fails.
_LEADERBOARD_FAILURE = MetricValue(0.0)


class ImageMetric(ABC):
    """A definition with what one must know to use its values."""

    #: Name as callers ask for it.
    name: ClassVar[str]
    #: One sentence.
    summary: ClassVar[str]
    #: Where the definition comes from.
    source: ClassVar[str]
    #: Version of the definition here; values of different versions do not compare.
    version: ClassVar[str]
    #: Rule books that it belongs to.
    profiles: ClassVar[frozenset[Profile]]
    #: Whether higher or lower values are better.
    direction: ClassVar[Direction] = Direction.HIGHER_IS_BETTER
    #: Least possible value; infinite if there is no bound.
    lower_bound: ClassVar[float] = 0.0
    #: Greatest possible value.
    upper_bound: ClassVar[float] = 1.0
    #: Whether exchanging two images of one size changes nothing.
    symmetric: ClassVar[bool]
    #: How images of different size are made comparable, whatever a request says of it; None as it says.
    size_policy: ClassVar[SizePolicy | None] = None
    #: The metric whose definition it shares, and whose value it has for images of one size.
    same_as: ClassVar[str] = ""
    #: Names of the intermediate values that come with it.
    parts: ClassVar[tuple[str, ...]] = ()
    #: The neural network that it needs, if any.
    network: ClassVar[Network | None] = None
    #: What the rule book records if ``compute`` raises; None for a failure.
    undefined_value: ClassVar[MetricValue | None] = None

    @abstractmethod
    def compute(self, pair: Pair) -> MetricValue | Inputs:
        """Return the value for a pair, or what a network has to compare for it.

        Raises:
            UndefinedError: The metric has no value for it.
        """

    def value_of(self, answer: float) -> MetricValue:
        """Return the value that follows from what the network answered; for metrics that need one.

        Raises:
            UndefinedError: None follows.
        """
        raise NotImplementedError(f"{self.name} needs no network")


class _EarthMoverSimilarity(ImageMetric):
    name = "ems"
    symmetric = False
    parts = ("block_emd", "denominator")
    rules: ClassVar[Rules]

    def compute(self, pair: Pair) -> MetricValue:
        """Return the similarity with the two distances that it is the ratio of."""
        reference = pair.of_reference(
            f"ems/{type(self.rules).__name__}", lambda image: Reference.of(image, self.rules)
        )
        return _value(earth_mover_similarity(pair.prediction, reference, self.rules))


class PaperEarthMoverSimilarity(_EarthMoverSimilarity):
    """EMS in [0, 1], relative to the larger of the distances from black and from white."""

    summary = SUMMARIES[Profile.PAPER]["ems"]
    source = "Image2Struct, section 2.2, equations 3 and 4; patches after HELM at commit 63754d05"
    version = "2"
    profiles = frozenset({Profile.PAPER})
    rules = PAPER


class ScaledEarthMoverSimilarity(PaperEarthMoverSimilarity):
    """EMS of the prediction in the size of the reference: a right answer in another size is near 1."""

    name = "ems_scaled"
    summary = SUMMARIES[Profile.PAPER]["ems_scaled"]
    source = "this project: ems with the size policy of web pages"
    same_as = "ems"
    size_policy = SizePolicy.RESIZE


class HelmEarthMoverSimilarity(_EarthMoverSimilarity):
    """EMS of the leaderboard: not clipped, and 0 if its program fails."""

    summary = SUMMARIES[Profile.HELM]["ems"]
    source = "HELM at commit 63754d05, white background recognised (as with AVX-512 kernels)"
    version = "2"
    profiles = frozenset({Profile.HELM})
    lower_bound = -math.inf
    rules = HELM
    undefined_value = MetricValue(0.0, {"block_emd": 0.0})  # for both of the leaderboard's columns


def _value(result: EarthMover) -> MetricValue:
    return MetricValue(result.value, {"block_emd": result.block_emd, "denominator": result.denominator})


class PaperPixelSimilarity(ImageMetric):
    """Pixel similarity by the definition of the paper."""

    name = "pixel"
    summary = SUMMARIES[Profile.PAPER]["pixel"]
    source = "Image2Struct, appendix A, equation 5 and the paragraph after it"
    version = "1"
    profiles = frozenset({Profile.PAPER})
    symmetric = True

    def compute(self, pair: Pair) -> MetricValue:
        """Return the share of agreeing pixels."""
        return MetricValue(pixel_similarity(pair.prediction, pair.reference))


class HelmPixelSimilarity(ImageMetric):
    """Over rows of the grey image, as on the leaderboard."""

    name = "pixel"
    summary = SUMMARIES[Profile.HELM]["pixel"]
    source = "HELM at commit 63754d05"
    version = "1"
    profiles = frozenset({Profile.HELM})
    symmetric = False
    undefined_value = _LEADERBOARD_FAILURE

    def compute(self, pair: Pair) -> MetricValue:
        """Return the share of matching rows."""
        return MetricValue(pixel_row_similarity(pair.prediction_grey, pair.reference_grey))


class ExactMatch(ImageMetric):
    """Whether the prediction equals the reference; its mean is the share of exact matches."""

    name = "exact"
    summary = SUMMARIES[Profile.PAPER]["exact"]
    source = "this project: pixel = 1 at equal size"
    version = "1"
    profiles = frozenset({Profile.PAPER})
    symmetric = True

    def compute(self, pair: Pair) -> MetricValue:
        """Return 1 or 0."""
        return MetricValue(float(pair.same_size and pixel_similarity(pair.prediction, pair.reference) == 1))


class PaperStructuralSimilarity(ImageMetric):
    """SSIM of the grey images, moved to [0, 1]; the window fits into every image."""

    name = "ssim"
    summary = SUMMARIES[Profile.PAPER]["ssim"]
    source = "Image2Struct, appendix A; scikit-image structural_similarity with its defaults, data range 255"
    version = "2"
    profiles = frozenset({Profile.PAPER})
    symmetric = True

    def compute(self, pair: Pair) -> MetricValue:
        """Return (s + 1) / 2."""
        return MetricValue(structural_similarity(pair.prediction_grey, pair.reference_grey))


class ScaledStructuralSimilarity(PaperStructuralSimilarity):
    """SSIM of the prediction in the size of the reference."""

    name = "ssim_scaled"
    summary = SUMMARIES[Profile.PAPER]["ssim_scaled"]
    source = "this project: ssim with the size policy of web pages"
    symmetric = False
    same_as = "ssim"
    size_policy = SizePolicy.RESIZE


class HelmStructuralSimilarity(PaperStructuralSimilarity):
    """The same, but 0 for images smaller than the window."""

    source = "HELM at commit 63754d05"
    version = "1"
    profiles = frozenset({Profile.HELM})
    undefined_value = _LEADERBOARD_FAILURE

    def compute(self, pair: Pair) -> MetricValue:
        """Return (s + 1) / 2.

        Raises:
            UndefinedError: A side is shorter than the window.
        """
        check_leaderboard_size(pair.reference_grey)
        return super().compute(pair)


class PaperLearnedPerceptualSimilarity(ImageMetric):
    """1 - LPIPS."""

    name = "lpips"
    summary = SUMMARIES[Profile.PAPER]["lpips"]
    source = "Image2Struct, appendix A; R. Zhang et al. 2018, equation 1, VGG16 with linear weights v0.1"
    version = "1"
    profiles = frozenset({Profile.PAPER})
    # Features are unit vectors without negative entries, so that one layer's distance is at most the sum of
    # its two greatest linear weights; over the five layers these come to 5.444.
    lower_bound = -4.444
    symmetric = True
    network = Network.VGG16

    def compute(self, pair: Pair) -> Inputs:
        """Return both images in the size of the network."""
        reference = pair.of_reference("lpips", lpips_input)
        prediction = lpips_input(pair.prediction)
        return Inputs(NetworkComparison.LPIPS, prediction.tobytes(), reference.tobytes())

    def value_of(self, answer: float) -> MetricValue:
        """Return 1 minus the distance that the network answered."""
        return MetricValue(lpips_similarity(answer))


class HelmLearnedPerceptualSimilarity(PaperLearnedPerceptualSimilarity):
    """The same, but 0 wherever a pixel is darker than mid-grey, which is nearly everywhere."""

    summary = SUMMARIES[Profile.HELM]["lpips"]
    source = "HELM at commit 63754d05"
    profiles = frozenset({Profile.HELM})
    undefined_value = _LEADERBOARD_FAILURE

    def compute(self, pair: Pair) -> Inputs:
        """Return both images in the size of the network.

        Raises:
            UndefinedError: One of them has a dark pixel.
        """
        check_leaderboard_range(lpips_input(pair.prediction))
        check_leaderboard_range(lpips_input(pair.reference))
        return super().compute(pair)


class _InceptionSimilarity(ImageMetric):
    name = "cis"
    version = "1"
    symmetric = True
    network = Network.INCEPTION
    comparison: ClassVar[NetworkComparison]

    @staticmethod
    @abstractmethod
    def input_of(image: RgbArray) -> RgbArray:
        """Return an image as the network takes it."""

    def compute(self, pair: Pair) -> Inputs:
        """Return both images in the size of the network."""
        kept = f"{self.name}/{self.comparison}"
        reference = pair.of_reference(kept, self.input_of)
        prediction = self.input_of(pair.prediction)
        return Inputs(self.comparison, prediction.tobytes(), reference.tobytes())

    def value_of(self, answer: float) -> MetricValue:
        """Return (1 + cos) / 2 of the cosine that the network answered."""
        return MetricValue(cis_similarity(answer))


class PaperInceptionSimilarity(_InceptionSimilarity):
    """Cosine of the values of the penultimate layer."""

    summary = SUMMARIES[Profile.PAPER]["cis"]
    source = "Image2Struct, section 2.2, equation 1"
    profiles = frozenset({Profile.PAPER})
    comparison = NetworkComparison.POOL

    @staticmethod
    def input_of(image: RgbArray) -> RgbArray:
        """Return the whole image in the size of the network."""
        return cis_input(image)


class HelmInceptionSimilarity(_InceptionSimilarity):
    """Cosine of the class scores of the central square, as on the leaderboard."""

    summary = SUMMARIES[Profile.HELM]["cis"]
    source = "HELM at commit 63754d05"
    profiles = frozenset({Profile.HELM})
    comparison = NetworkComparison.LOGITS
    undefined_value = _LEADERBOARD_FAILURE

    @staticmethod
    def input_of(image: RgbArray) -> RgbArray:
        """Return the central square in the size of the network."""
        return cis_input_of_leaderboard(image)


#: Networks that cannot be run here, each with the reason and what would make it run.
Missing = Mapping[Network, str]

#: Every metric, in the order in which they are listed; one name a profile.
METRICS: tuple[ImageMetric, ...] = (
    PaperEarthMoverSimilarity(),
    HelmEarthMoverSimilarity(),
    PaperPixelSimilarity(),
    HelmPixelSimilarity(),
    ExactMatch(),
    PaperStructuralSimilarity(),
    HelmStructuralSimilarity(),
    PaperLearnedPerceptualSimilarity(),
    HelmLearnedPerceptualSimilarity(),
    PaperInceptionSimilarity(),
    HelmInceptionSimilarity(),
    ScaledEarthMoverSimilarity(),
    ScaledStructuralSimilarity(),
)

_BY_NAME = {(metric.name, profile): metric for metric in METRICS for profile in metric.profiles}


def find(name: str, profile: Profile) -> ImageMetric:
    """Return a metric.

    Raises:
        UnknownMetricError: The profile has none of this name.
    """
    metric = _BY_NAME.get((name, profile))
    if metric is None:
        raise UnknownMetricError(_unknown(name, profile))
    return metric


def reason_against(metric: ImageMetric, missing: Missing) -> str:
    """Return why a metric cannot be computed here, and what would change that; empty if it can."""
    if metric.network is None or metric.network not in missing:
        return ""
    return f"{metric.name} {missing[metric.network]}"


def available(profile: Profile, missing: Missing) -> tuple[str, ...]:
    """Return the names of what can be computed, in the order of ``METRICS``."""
    return tuple(name for name in names(profile) if not reason_against(find(name, profile), missing))


def names(profile: Profile) -> tuple[str, ...]:
    """Return all names that a profile has."""
    return tuple(metric.name for metric in METRICS if profile in metric.profiles)


def choose(wanted: Sequence[str], profile: Profile, missing: Missing) -> tuple[str, ...]:
    """Return the names to compute: those wanted, or what is available if none is.

    Raises:
        UnknownMetricError: A name is unknown or stands twice.
    """
    for place, name in enumerate(wanted):
        find(name, profile)
        if name in wanted[:place]:
            raise UnknownMetricError(f"{name} stands twice; name each metric once")
    return tuple(wanted) or available(profile, missing)


def _unknown(name: str, profile: Profile) -> str:
    known = names(profile)
    near = difflib.get_close_matches(name.lower(), known, n=1)
    hint = f"; did you mean {near[0]}" if near else ""
    return f"no metric is called {name[:40]!r}{hint} (known: {', '.join(known)})"
