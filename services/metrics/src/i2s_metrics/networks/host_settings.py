"""The settings of the process that runs the networks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from i2s_metrics.error_output import LOG_BYTES
from i2s_metrics.model import Network
from i2s_metrics.networks.weights_file import WeightsFile

Precision = Literal["float32", "half"]


@dataclass(frozen=True, slots=True)
class HostSettings:
    """What the process needs to know.

    Attributes:
        weights: The file of each network.
        device: "auto", "cpu", "cuda" or "cuda:N".
        precision: The precision that is asked for.
        threads: Number of threads on processors.
        batch_size: Pairs that are compared at once.
        batch_wait_seconds: What the first pair of a batch waits for others at most.
        feature_bytes: What may be kept of references.
        device_bytes: What may be taken of a GPU's memory; None is all of it.
        confined: Whether the process confines itself.
        log_bytes: Bytes of its standard error that are logged in each minute.
    """

    weights: Mapping[Network, WeightsFile]
    device: str = "auto"
    precision: Precision = "float32"
    threads: int = 1
    batch_size: int = 8
    batch_wait_seconds: float = 0.005
    feature_bytes: int = 256 * 1024 * 1024
    device_bytes: int | None = None
    confined: bool = True
    log_bytes: int = LOG_BYTES

    @property
    def descriptors(self) -> tuple[int, ...]:
        """Open files that the process needs once it is confined."""
        return tuple(file.descriptor for file in self.weights.values() if file.descriptor is not None)
