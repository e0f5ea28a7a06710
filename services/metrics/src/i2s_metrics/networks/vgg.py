"""LPIPS: distances between the features of VGG16."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import torch
from torch import Tensor, nn

from i2s_metrics.model import Comparison
from i2s_metrics.networks.features import Features, Normalisation
from i2s_metrics.networks.torchvision_operators import declare_missing_operators

#: Layers of torchvision's VGG16 after which features are taken: the last ReLU before each pooling.
_TAPS = (4, 9, 16, 23, 30)
#: Shift and scale of the reference implementation, for levels in [-1, 1].
_LPIPS = Normalisation((-0.030, -0.088, -0.188), (0.458, 0.448, 0.450))
_EPSILON = 1e-10


class PerceptualNetwork:
    """VGG16's convolutions and the linear weights of LPIPS v0.1.

    The distance of two pictures is the sum over five layers of the mean over places of Σ_c w_c (a_c - b_c)²,
    where a and b are the features of a place, scaled to unit length.

    Args:
        layers: ``vgg16().features``, in evaluation mode.
        weights: The linear weights w of each of the five layers.
        dtype: Type that convolutions are computed with, and features kept in.

    Source:
        R. Zhang et al., "The unreasonable effectiveness of deep features as a perceptual metric", 2018,
        equation 1; package lpips 0.1.4.
    """

    def __init__(
        self, layers: nn.Sequential, weights: Sequence[Tensor], dtype: torch.dtype = torch.float32
    ) -> None:
        starts = (0, *_TAPS[:-1])
        self._slices = [layers[start:end].to(dtype) for start, end in zip(starts, _TAPS, strict=True)]
        self._weights = [weight.flatten().float() for weight in weights]
        self._dtype = dtype

    def features(self, pictures: Tensor, comparison: Comparison) -> list[Features]:
        """Return five tensors of shape (channels, height, width) for each picture, of unit length."""
        state = _LPIPS(2 * pictures - 1).to(self._dtype)
        layers = []
        for part in self._slices:
            state = part(state)
            layers.append(_unit(state))
        return [Features(tuple(layer[place] for layer in layers)) for place in range(len(pictures))]

    def compare(self, one: Features, other: Features) -> Tensor:
        """Return the distance."""
        distance = torch.zeros((), device=self._weights[0].device)
        for weight, a, b in zip(self._weights, one.layers, other.layers, strict=True):
            difference = (a.float() - b.float()).square_().flatten(1)
            distance = distance + (weight @ difference).mean()
        return distance


def vgg16_layers(state: Mapping[str, Tensor]) -> nn.Sequential:
    """Return ``vgg16().features`` with weights.

    Args:
        state: State with ``features.0.weight`` and so on; those of the classifier are left aside.
    """
    declare_missing_operators()
    from torchvision.models import vgg

    with torch.device("meta"):  # without memory and without random numbers: the weights come from the file
        layers: nn.Sequential = vgg.make_layers(vgg.cfgs["D"], batch_norm=False)
    prefix = "features."
    convolutions = {
        name.removeprefix(prefix): value for name, value in state.items() if name.startswith(prefix)
    }
    layers.load_state_dict(convolutions, assign=True)
    layers.eval().requires_grad_(False)
    return layers


def _unit(features: Tensor) -> Tensor:
    wide = features.float()
    return (wide / (wide.square().sum(1, keepdim=True).sqrt() + _EPSILON)).to(features.dtype)
