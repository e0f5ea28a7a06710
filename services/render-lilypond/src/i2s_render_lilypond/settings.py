"""The settings of this service."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Literal

from pydantic import ByteSize, Field

from i2s_chassis.limits import Limits
from i2s_chassis.renderer import RendererSettings

if TYPE_CHECKING:
    from i2s_render_lilypond.warm import WarmSettings

_KIB = 1024
_MIB = 1024 * 1024


class LilypondSettings(RendererSettings):
    """How the score renderer serves."""

    service: ClassVar[str] = "render-lilypond"
    port: ClassVar[int] = 7730

    # The kernel counts processes by user, and zygotes stay: no other service's jobs should be the same users.
    jail_uid_base: int = Field(
        52_512, ge=1, le=2**31, description="Started as root: first of the user ids that jobs run as."
    )
    # LilyPond and Ghostscript are one process each; more of them are soon more memory than a job has.
    limit: Limits = Limits(processes=12)
    lilypond: Path | None = Field(
        None,
        description="LilyPond's program. Default: of the Python package lilypond, else on the path.",
    )
    score_bytes: ByteSize = Field(ByteSize(1 * _MIB), ge=1 * _KIB, description="Greatest score.")
    warm: Literal["auto", "zygote", "single-use"] = Field(
        "auto",
        description="zygote: jobs are forked from a LilyPond that stands ready; single-use: each starts "
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

    def readable_by_jobs(self) -> tuple[Path, ...]:
        """Return LilyPond's folder, and the one with what of ours runs in it."""
        from i2s_render_lilypond.installation import readable_folders

        return readable_folders(self.lilypond)

    def cells(self) -> tuple[Limits, ...]:
        """Return the limits of cells with warm programs and of those in which scores are converted."""
        from i2s_render_lilypond.converter import LOG_BYTES

        programs = (replace(self.warm_settings(), limits=each).cell() for each in (self.limit, self.max))
        return (*programs, replace(self.max, log_bytes=LOG_BYTES))

    def warm_settings(self) -> WarmSettings:
        """Return what an operator has decided about warm programs."""
        from i2s_render_lilypond.warm import WarmSettings

        return WarmSettings(
            limits=self.limit_table().default,
            jobs=self.warm_jobs,
            memory_bytes=self.warm_memory_bytes,
            start_seconds=self.warm_start_seconds,
            spare=self.warm_spare,
        )
