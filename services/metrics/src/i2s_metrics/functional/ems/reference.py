"""What Earth Mover Similarity needs to know of a reference, and can keep between predictions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from i2s_metrics.functional.arrays import RgbArray
from i2s_metrics.functional.colours import ModalColour, modal_colour
from i2s_metrics.functional.ems.inner import contents_of, transport_costs
from i2s_metrics.functional.ems.outer import common_mass, transport
from i2s_metrics.functional.ems.patches import PatchSet
from i2s_metrics.functional.ems.resample import resample, target_size
from i2s_metrics.functional.ems.rules import Rules, luma

#: References darker than this, in thousandths of a grey level, are compared with white.
_DARK = 127_000


@dataclass(frozen=True, slots=True)
class Reference:
    """A reference picture, made ready.

    Attributes:
        shape: Of the picture: height, width, 3.
        size: Width and height at which pictures are compared with it.
        background: The most frequent colour at that size.
        patches: Of the picture.
        denominator: Its distance from a picture of one colour, black or white.
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
            rules: Of the profile.

        Raises:
            UndefinedError: The metric is not defined for a picture of this shape.
        """
        height, width, channels = picture.shape
        size = target_size(width, height, rules)
        reduced = resample(picture, size)
        background = modal_colour(reduced)
        patches = PatchSet.of(reduced, background.rgb, rules)
        blank = np.full_like(reduced, _opposite(picture))
        denominator = _distance_from_blank(PatchSet.of(blank, background.rgb, rules), patches, size)
        return cls((height, width, channels), size, background, patches, denominator)

    @property
    def nbytes(self) -> int:
        """Bytes that this holds, nearly all of them in arrays."""
        arrays = (self.patches.grey, self.patches.background, self.patches.mass, self.patches.position)
        return sum(array.nbytes for array in arrays)


def position_scale(size: tuple[int, int]) -> float:
    """Return what a distance of one in patch position costs at this width and height."""
    return 8 / (size[0] + size[1])


def _opposite(picture: RgbArray) -> int:
    """Return the level of the one-colour picture of step 8: 255 for dark references, else 0."""
    colour = modal_colour(picture).rgb
    return 255 if luma(np.array(colour, np.uint8)) < _DARK else 0


def _distance_from_blank(blank: PatchSet, patches: PatchSet, size: tuple[int, int]) -> float:
    """Return the transport cost between a one-colour picture and the reference.

    Where all patches of the one-colour picture are equal, moving one of them to patch j of the
    reference costs d_j and the distance of the positions. With equal weights w on both sides
    every plan costs at least the sum of w_j d_j, and leaving each patch in its place costs just
    that, so no outer problem has to be solved. Patches that reach over the edge of the picture
    are padded with the background and differ; then the general way is taken.
    """
    contents, _ = contents_of(blank)
    if len(contents.level) > 1:
        return transport(blank, patches, position_scale(size))
    others, index = contents_of(patches)
    pairs = np.stack([np.zeros(len(others.level), np.int64), np.arange(len(others.level))], axis=1)
    costs = transport_costs(contents, others, pairs)
    mass = common_mass(blank, patches)
    return float(mass @ costs[index] / mass.sum())
