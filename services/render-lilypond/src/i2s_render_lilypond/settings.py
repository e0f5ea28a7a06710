"""The settings of this service."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import ClassVar

from pydantic import ByteSize, Field

from i2s_chassis.limits import Limits
from i2s_chassis.warm.program import ForkingRendererSettings

_KIB = 1024
_MIB = 1024 * 1024


class LilypondSettings(ForkingRendererSettings):
    """The settings of the score renderer."""

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

    def readable_by_jobs(self) -> tuple[Path, ...]:
        """Return LilyPond's folder, and the one with what of ours runs in it."""
        from i2s_render_lilypond.installation import readable_folders

        return readable_folders(self.lilypond)

    def cells(self) -> tuple[Limits, ...]:
        """Return the limits of cells with warm programs and of those in which scores are converted."""
        from i2s_render_lilypond.converter import LOG_BYTES

        return (*super().cells(), replace(self.max, log_bytes=LOG_BYTES))
