"""The settings of a renderer whose jobs are forked from warm processes."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from pydantic import ByteSize, Field

from i2s_chassis.limits import Limits
from i2s_chassis.renderer import RendererSettings
from i2s_chassis.warm.program import WarmSettings

_MIB = 1024 * 1024


class ForkingRendererSettings(RendererSettings):
    """Base of their settings."""

    warm: Literal["auto", "zygote", "single-use"] = Field(
        "auto",
        description="zygote: jobs are forked from an engine that stands ready; single-use: each starts "
        "its own; auto: zygote where its self-test passes.",
    )
    warm_jobs: int = Field(100, ge=1, description="Jobs after which a warm process is replaced.")
    warm_spare: int = Field(
        1, ge=0, le=100, description="Warm processes beyond one for each slot, so that none is waited for."
    )
    warm_memory_bytes: ByteSize = Field(
        ByteSize(256 * _MIB), ge=64 * _MIB, description="Room for a warm process, beside the limit of a job."
    )
    warm_start_seconds: float = Field(
        30.0, gt=0, description="CPU seconds that a warm process may take to get ready."
    )

    def cells(self) -> tuple[Limits, ...]:
        """Return the limits of cells with warm processes."""
        return tuple(replace(self.warm_settings(), limits=each).cell() for each in (self.limit, self.max))

    def warm_settings(self) -> WarmSettings:
        """Return what an operator has decided about warm processes."""
        return WarmSettings(
            limits=self.limit_table().default,
            jobs=self.warm_jobs,
            memory_bytes=self.warm_memory_bytes,
            start_seconds=self.warm_start_seconds,
            spare=self.warm_spare,
        )
