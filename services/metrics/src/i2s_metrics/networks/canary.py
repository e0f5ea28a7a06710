"""Drawn pictures with known distances: they show whether weights and arithmetic are what they should be."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import torch
from torch import Tensor

from i2s_metrics.errors import WeightsError
from i2s_metrics.model import Comparison, Network
from i2s_metrics.networks.features import FeatureNetwork

#: LPIPS of the first two drawn pictures, by the package lpips 0.1.4 with torchvision's weights of VGG16.
KNOWN_DISTANCE = 0.117855
_TOLERANCE = 1e-3


def drawn_pictures(side: int) -> Tensor:
    """Return lines of text, the same moved, a gradient and noise.

    Returns:
        Shape (4, 3, side, side), float32 in [0, 1]; made of integers, so that they are the same everywhere.
    """
    y, x = np.mgrid[0:side, 0:side]
    text = np.where((y % 24 < 12) & ((x * x // 7 + (y // 12) * x) % 11 < 5), 20, 255)
    noise = (x * 7919 + y * 104729 + x * y * 31) % 256
    kinds = [text, np.roll(text, 3, axis=1), (x + y) * 255 // (2 * side), noise]
    stacked = np.stack([np.stack([kind, 255 - (255 - kind) // 2, kind]) for kind in kinds])
    return torch.from_numpy(stacked.astype(np.float32) / 255)


def known_distance(network: FeatureNetwork, device: torch.device) -> float:
    """Return the distance between the first two drawn pictures."""
    with torch.inference_mode():
        one, other = network.features(drawn_pictures(Comparison.LPIPS.side)[:2].to(device), Comparison.LPIPS)
        return float(network.compare(one, other))


def check_known_distance(network: FeatureNetwork, device: torch.device) -> None:
    """Compare two drawn pictures.

    Raises:
        WeightsError: Their distance is not the known one.
    """
    distance = known_distance(network, device)
    if not abs(distance - KNOWN_DISTANCE) <= _TOLERANCE:
        raise WeightsError(
            f"lpips of two known pictures is {distance:.4f} and not {KNOWN_DISTANCE:.4f}: the weights of "
            "VGG16 or the arithmetic of this machine are wrong; get the weights again, and reinstall torch"
        )


def greatest_error(
    comparison: Comparison,
    exact: Mapping[Network, FeatureNetwork],
    reduced: Mapping[Network, FeatureNetwork],
    device: torch.device,
) -> float:
    """Return by how much comparisons of all drawn pictures differ at most between two precisions.

    Infinite if the reduced one overflows; 0 if the network is not there.
    """
    if comparison.network not in exact:
        return 0.0
    pictures = drawn_pictures(comparison.side).to(device)
    errors = [0.0]
    with torch.inference_mode():
        of = [networks[comparison.network] for networks in (exact, reduced)]
        features = [network.features(pictures, comparison) for network in of]
        for i in range(len(pictures)):
            for j in range(i):
                values = [float(n.compare(f[i], f[j])) for n, f in zip(of, features, strict=True)]
                errors.append(abs(values[0] - values[1]))
    return max(errors) if all(np.isfinite(errors)) else float("inf")
