"""The settings of the metric service."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Literal, Self

from pydantic import ByteSize, Field, PrivateAttr, model_validator

from i2s_chassis.limits import DEFAULT_LIMITS, Limits
from i2s_chassis.server.configure import CommandSettings
from i2s_chassis.server.resources import usable_cpus
from i2s_chassis.server.settings import ServiceSettings
from i2s_metrics.networks.files import Places, open_candidates
from i2s_metrics.processes import LOG_BYTES

if TYPE_CHECKING:
    from i2s_chassis.jail import Jail

_MIB = 1024 * 1024
#: Pillow refuses images of twice its own limit whatever we say.
_PILLOW_PIXELS = 178_956_970
#: Maximum size of a request without its two images.
_OTHER_BYTES = 64 * 1024


def _cache() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or Path("~/.cache").expanduser())


def _weights_dir() -> Path:
    return _cache() / "i2s" / "weights"


def _hub_dir() -> Path:
    return Path(os.environ.get("TORCH_HOME") or _cache() / "torch") / "hub"


class MetricsSettings(ServiceSettings):
    """The settings of the metric service."""

    service: ClassVar[str] = "metrics"
    port: ClassVar[int] = 7740

    workers: int | None = Field(
        None, ge=1, le=4096, description="Processes that compare pictures. Unset: one for each slot."
    )
    max_image_pixels: int = Field(
        DEFAULT_LIMITS.pixels,
        ge=1,
        le=_PILLOW_PIXELS,
        description="Width times height of a picture, and of the size that both get. The default is that of "
        "renderers; clients ask renderers for no more than this.",
    )
    max_image_bytes: ByteSize = Field(
        ByteSize(DEFAULT_LIMITS.picture_bytes),
        ge=64,
        le=128 * _MIB,
        description="Greatest encoded picture, such as 16MiB; clients ask renderers for no more than this.",
    )
    max_request_bytes: ByteSize = Field(
        ByteSize(2 * DEFAULT_LIMITS.picture_bytes + _MIB),
        ge=1024,
        le=1024 * _MIB,
        description="Greatest request message; it holds two pictures.",
    )
    limit: Limits = Field(
        Limits(wall_seconds=120.0),
        description="Of a comparison the wall clock alone counts, less the time for which the machine keeps "
        "it waiting for a processor; the size of pictures bounds its work.",
    )
    max_jpeg_scans: int = Field(
        100, ge=1, le=1000, description="Scans of a JPEG file; each costs a decoder a pass over the picture."
    )
    reference_memory: ByteSize = Field(
        ByteSize(128 * _MIB), ge=0, description="What each worker keeps of references it has seen."
    )
    stream_memory: ByteSize = Field(
        ByteSize(64 * _MIB),
        ge=0,
        description="Encoded pictures that each stream keeps to be named by digest.",
    )
    jobs_per_worker: int = Field(
        10_000, ge=1, description="Comparisons after which a worker process is replaced."
    )
    worker_log: ByteSize = Field(
        ByteSize(LOG_BYTES),
        ge=0,
        description="What is logged each minute of the standard error of each worker process, and of the "
        "process of networks.",
    )
    weights_dir: Path = Field(
        default_factory=_weights_dir, description="Folder with the weights of networks (lpips, cis)."
    )
    hub_dir: Path = Field(
        default_factory=_hub_dir,
        description="Cache of torchvision's loader; weights are looked for in it, and never fetched.",
    )
    device: str = Field(
        "auto",
        pattern=r"^(auto|cpu|cuda(:\d{1,3})?)$",
        description="Where networks compute: cpu, cuda, cuda:1, or auto: the first GPU if there is one.",
    )
    device_memory: ByteSize | None = Field(
        None, ge=256 * _MIB, description="What networks may take of the GPU's memory. Unset: all of it."
    )
    precision: Literal["float32", "half"] = Field(
        "float32",
        description="Of networks. half: 16 bits if a test at the start shows errors below 0.001.",
    )
    batch_size: int = Field(8, ge=1, le=1024, description="Pairs that a network compares at once.")
    batch_wait_ms: float = Field(
        5.0, ge=0, le=30_000, description="What a pair waits for others to be compared at once with it."
    )
    feature_memory: ByteSize = Field(
        ByteSize(256 * _MIB),
        ge=0,
        description="What the networks keep of references they have seen; LPIPS needs 32MiB for each.",
    )
    torch_threads: int = Field(
        default_factory=usable_cpus,
        ge=1,
        le=1024,
        description="Threads of networks that compute on processors.",
    )
    network_patience_seconds: float = Field(
        120.0,
        ge=1,
        le=3600,
        description="Silence after which networks are taken for stuck and replaced, and time to load them, "
        "less that in which the machine keeps them waiting.",
    )
    confine_networks: bool = Field(
        True,
        description="Confine the process of networks too. Turn off only where a GPU does not work so.",
    )
    preload_networks: bool = Field(
        False,
        description="Load networks before serving; else at the first call that needs them. A GPU implies it.",
    )

    _opened: Mapping[Path, int] = PrivateAttr(default_factory=dict)

    @property
    def places(self) -> Places:
        """The folders in which weights are looked for."""
        return Places(self.weights_dir, self.hub_dir, self._opened)

    def start_privileged(self) -> Jail | None:
        """Open the files of weights, which the service's later user may not reach (in root's home)."""
        self._opened = open_candidates(self.places).opened
        return super().start_privileged()

    def folders_written(self) -> tuple[Path, ...]:
        """Return the folder that keeps compiled code."""
        return (self.default_folder(),)

    def folders_written_by_root(self) -> tuple[Path, ...]:
        """Return none: root keeps compiled code beside the source or in its own cache."""
        return ()

    @model_validator(mode="after")
    def _check_request(self) -> Self:
        least = 2 * self.max_image_bytes + _OTHER_BYTES
        if self.max_request_bytes < least:
            raise ValueError(
                f"--max-request-bytes {int(self.max_request_bytes)} does not hold two pictures of "
                f"--max-image-bytes {int(self.max_image_bytes)}; give at least {least}"
            )
        return self


class WeightsSettings(CommandSettings):
    """Options of ``i2s-metrics weights``."""

    service: ClassVar[str] = MetricsSettings.service

    weights_dir: Path = Field(
        default_factory=_weights_dir, description="Folder with the weights of networks (lpips, cis)."
    )
    hub_dir: Path = Field(default_factory=_hub_dir, description="Cache of torchvision's loader.")
    download: Literal["vgg16", "inception"] | None = Field(
        None, description="Weights that torchvision's loader shall fetch into its cache."
    )
