"""Weights as a file of plain arrays, known by their content."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from i2s_metrics.errors import WeightsError
from i2s_metrics.networks.weights_file import WeightsFile

FloatWeights: TypeAlias = NDArray[np.float32]
Arrays: TypeAlias = Mapping[str, FloatWeights]


def digest(arrays: Arrays) -> str:
    """Return the SHA-256 of names, shapes and values; the same for the same weights in any container."""
    sha256 = hashlib.sha256()
    for name in sorted(arrays):
        array = np.ascontiguousarray(arrays[name], "<f4")
        sha256.update(f"{name} {array.shape}\n".encode())
        sha256.update(array.data)
    return sha256.hexdigest()


def write(path: Path, arrays: Arrays) -> None:
    """Write arrays to an ``.npz`` file; it is there as a whole or not at all.

    Raises:
        WeightsError: It cannot be written.
    """
    partial = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with partial.open("wb") as file:
            np.savez(file, allow_pickle=False, **arrays)
        partial.replace(path)
    except OSError as error:
        raise WeightsError(
            f"{path} cannot be written: {error.strerror}; choose another --weights-dir"
        ) from error
    finally:
        partial.unlink(missing_ok=True)


def read(weights: WeightsFile) -> Arrays:
    """Return the arrays of an ``.npz`` file; nothing in it is ever unpickled.

    Raises:
        WeightsError: It cannot be read, or holds something else.
    """
    try:
        with weights.open() as opened, np.load(opened, allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
    except Exception as error:  # Damaged archives raise nearly anything.
        reason = error.strerror if isinstance(error, OSError) else error
        raise WeightsError(f"{weights.path.name} cannot be read: {reason}") from error
    if any(array.dtype != np.float32 for array in arrays.values()):
        raise WeightsError(f"{weights.path.name} holds something else than float32 arrays")
    return arrays
