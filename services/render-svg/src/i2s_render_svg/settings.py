"""The settings of this service."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

from i2s_chassis.limits import Limits
from i2s_chassis.warm.program import WorkerSettings
from i2s_wire.renderers import RENDER_SVG

_FONTS = (
    "/usr/share/fonts/truetype/liberation/*.ttf",
    "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf",
    "/usr/share/fonts/truetype/noto/NotoNaskhArabic-*.ttf",
    "/usr/share/fonts/truetype/noto/NotoSans-*.ttf",
    "/usr/share/fonts/truetype/wqy/*.ttc",
)


class SvgSettings(WorkerSettings):
    """The settings of the SVG renderer."""

    service: ClassVar[str] = RENDER_SVG.name
    port: ClassVar[int] = RENDER_SVG.port

    jail_uid_base: int = Field(
        54_816, ge=1, le=2**31, description="Started as root: first of the user ids that jobs run as."
    )
    limit: Limits = Limits(cpu_seconds=10.0, wall_seconds=30.0)
    fonts: tuple[str, ...] = Field(
        _FONTS,
        description="Patterns of font files, the only ones that text is drawn with; a glyph that the named "
        "family lacks is taken from these, in their order.",
    )
