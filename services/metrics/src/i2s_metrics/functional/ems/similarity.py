"""Step 8 of Earth Mover Similarity: the ratio that is the metric, and the kept values of a reference."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from i2s_metrics.errors import UndefinedError
from i2s_metrics.functional.arrays import RgbArray
from i2s_metrics.functional.colours import ModalColour, modal_colour
from i2s_metrics.functional.ems.inner import LEVELS, contents_of, transport_costs
from i2s_metrics.functional.ems.outer import common_mass, transport, without_shared_background
from i2s_metrics.functional.ems.patches import PatchSet, resample, target_size
from i2s_metrics.functional.ems.rules import Rules


@dataclass(frozen=True, slots=True)
class Reference:
    """A reference image, made ready."""

    #: Shape of the image: height, width, 3.
    shape: tuple[int, int, int]
    #: Width and height at which images are compared with it.
    size: tuple[int, int]
    #: The most frequent colour at that size.
    background: ModalColour
    #: Patches of the image.
    patches: PatchSet
    #: Its distance from an image of one colour; of several that the rules take, the largest.
    denominator: float

    @classmethod
    def of(cls, image: RgbArray, rules: Rules) -> Reference:
        """Make a reference ready.

        Args:
            image: Shape (height, width, 3), at least one pixel.
            rules: Rules of the profile.

        Raises:
            UndefinedError: The metric is not defined for an image of this shape.
        """
        height, width, channels = image.shape
        size = target_size(width, height, rules)
        reduced = resample(image, size)
        background = modal_colour(reduced)
        patches = PatchSet.of(reduced, background.rgb, rules)
        levels = rules.blank_levels(image)
        denominator = _distance_from_blank(levels, reduced, background.rgb, patches, rules)
        return cls((height, width, channels), size, background, patches, denominator)

    @property
    def nbytes(self) -> int:
        """Bytes that this holds, nearly all of them in arrays."""
        arrays = (self.patches.grey, self.patches.background, self.patches.mass, self.patches.position)
        return sum(array.nbytes for array in arrays)


def position_scale(size: tuple[int, int]) -> float:
    """Return what a distance of one in patch position costs at this width and height."""
    return 8 / (size[0] + size[1])


def _distance_from_blank(
    levels: tuple[int, ...], reduced: RgbArray, colour: tuple[int, int, int], patches: PatchSet, rules: Rules
) -> float:
    """Return the largest transport cost between images of one colour and the reference.

    Args:
        levels: Levels of the images of one colour, 0 for black and 255 for white.
        reduced: The reference at the size of the comparison.
        colour: Its most frequent colour.
        patches: Its patches.
        rules: Rules of the profile.
    """
    height, width, _ = reduced.shape
    blanks = [PatchSet.of(np.full_like(reduced, level), colour, rules) for level in levels]
    # Patches that reach over the edge are padded with the background, so that those of a blank may differ.
    uniform = [blank for blank in blanks if (blank.grey == blank.grey[0, 0]).all()]
    others = [blank for blank in blanks if not (blank.grey == blank.grey[0, 0]).all()]
    scale = position_scale((width, height))
    distances = [transport(blank, patches, scale, rules) for blank in others]
    return max(distances + _distances_in_place(uniform, patches))


def _distances_in_place(blanks: Sequence[PatchSet], patches: PatchSet) -> list[float]:
    """Return the transport cost between each of several images of one colour and the reference.

    All pixels of such an image, padding included, are equal, and so are its patches. Moving one of
    them to patch j of the reference costs d_j and the distance of the positions. With equal weights w
    on both sides every plan costs at least the sum of w_j d_j, and leaving each patch in its place
    costs exactly that, so no outer problem has to be solved.

    The pixels of such a patch have one grey and one weight, so every inner plan pays the same for
    differences of grey, and its distances do not depend on that grey: d_j is solved for the first
    image, and for another it differs by what the differences of grey cost.
    """
    if not blanks:
        return []
    contents, index = contents_of(patches)
    weight = contents.mass / contents.mass.sum(axis=1, keepdims=True)
    grey = contents.level / LEVELS
    first, _ = contents_of(blanks[0])
    pairs = np.stack([np.zeros(len(grey), np.int64), np.arange(len(grey))], axis=1)
    costs = transport_costs(first, contents, pairs)
    distances = []
    for blank in blanks:
        change = np.abs(grey - blank.grey[0, 0]) - np.abs(grey - blanks[0].grey[0, 0])
        mass = common_mass(blank, patches)
        distances.append(float(mass @ (costs + (weight * change).sum(axis=1))[index] / mass.sum()))
    return distances


#: Share of the background above which patches that are background in both images are dropped.
_MOSTLY = 0.5


@dataclass(frozen=True, slots=True)
class EarthMover:
    """Earth Mover Similarity and what it is made of."""

    #: 1 - block_emd / denominator, within the range of the rules.
    value: float
    #: Distance of the prediction from the reference.
    block_emd: float
    #: Distance of an image of one colour from the reference: in ``paper`` the larger of the distances of
    #: black and white.
    denominator: float


def earth_mover_similarity(prediction: RgbArray, reference: RgbArray | Reference, rules: Rules) -> EarthMover:
    """Compare two images by what it costs to move the patches of one to those of the other.

    Args:
        prediction: Shape (height, width, 3), at least one pixel.
        reference: The same shape, or an image of that shape made ready with the same rules.
        rules: ``PAPER`` (result in [0, 1]) or ``HELM`` (at most 1, without lower bound).

    Returns:
        The similarity, 1 for equal images. Not symmetric: background, weights and denominator
        are the reference's.

    Raises:
        UndefinedError: The metric is not defined for images of this shape.
        ValueError: The shapes differ.

    Source:
        Image2Struct, section 2.2, equations 3 and 4; patch size, scale of positions, weights and background
        after HELM at commit 63754d05, which the published values come from.
    """
    ready = reference if isinstance(reference, Reference) else Reference.of(reference, rules)
    if prediction.shape != ready.shape:
        raise ValueError(f"prediction of shape {prediction.shape}, reference of shape {ready.shape}")
    block_emd = _block_emd(prediction, ready, rules)
    value = _ratio(block_emd, ready.denominator)
    if rules.clips:
        value = min(max(value, 0.0), 1.0)
    return EarthMover(value, block_emd, ready.denominator)


def _block_emd(prediction: RgbArray, reference: Reference, rules: Rules) -> float:
    reduced = resample(prediction, reference.size)
    ours = PatchSet.of(reduced, reference.background.rgb, rules)
    theirs = reference.patches
    if reference.background.share > _MOSTLY:
        ours, theirs = without_shared_background(ours, theirs)
    return transport(ours, theirs, position_scale(reference.size), rules)


def _ratio(block_emd: float, denominator: float) -> float:
    if denominator > 0:
        return 1 - block_emd / denominator
    if block_emd == 0:
        return 1.0
    raise UndefinedError("ems divides by the distance of the reference from one colour, which is 0 here")
