"""Comparing batches of images, with the features of references kept."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import torch
from torch import Tensor

from i2s_metrics.bounded_cache import BoundedCache
from i2s_metrics.model import Inputs, Network, NetworkComparison
from i2s_metrics.networks.feature_networks import FeatureNetwork, Features

_Key = tuple[NetworkComparison, bytes]


class NetworkRunner:
    """Answers batches.

    Images of equal content are looked at once, in a batch and, as long as they are kept, between batches.
    So an image compared with itself is compared with the very same features.

    Args:
        networks: Networks that can be run.
        device: The device that they are on.
        feature_bytes: What may be kept of references.
    """

    def __init__(
        self, networks: Mapping[Network, FeatureNetwork], device: torch.device, feature_bytes: int
    ) -> None:
        self._networks, self._device = networks, device
        self._cache = BoundedCache(feature_bytes)

    def answer(self, batch: Sequence[Inputs]) -> list[float]:
        """Return one number for each pair: for LPIPS the distance, for the others the cosine.

        Args:
            batch: Any mixture of comparisons whose networks are there.
        """
        with torch.inference_mode():
            return self._halving(batch)

    def _halving(self, batch: Sequence[Inputs]) -> list[float]:
        try:
            return self._answer(batch)
        except torch.OutOfMemoryError:
            if len(batch) == 1:
                raise
            torch.cuda.empty_cache()
        middle = len(batch) // 2
        return self._halving(batch[:middle]) + self._halving(batch[middle:])

    def _answer(self, batch: Sequence[Inputs]) -> list[float]:
        pairs = [
            tuple(_key(inputs, image) for image in (inputs.prediction, inputs.reference)) for inputs in batch
        ]
        features = self._kept({reference for _, reference in pairs})
        wanted = {
            key: image
            for inputs, keys in zip(batch, pairs, strict=True)
            for key, image in zip(keys, (inputs.prediction, inputs.reference), strict=True)
            if key not in features
        }
        for comparison in NetworkComparison:
            features |= self._made(
                {key: data for key, data in wanted.items() if key[0] is comparison}, comparison
            )
        for _, reference in pairs:
            self._cache.get(reference, features[reference].detached)
        numbers = [
            self._networks[inputs.comparison.network].compare(features[prediction], features[reference])
            for inputs, (prediction, reference) in zip(batch, pairs, strict=True)
        ]
        return [float(number) for number in torch.stack([number.double() for number in numbers]).cpu()]

    def _kept(self, keys: set[_Key]) -> dict[_Key, Features]:
        held = {key: self._cache.find(key) for key in keys}
        return {key: features for key, features in held.items() if isinstance(features, Features)}

    def _made(self, images: Mapping[_Key, bytes], comparison: NetworkComparison) -> dict[_Key, Features]:
        if not images:
            return {}
        made = self._networks[comparison.network].features(
            self._tensor(images.values(), comparison), comparison
        )
        return dict(zip(images, made, strict=True))

    def _tensor(self, images: Iterable[bytes], comparison: NetworkComparison) -> Tensor:
        side = comparison.side
        stacked = np.stack([np.frombuffer(data, np.uint8).reshape(side, side, 3) for data in images])
        tensor = torch.from_numpy(stacked).to(self._device)
        return tensor.permute(0, 3, 1, 2).contiguous().float() / 255


def _key(inputs: Inputs, image: bytes) -> _Key:
    return inputs.comparison, hashlib.sha256(image).digest()
