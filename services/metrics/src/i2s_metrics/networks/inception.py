"""Inception v3: vectors, and the cosine between them."""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor, nn

from i2s_metrics.model import Comparison
from i2s_metrics.networks.features import IMAGENET, Features, Normalisation
from i2s_metrics.networks.torchvision_operators import declare_missing_operators

#: What the published weights were trained with.
_TRAINED = Normalisation((0.5, 0.5, 0.5), (0.5, 0.5, 0.5))


class InceptionNetwork:
    """Inception v3 for two comparisons.

    POOL (profile ``paper``): the 2048 values after the last pooling. Pictures are normalised by ImageNet's
    mean and deviation, and the network turns that into the range that its weights were trained with, as
    torchvision has it for these weights (``transform_input``): [-1, 1]. LOGITS (profile ``helm``): the 1000
    class scores; the leaderboard's program switched that second step off.

    Args:
        network: ``inception_v3(transform_input=False)``, in evaluation mode.
        dtype: Type that the network is computed with.
    """

    def __init__(self, network: nn.Module, dtype: torch.dtype = torch.float32) -> None:
        self._network, self._dtype = network.to(dtype), dtype
        self._pooled: Tensor | None = None
        pooling = network.get_submodule("avgpool")
        pooling.register_forward_hook(self._keep)

    def features(self, pictures: Tensor, comparison: Comparison) -> list[Features]:
        """Return one vector for each picture."""
        normalise = _TRAINED if comparison is Comparison.POOL else IMAGENET
        logits: Tensor = self._network(normalise(pictures).to(self._dtype))
        pooled, self._pooled = self._pooled, None
        vectors = pooled.flatten(1) if comparison is Comparison.POOL and pooled is not None else logits
        return [Features((vector,)) for vector in vectors.float()]

    def compare(self, one: Features, other: Features) -> Tensor:
        """Return the cosine of the angle between the vectors; not a number if one is zero."""
        a, b = one.layers[0].double(), other.layers[0].double()
        cosine: Tensor = a @ b / (a.norm() * b.norm())
        return cosine

    def _keep(self, _module: nn.Module, _inputs: object, output: Tensor) -> None:
        self._pooled = output


def inception_v3(state: Mapping[str, Tensor]) -> nn.Module:
    """Return torchvision's Inception v3 with weights, for inputs that are normalised already."""
    declare_missing_operators()
    from torchvision.models import inception

    with torch.device("meta"):  # without memory and without random numbers: the weights come from the file
        network = inception.inception_v3(weights=None, init_weights=False, transform_input=False)
    network.load_state_dict(dict(state), assign=True)
    module: nn.Module = network.eval().requires_grad_(False)
    return module
