"""Making the published networks ready on a device, and proving that they compute what they should."""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor

from i2s_metrics.errors import WeightsError
from i2s_metrics.model import Comparison, Network
from i2s_metrics.networks import arrays
from i2s_metrics.networks.canary import check_known_distance, greatest_error
from i2s_metrics.networks.devices import choose_device, describe, prepare
from i2s_metrics.networks.features import FeatureNetwork
from i2s_metrics.networks.files import heads_file
from i2s_metrics.networks.host_settings import HostSettings
from i2s_metrics.networks.inception import InceptionNetwork, inception_v3
from i2s_metrics.networks.messages import Description
from i2s_metrics.networks.runner import Runner
from i2s_metrics.networks.vgg import PerceptualNetwork, vgg16_layers
from i2s_metrics.networks.weights_file import WeightsFile

#: Half precision is used only where no comparison of the canary moves by more.
MOST_HALF_ERROR = 1e-3


def load_networks(settings: HostSettings) -> tuple[Runner, Description]:
    """Return what answers batches, and what it runs on.

    Raises:
        DeviceError: The device wanted is not there.
        WeightsError: A file of weights cannot be used, or does not give a known distance.
    """
    device = choose_device(settings.device)
    prepare(device, settings.threads, settings.device_bytes)
    states = {network: _state(file) for network, file in settings.weights.items()}

    def made(dtype: torch.dtype) -> Mapping[Network, FeatureNetwork]:
        return {network: make_network(network, state, device, dtype) for network, state in states.items()}

    networks, precision = made(torch.float32), "float32"
    if Network.VGG16 in networks:
        check_known_distance(networks[Network.VGG16], device)
    if settings.precision == "half":
        # Processors have fast arithmetic for bfloat16 alone.
        half = torch.float16 if device.type == "cuda" else torch.bfloat16
        reduced = made(half)
        error = max(greatest_error(comparison, networks, reduced, device) for comparison in Comparison)
        name = str(half).removeprefix("torch.")
        precision = f"float32, because {name} has errors of {error:.1e}"
        if error < MOST_HALF_ERROR:
            networks, precision = reduced, f"{name}, with errors of at most {error:.1e}"
    return Runner(networks, device, settings.feature_bytes), Description(describe(device), precision)


def make_network(
    network: Network, state: Mapping[str, Tensor], device: torch.device, dtype: torch.dtype
) -> FeatureNetwork:
    """Return a network with weights, on a device."""
    if network is Network.INCEPTION:
        return InceptionNetwork(inception_v3(state).to(device), dtype)
    heads = torch.load(heads_file(), weights_only=True, map_location=device)
    weights = [heads[f"lin{number}.model.1.weight"] for number in range(5)]
    return PerceptualNetwork(vgg16_layers(state).to(device), weights, dtype)


def _state(file: WeightsFile) -> Mapping[str, Tensor]:
    if file.path.suffix == ".npz":
        return {name: torch.from_numpy(array) for name, array in arrays.read(file).items()}
    try:
        with file.open() as opened:
            state: Mapping[str, Tensor] = torch.load(opened, weights_only=True, map_location="cpu")
    except Exception as error:  # Damaged archives raise nearly anything.
        raise WeightsError(f"{file} cannot be loaded: {error}") from error
    return state
