"""Published networks: fetched, loaded on a device, and proven to compute what they should."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from i2s_metrics.errors import DeviceError, WeightsError
from i2s_metrics.model import Network, NetworkComparison
from i2s_metrics.networks import arrays
from i2s_metrics.networks.feature_networks import (
    FeatureNetwork,
    InceptionNetwork,
    PerceptualNetwork,
    declare_missing_operators,
    inception_v3,
    vgg16_layers,
)
from i2s_metrics.networks.files import PUBLISHED, heads_file
from i2s_metrics.networks.messages import Description, HostSettings
from i2s_metrics.networks.runner import NetworkRunner
from i2s_metrics.networks.weights_file import WeightsFile


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


def choose_device(wanted: str) -> torch.device:
    """Return the device.

    Args:
        wanted: "cpu", "cuda", "cuda:N", or "auto": the first GPU if there is one.

    Raises:
        DeviceError: There is none of that name.
    """
    if wanted == "cpu" or (wanted == "auto" and not torch.cuda.is_available()):
        return torch.device("cpu")
    device = torch.device("cuda" if wanted == "auto" else wanted)
    count = torch.cuda.device_count() if torch.cuda.is_available() else 0
    if (device.index or 0) >= count:
        raise DeviceError(
            f"--device {wanted}: this PyTorch ({torch.__version__}) sees {count} GPUs; use --device cpu"
        )
    return torch.device("cuda", device.index or 0)


def prepare(device: torch.device, threads: int, most_bytes: int | None) -> None:
    """Set what holds for the whole process: threads, memory, reproducible arithmetic.

    Args:
        device: The device that will be used.
        threads: Number of threads on processors.
        most_bytes: Maximum use of a GPU's memory, in bytes; None for all of it.
    """
    torch.set_num_threads(threads)
    torch.backends.cuda.matmul.allow_tf32 = False
    torch.backends.cudnn.allow_tf32 = False
    torch.backends.cudnn.benchmark = False
    torch.backends.cudnn.deterministic = True
    if device.type == "cuda" and most_bytes is not None:
        _, total = torch.cuda.mem_get_info(device)
        torch.cuda.set_per_process_memory_fraction(min(1.0, most_bytes / total), device)


def describe(device: torch.device) -> str:
    """Return the device for people: "cpu", or "cuda:0 (name)"."""
    if device.type == "cpu":
        return "cpu"
    return f"{device} ({torch.cuda.get_device_name(device)})"


#: LPIPS of the first two drawn images, by the package lpips 0.1.4 with torchvision's weights of VGG16.
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
    """Return the distance between the first two drawn images."""
    with torch.inference_mode():
        one, other = network.features(
            drawn_pictures(NetworkComparison.LPIPS.side)[:2].to(device), NetworkComparison.LPIPS
        )
        return float(network.compare(one, other))


def check_known_distance(network: FeatureNetwork, device: torch.device) -> None:
    """Compare two drawn images.

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
    comparison: NetworkComparison,
    exact: Mapping[Network, FeatureNetwork],
    reduced: Mapping[Network, FeatureNetwork],
    device: torch.device,
) -> float:
    """Return by how much comparisons of all drawn images differ at most between two precisions.

    Infinite if the reduced one overflows; 0 if the network is not there.
    """
    if comparison.network not in exact:
        return 0.0
    images = drawn_pictures(comparison.side).to(device)
    errors = [0.0]
    with torch.inference_mode():
        of = [networks[comparison.network] for networks in (exact, reduced)]
        features = [network.features(images, comparison) for network in of]
        for i in range(len(images)):
            for j in range(i):
                values = [float(n.compare(f[i], f[j])) for n, f in zip(of, features, strict=True)]
                errors.append(abs(values[0] - values[1]))
    return max(errors) if all(np.isfinite(errors)) else float("inf")


#: Half precision is used only where no comparison of the canary moves by more.
MOST_HALF_ERROR = 1e-3


def load_networks(settings: HostSettings) -> tuple[NetworkRunner, Description]:
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
        error = max(greatest_error(comparison, networks, reduced, device) for comparison in NetworkComparison)
        name = str(half).removeprefix("torch.")
        precision = f"float32, because {name} has errors of {error:.1e}"
        if error < MOST_HALF_ERROR:
            networks, precision = reduced, f"{name}, with errors of at most {error:.1e}"
    return NetworkRunner(networks, device, settings.feature_bytes), Description(describe(device), precision)


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
