"""Networks with seeded weights, for the pipeline alone: their values mean nothing."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest

from i2s_metrics.model import Inputs, NetworkComparison

WITHOUT_TORCH = "the networks are an extra: pip install 'i2s-metrics[networks]'"


@pytest.fixture(scope="session")
def torch():
    found = pytest.importorskip("torch", reason=WITHOUT_TORCH)
    found.set_num_threads(1)  # threads that wait for each other take very long beside other work
    return found


@pytest.fixture(scope="session")
def vgg16_state(torch) -> Mapping:
    """Seeded convolutions under torchvision's names."""
    from vgg16.conversion import CONVOLUTIONS

    generator = torch.Generator().manual_seed(7)
    channels = [3, 64, 64, 128, 128, 256, 256, 256, 512, 512, 512, 512, 512, 512]
    state = {}
    for place, ins, outs in zip(CONVOLUTIONS, channels[:-1], channels[1:], strict=True):
        scale = (2 / (9 * ins)) ** 0.5
        state[f"features.{place}.weight"] = torch.randn(outs, ins, 3, 3, generator=generator) * scale
        state[f"features.{place}.bias"] = torch.randn(outs, generator=generator) * 0.1
    return state


@pytest.fixture(scope="session")
def inception(torch):
    """torchvision's Inception v3, seeded."""
    from i2s_metrics.networks.feature_networks import declare_missing_operators

    declare_missing_operators()
    from torchvision.models import inception_v3

    with torch.random.fork_rng():
        torch.manual_seed(11)
        return inception_v3(weights=None, init_weights=False, transform_input=False).eval()


@pytest.fixture
def drawn():
    """Pairs of seeded noise."""

    def make(comparison: NetworkComparison, seed: int = 0) -> Inputs:
        rng = np.random.default_rng(seed)
        return Inputs(comparison, rng.bytes(comparison.nbytes), rng.bytes(comparison.nbytes))

    return make
