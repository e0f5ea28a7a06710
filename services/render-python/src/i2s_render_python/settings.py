"""The settings of this service."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import ClassVar

from pydantic import ByteSize, Field

from i2s_chassis.limits import Limits
from i2s_chassis.warm.program import ForkingRendererSettings

_KIB = 1024
_MIB = 1024 * 1024
_FONTS = (
    "/usr/share/fonts/truetype/noto/NotoNaskhArabic-*.ttf",
    "/usr/share/fonts/truetype/wqy/*.ttc",
    "/usr/share/fonts/truetype/liberation/*.ttf",
)


class PythonSettings(ForkingRendererSettings):
    """The settings of the figure renderer."""

    service: ClassVar[str] = "render-python"
    port: ClassVar[int] = 7750

    # The kernel counts processes by user, and zygotes stay: no other service's jobs should be the same users.
    jail_uid_base: int = Field(
        54_560, ge=1, le=2**31, description="Started as root: first of the user ids that jobs run as."
    )
    limit: Limits = Limits(cpu_seconds=30.0, wall_seconds=90.0, processes=64)
    program_bytes: ByteSize = Field(ByteSize(1 * _MIB), ge=1 * _KIB, description="Greatest program.")
    beside_bytes: ByteSize = Field(
        ByteSize(16 * _MIB), ge=1 * _KIB, description="Greatest of the files beside a program."
    )
    beside_files: int = Field(256, ge=0, le=10_000, description="Most files beside a program.")
    objects_bytes: ByteSize = Field(
        ByteSize(4 * _MIB), ge=1 * _KIB, description="Greatest description of the objects of a figure."
    )
    fonts: tuple[str, ...] = Field(
        _FONTS,
        description="Patterns of font files that programs find beside those of matplotlib; text that has no "
        "glyph in the first font takes it from these, in their order.",
    )
    clock: datetime = Field(
        datetime(2024, 1, 1, tzinfo=UTC),
        description="The time of day of all programs, so that equal programs draw equal pictures.",
    )
    warm_memory_bytes: ByteSize = Field(
        ByteSize(768 * _MIB), ge=64 * _MIB, description="Room for a warm process, beside the limit of a job."
    )

    def readable_by_jobs(self) -> tuple[Path, ...]:
        """Return the interpreter, the libraries, and the folder with what of ours runs in a job."""
        from i2s_render_python.installation import readable_paths

        return readable_paths()
