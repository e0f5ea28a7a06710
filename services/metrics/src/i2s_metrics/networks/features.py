"""What networks make of pictures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import torch
from torch import Tensor

from i2s_metrics.model import Comparison


@dataclass(frozen=True, slots=True)
class Features:
    """What a network made of one picture: tensors of any shapes, always the same ones for one comparison."""

    layers: tuple[Tensor, ...]

    @property
    def nbytes(self) -> int:
        """Bytes of all tensors."""
        return sum(layer.nbytes for layer in self.layers)

    def detached(self) -> Features:
        """Return a copy that does not hold the memory of the batch that these are a part of."""
        return Features(tuple(layer.clone() for layer in self.layers))


class FeatureNetwork(Protocol):
    """A network and the way in which its features are compared."""

    def features(self, pictures: Tensor, comparison: Comparison) -> list[Features]:
        """Return the features of each picture.

        Args:
            pictures: Shape (n, 3, side, side), float32 in [0, 1], on the device of the network.
            comparison: What they shall be compared by.
        """

    def compare(self, one: Features, other: Features) -> Tensor:
        """Return one number, shape (), float32 or float64; symmetric."""


@dataclass(frozen=True, slots=True)
class Normalisation:
    """Moves levels to the range that a network was trained with: (x - shift) / scale, channel by channel."""

    shift: Sequence[float]
    scale: Sequence[float]

    def __call__(self, pictures: Tensor) -> Tensor:
        """Return the pictures, of shape (n, channels, height, width), in that range."""
        shift, scale = (
            torch.tensor(tuple(values), dtype=pictures.dtype, device=pictures.device).view(1, -1, 1, 1)
            for values in (self.shift, self.scale)
        )
        return (pictures - shift) / scale


#: What torchvision's published networks were trained with.
IMAGENET = Normalisation((0.485, 0.456, 0.406), (0.229, 0.224, 0.225))
