"""Earth Mover Similarity by each other rule of the paper or the released code than profile ``paper`` has."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import numpy as np
from scipy.spatial.distance import cdist

from benchmarks.departures.sets import RECORDED, Pair, exchanged, picture, recorded_pairs, references
from benchmarks.departures.size import Count, Found, size
from benchmarks.harness.command import say
from i2s_metrics.functional.arrays import BoolArray, FloatArray, RgbArray
from i2s_metrics.functional.colours import ModalColour, modal_colour
from i2s_metrics.functional.ems.outer import transport, without_shared_background
from i2s_metrics.functional.ems.patches import PatchSet, resample, target_size
from i2s_metrics.functional.ems.rules import HELM, PAPER, PaperRules, Rules
from i2s_metrics.functional.ems.similarity import position_scale
from i2s_metrics.images import equalise

_MOST_PIXELS = 25_000_000
_GRID = (64, 64)


class _DominantColour(PaperRules):
    """One image of one colour, chosen as the released code chooses it."""

    def blank_levels(self, reference: RgbArray) -> tuple[int, ...]:
        return HELM.blank_levels(reference)


class _CityBlock(PaperRules):
    """Distances of positions as in the released code."""

    def position_distances(self, a: FloatArray, b: FloatArray) -> FloatArray:
        return np.asarray(cdist(a, b, "cityblock"), np.float64)


class _EqualWeights(PaperRules):
    """No background: every pixel and every patch has the same weight, and nothing is dropped."""

    def background_pixels(self, rgb: RgbArray, colour: tuple[int, int, int]) -> BoolArray:
        del colour
        return np.zeros(rgb.shape[:-1], bool)


class _NoTolerance(PaperRules):
    """A pixel is background only if its grey is that of the background."""

    _half_level = 0


@dataclass(frozen=True, slots=True)
class Variant:
    """A rule in place of that of profile ``paper``."""

    point: str  #: What the rule is about.
    name: str  #: The rule.
    rules: Rules  #: Grey, background, distances, one-colour images.
    factor: bool = True  #: Whether positions are multiplied by 8/(W' + H').
    #: Size in pixels at which images are compared; None takes at most 100 patches.
    grid: tuple[int, int] | None = None
    clips: bool = True  #: Whether the result is clipped to [0, 1].


BY_PAPER = Variant("", "profile paper", PAPER)
VARIANTS = (
    Variant(
        "equation 4, larger distance", "one colour chosen by the dominant one, as helm", _DominantColour()
    ),
    Variant("equation 3, Euclidean distance", "L1 distance, as helm", _CityBlock()),
    Variant("equation 3, no factor", "positions as shares of the sides, no factor", PAPER, factor=False),
    Variant("8 x 8 patches in an image", "images of 64 x 64 pixels", PAPER, grid=_GRID),
    Variant("equation 2, equal weights", "no smaller weight for background", _EqualWeights()),
    Variant("tolerance of half a level", "no tolerance", _NoTolerance()),
    Variant("clipping to [0, 1]", "no clipping", PAPER, clips=False),
    Variant(
        "equations 2 and 3 and the patches, word for word",
        "equal weights, no factor, 64 x 64",
        _EqualWeights(),
        factor=False,
        grid=_GRID,
    ),
)


@dataclass(frozen=True, slots=True)
class _Ready:
    """What a variant needs to know of a reference."""

    size: tuple[int, int]
    background: ModalColour
    patches: PatchSet
    denominator: float


def similarity(variant: Variant, prediction: RgbArray, ready: _Ready) -> float:
    """Return the similarity of a prediction, of the size of the reference, by the rules of a variant."""
    if ready.denominator == 0:
        raise ValueError("the reference has one colour, which both black and white have no distance from")
    predicted = PatchSet.of(resample(prediction, ready.size), ready.background.rgb, variant.rules)
    expected = ready.patches
    if ready.background.share > 0.5:
        predicted, expected = without_shared_background(predicted, expected)
    value = 1 - transport(predicted, expected, _scale(variant, ready.size), variant.rules) / ready.denominator
    return min(max(value, 0.0), 1.0) if variant.clips else value


def ready(variant: Variant, reference: RgbArray) -> _Ready:
    """Make a reference ready for a variant: each one-colour image is moved to it in full."""
    height, width, _ = reference.shape
    target = variant.grid or target_size(width, height, variant.rules)
    reduced = resample(reference, target)
    background = modal_colour(reduced)
    patches = PatchSet.of(reduced, background.rgb, variant.rules)
    blanks = [np.full_like(reduced, level) for level in variant.rules.blank_levels(reference)]
    scale = _scale(variant, target)
    distances = [
        transport(PatchSet.of(blank, background.rgb, variant.rules), patches, scale, variant.rules)
        for blank in blanks
    ]
    return _Ready(target, background, patches, max(distances))


def _scale(variant: Variant, size: tuple[int, int]) -> float:
    return position_scale(size) if variant.factor else 1.0


def values(variant: Variant, pairs: Sequence[Pair]) -> list[float]:
    """Return the similarities of all pairs."""
    kept: dict[bytes, _Ready] = {}
    found = []
    for pair in pairs:
        prediction, reference = equalise(pair.prediction, pair.reference, pair.policy, _MOST_PIXELS)
        key = repr(reference.shape).encode() + reference.tobytes()
        if key not in kept:
            if len(kept) > 24:  # references are padded to many sizes
                kept.clear()
            kept[key] = ready(variant, reference)
        found.append(similarity(variant, prediction, kept[key]))
    return found


def measure() -> list[Found]:
    """Return the size of every departure of Earth Mover Similarity, over three sets of pairs."""
    sets = {
        RECORDED: recorded_pairs(),
        "132 exchanged pages": exchanged("webpage", 11),
        "33 exchanged scores": exchanged("music", 3),
        "68 exchanged LaTeX images": exchanged("latex", 4),
    }
    found: list[Found] = []
    for name, pairs in sets.items():
        say(f"ems: {name}, profile paper")
        before = values(BY_PAPER, pairs)
        for variant in VARIANTS:
            say(f"ems: {name}, {variant.name}")
            others = values(variant, pairs)
            found.append(size(variant.point, variant.name, name, "ems", before, others))
    return [*found, *denominators()]


def denominators() -> list[Found]:
    """Return for how many references equation 4 has another denominator than the released code's choice."""
    images = {
        "40 bundled references": [
            one for task in ("latex", "webpage", "music") for _, one in references(task)
        ],
        f"references of the {RECORDED}, padded": [
            equalise(pair.prediction, pair.reference, pair.policy, _MOST_PIXELS)[1]
            for pair in recorded_pairs()
        ],
    }
    return [_denominators(name, some) for name, some in images.items()]


def denominators_of(folder: Path) -> list[Found]:
    """Return the same for the PNG files of a folder, such as the references of a data set."""
    images = [picture(path) for path in sorted(folder.glob("*.png"))]
    return [_denominators(f"{len(images)} images of a folder", images)] if images else []


def _denominators(name: str, images: Sequence[RgbArray]) -> Count:
    chosen = VARIANTS[0]
    ratios = [ready(BY_PAPER, image).denominator / ready(chosen, image).denominator for image in images]
    larger = [ratio for ratio in ratios if ratio > 1]
    numbers = {"references": float(len(ratios)), "larger": float(len(larger))}
    if larger:
        numbers |= {"least ratio": min(larger), "median ratio": median(larger), "greatest ratio": max(larger)}
    return Count("equation 4, denominator", name, numbers)
