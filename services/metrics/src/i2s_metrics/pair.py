"""Two pictures of one size, and what several metrics need of them."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TypeVar

import numpy as np
from PIL import Image

from i2s_metrics.bounded_cache import BoundedCache, SizedInBytes
from i2s_metrics.functional.arrays import GreyArray, RgbArray

T = TypeVar("T", bound=SizedInBytes)


class Pair:
    """A prediction and a reference of equal shape (height, width, 3).

    Args:
        prediction: What is judged.
        reference: What it is compared with.
        digest: SHA-256 of the encoded reference, its key in the cache.
        cache: Keeps what is made of references.
        same_size: Whether both had this size before a size policy changed any.
    """

    def __init__(
        self,
        prediction: RgbArray,
        reference: RgbArray,
        digest: str,
        cache: BoundedCache,
        *,
        same_size: bool = True,
    ) -> None:
        self.prediction, self.reference, self.same_size = prediction, reference, same_size
        self._digest, self._cache = digest, cache

    @cached_property
    def prediction_grey(self) -> GreyArray:
        """The prediction as Pillow's ``convert("L")`` has it, shape (height, width)."""
        return _grey(self.prediction)

    @cached_property
    def reference_grey(self) -> GreyArray:
        """The reference as Pillow's ``convert("L")`` has it, shape (height, width)."""
        return _grey(self.reference)

    def of_reference(self, what: str, make: Callable[[RgbArray], T]) -> T:
        """Return ``make(reference)``, kept from an earlier pair if there was one.

        Args:
            what: Names what is made; one name, one function.
            make: Depends on the reference picture alone.
        """
        # The size policy may have changed the picture that the digest names, but only its size.
        key = (what, self._digest, self.reference.shape)
        return self._cache.get(key, lambda: make(self.reference))


def _grey(picture: RgbArray) -> GreyArray:
    return np.asarray(Image.fromarray(picture).convert("L"))
