"""Fetching published weights with torchvision's loader."""

from __future__ import annotations

from pathlib import Path

from i2s_metrics.errors import WeightsError
from i2s_metrics.model import Network
from i2s_metrics.networks.files import PUBLISHED
from i2s_metrics.networks.loading import load_published


def fetch(network: Network, hub_dir: Path) -> None:
    """Have torchvision's loader put the weights of a network into its cache, checked by their SHA-256.

    Raises:
        WeightsError: They cannot be had, or are damaged.
    """
    try:
        load_published(network, hub_dir)
    except Exception as error:  # Anything that a network connection can do.
        raise WeightsError(f"{PUBLISHED[network].url} cannot be fetched: {error}") from error
