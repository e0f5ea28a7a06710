"""The settings of the metric service."""

from __future__ import annotations

from typing import ClassVar

from pydantic import ByteSize, Field

from i2s_chassis.settings import ServiceSettings

_MIB = 1024 * 1024
#: Pillow refuses pictures of twice its own limit whatever we say.
_PILLOW_PIXELS = 178_956_970


class MetricsSettings(ServiceSettings):
    """What an operator can choose."""

    service: ClassVar[str] = "metrics"
    port: ClassVar[int] = 7740

    max_image_pixels: int = Field(
        25_000_000,
        ge=1,
        le=_PILLOW_PIXELS,
        description="Width times height of a picture, and of the size that both get.",
    )
    max_image_bytes: ByteSize = Field(
        ByteSize(16 * _MIB), ge=64, le=512 * _MIB, description="Greatest encoded picture, such as 16MiB."
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
