"""Arrays out of a pickle, without letting it do anything."""

from __future__ import annotations

import io
import math
import pickle
from collections.abc import Mapping
from typing import TypeAlias

import numpy as np

from i2s_metrics.errors import WeightsError
from i2s_metrics.networks.arrays import FloatWeights

#: A dictionary of such dictionaries, with arrays at the leaves.
Tree: TypeAlias = Mapping[str, "Tree | FloatWeights"]

_ITEM_BYTES = 4


def load_arrays(data: bytes) -> Tree:
    """Return the nested dictionaries of float32 arrays that a pickle holds.

    A pickle is a program. This one can name the three things that make an array in NumPy's pickles, and gets
    inert stand-ins for them: nothing of NumPy, and nothing else that exists, is called while it is read.
    What is not a little-endian float32 array in C order, in dictionaries with text for keys, is refused.

    Args:
        data: The pickle.

    Raises:
        WeightsError: It names something else, or holds something else.
    """
    try:
        held = _Unpickler(io.BytesIO(data)).load()
    except WeightsError:
        raise
    except Exception as error:  # A hostile stream can make the machine of pickle raise nearly anything.
        raise WeightsError(f"not a pickle of arrays: {error!r}"[:300]) from error
    if not isinstance(held, dict):
        raise WeightsError(f"the pickle holds a {type(held).__name__} and no dictionary")
    return _tree(held)


class _Kind:
    """Stands in for ``numpy.dtype``: remembers what it was told."""

    def __init__(self, *told: object) -> None:
        self.name = told[0] if told else None
        self.order: object = None

    def __setstate__(self, state: object) -> None:
        if isinstance(state, tuple) and len(state) > 1:
            self.order = state[1]


class _Array:
    """Stands in for an array under construction: remembers what it was told."""

    state: object = None

    def __setstate__(self, state: object) -> None:
        self.state = state

    def array(self) -> FloatWeights:
        match self.state:
            case (1, tuple() as shape, _Kind(name="f4", order="<"), False, bytes() as raw):
                pass
            case _:
                raise WeightsError("the pickle holds an array that is not float32 in C order")
        if not all(isinstance(side, int) and side >= 0 for side in shape):
            raise WeightsError("the pickle holds an array without a shape")
        if math.prod(shape) * _ITEM_BYTES != len(raw):
            raise WeightsError("the pickle holds an array that does not fill its shape")
        return np.frombuffer(raw, "<f4").reshape(shape).astype(np.float32)


class _ArrayType:
    """Stands in for ``numpy.ndarray``; never called."""


def _reconstruct(*_: object) -> _Array:
    return _Array()


_ALLOWED: Mapping[tuple[str, str], object] = {
    ("numpy.core.multiarray", "_reconstruct"): _reconstruct,
    ("numpy._core.multiarray", "_reconstruct"): _reconstruct,
    ("numpy", "ndarray"): _ArrayType,
    ("numpy", "dtype"): _Kind,
}


class _Unpickler(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> object:
        """Return a stand-in; everything else does not exist for this pickle."""
        allowed = _ALLOWED.get((module, name))
        if allowed is None:
            raise WeightsError(
                f"the pickle asks for {module}.{name}, which arrays do not need; it was not loaded"
            )
        return allowed

    def persistent_load(self, pid: object) -> object:
        """Refuse references to anything outside of the pickle."""
        raise WeightsError("the pickle refers to something outside of itself")


def _tree(held: dict[object, object]) -> Tree:
    tree: dict[str, Tree | FloatWeights] = {}
    for name, value in held.items():
        if not isinstance(name, str):
            raise WeightsError("the pickle holds a key that is no text")
        if isinstance(value, dict):
            tree[name] = _tree(value)
        elif isinstance(value, _Array):
            tree[name] = value.array()
        else:
            raise WeightsError(f"the pickle holds a {type(value).__name__} where an array belongs")
    return tree
