"""Fetching published weights with torchvision's loader."""

from __future__ import annotations

from pathlib import Path

import torch

from i2s_metrics.errors import WeightsError
from i2s_metrics.model import Network
from i2s_metrics.networks.files import PUBLISHED
from i2s_metrics.networks.torchvision_operators import declare_missing_operators


def fetch(network: Network, hub_dir: Path) -> None:
    """Have torchvision's loader put the weights of a network into its cache, checked by their SHA-256.

    Raises:
        WeightsError: They cannot be had, or are damaged.
    """
    declare_missing_operators()
    from torchvision import models

    torch.hub.set_dir(hub_dir)
    published = {
        Network.VGG16: models.VGG16_Weights.IMAGENET1K_V1,
        Network.INCEPTION: models.Inception_V3_Weights.IMAGENET1K_V1,
    }[network]
    try:
        published.get_state_dict(progress=False, check_hash=True, weights_only=True, map_location="cpu")
    except Exception as error:  # Anything that a network connection can do.
        raise WeightsError(f"{PUBLISHED[network].url} cannot be fetched: {error}") from error
