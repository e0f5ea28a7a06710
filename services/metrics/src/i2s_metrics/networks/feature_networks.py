"""The networks whose features are compared: VGG16 for LPIPS, and Inception v3."""

from __future__ import annotations

import importlib.machinery
import importlib.util
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import torch
from torch import Tensor, nn

from i2s_metrics.model import NetworkComparison

#: Operators that torchvision's Python code describes while it is imported, and that its compiled extension
#: implements. No network here uses them.
_SCHEMAS = {
    "nms": "nms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor",
    "qnms": "qnms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor",
}
#: A declaration holds as long as its library object.
_declared: list[torch.library.Library] = []


def declare_missing_operators() -> None:
    """Declare the operators without which ``import torchvision`` fails, if they are missing.

    torchvision's wheels are built for CUDA. Beside a CPU build of torch their extension does not load, its
    operators are not there, and the import ends in "operator torchvision::nms does not exist". Calling one
    of them still fails. If the extension loads, nothing is done.
    """
    if _declared or _extension_loads():
        return
    for schema in _SCHEMAS.values():
        library = torch.library.Library("torchvision", "FRAGMENT")  # type: ignore[no-untyped-call]
        library.define(schema)  # type: ignore[no-untyped-call]
        _declared.append(library)


def _extension_loads() -> bool:
    spec = importlib.util.find_spec("torchvision")
    for folder in (spec.submodule_search_locations or []) if spec else []:
        finder = importlib.machinery.FileFinder(
            folder, (importlib.machinery.ExtensionFileLoader, importlib.machinery.EXTENSION_SUFFIXES)
        )
        extension = finder.find_spec("_C")
        if extension is not None and extension.origin is not None:
            try:
                torch.ops.load_library(extension.origin)  # type: ignore[no-untyped-call]
            except OSError:
                return False
            return all(hasattr(torch.ops.torchvision, name) for name in _SCHEMAS)
    return False


@dataclass(frozen=True, slots=True)
class Features:
    """The features of one image: tensors of any shapes, always the same ones for one comparison."""

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

    def features(self, images: Tensor, comparison: NetworkComparison) -> list[Features]:
        """Return the features of each image.

        Args:
            images: Shape (n, 3, side, side), float32 in [0, 1], on the device of the network.
            comparison: What they shall be compared by.
        """

    def compare(self, one: Features, other: Features) -> Tensor:
        """Return one number, shape (), float32 or float64; symmetric."""


@dataclass(frozen=True, slots=True)
class Normalisation:
    """Moves levels to the range that a network was trained with: (x - shift) / scale, channel by channel."""

    shift: Sequence[float]
    scale: Sequence[float]

    def __call__(self, images: Tensor) -> Tensor:
        """Return the images, of shape (n, channels, height, width), in that range."""
        shift, scale = (
            torch.tensor(tuple(values), dtype=images.dtype, device=images.device).view(1, -1, 1, 1)
            for values in (self.shift, self.scale)
        )
        return (images - shift) / scale


#: What torchvision's published networks were trained with.
IMAGENET = Normalisation((0.485, 0.456, 0.406), (0.229, 0.224, 0.225))


#: Layers of torchvision's VGG16 after which features are taken: the last ReLU before each pooling.
_TAPS = (4, 9, 16, 23, 30)
#: Shift and scale of the reference implementation, for levels in [-1, 1].
_LPIPS = Normalisation((-0.030, -0.088, -0.188), (0.458, 0.448, 0.450))
_EPSILON = 1e-10


class PerceptualNetwork:
    """VGG16's convolutions and the linear weights of LPIPS v0.1.

    The distance of two images is the sum over five layers of the mean over places of Σ_c w_c (a_c - b_c)²,
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

    def features(self, images: Tensor, comparison: NetworkComparison) -> list[Features]:
        """Return five tensors of shape (channels, height, width) for each image, of unit length."""
        state = _LPIPS(2 * images - 1).to(self._dtype)
        layers = []
        for part in self._slices:
            state = part(state)
            layers.append(_unit(state))
        return [Features(tuple(layer[place] for layer in layers)) for place in range(len(images))]

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


#: What the published weights were trained with.
_TRAINED = Normalisation((0.5, 0.5, 0.5), (0.5, 0.5, 0.5))


class InceptionNetwork:
    """Inception v3 for two comparisons.

    POOL (profile ``paper``): the 2048 values after the last pooling. Images are normalised by ImageNet's
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

    def features(self, images: Tensor, comparison: NetworkComparison) -> list[Features]:
        """Return one vector for each image."""
        normalise = _TRAINED if comparison is NetworkComparison.POOL else IMAGENET
        logits: Tensor = self._network(normalise(images).to(self._dtype))
        pooled, self._pooled = self._pooled, None
        vectors = pooled.flatten(1) if comparison is NetworkComparison.POOL and pooled is not None else logits
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
