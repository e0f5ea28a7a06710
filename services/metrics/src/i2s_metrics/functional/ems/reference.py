"""What Earth Mover Similarity needs to know of a reference, and can keep between predictions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from i2s_metrics.functional.arrays import RgbArray
from i2s_metrics.functional.colours import ModalColour, modal_colour
from i2s_metrics.functional.ems.inner import LEVELS, contents_of, transport_costs
from i2s_metrics.functional.ems.outer import common_mass, transport
from i2s_metrics.functional.ems.patches import PatchSet
from i2s_metrics.functional.ems.resample import resample, target_size
from i2s_metrics.functional.ems.rules import Rules


@dataclass(frozen=True, slots=True)
class Reference:
    """A reference picture, made ready.

    Attributes:
        shape: Shape of the picture: height, width, 3.
        size: Width and height at which pictures are compared with it.
        background: The most frequent colour at that size.
        patches: Patches of the picture.
        denominator: Its distance from a picture of one colour; of several that the rules take, the largest.
    """

    shape: tuple[int, int, int]
    size: tuple[int, int]
    background: ModalColour
    patches: PatchSet
    denominator: float

    @classmethod
    def of(cls, picture: RgbArray, rules: Rules) -> Reference:
        """Make a reference ready.

        Args:
            picture: Shape (height, width, 3), at least one pixel.
            rules: Rules of the profile.

        Raises:
            UndefinedError: The metric is not defined for a picture of this shape.
        """
        height, width, channels = picture.shape
        size = target_size(width, height, rules)
        reduced = resample(picture, size)
        background = modal_colour(reduced)
        patches = PatchSet.of(reduced, background.rgb, rules)
        levels = rules.blank_levels(picture)
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
    """Return the largest transport cost between pictures of one colour and the reference.

    Args:
        levels: Levels of the pictures of one colour, 0 for black and 255 for white.
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
    """Return the transport cost between each of several pictures of one colour and the reference.

    All pixels of such a picture, padding included, are equal, and so are its patches. Moving one of
    them to patch j of the reference costs d_j and the distance of the positions. With equal weights w
    on both sides every plan costs at least the sum of w_j d_j, and leaving each patch in its place
    costs exactly that, so no outer problem has to be solved.

    The pixels of such a patch have one grey and one weight, so every inner plan pays the same for
    differences of grey, and its distances do not depend on that grey: d_j is solved for the first
    picture, and for another it differs by what the differences of grey cost.
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
