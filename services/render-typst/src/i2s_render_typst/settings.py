"""The settings of this service."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

from i2s_chassis.limits import Limits
from i2s_chassis.warm.program import WorkerSettings
from i2s_wire.renderers import RENDER_TYPST


class TypstSettings(WorkerSettings):
    """The settings of the Typst renderer."""

    service: ClassVar[str] = RENDER_TYPST.name
    port: ClassVar[int] = RENDER_TYPST.port

    jail_uid_base: int = Field(
        55_072, ge=1, le=2**31, description="Started as root: first of the user ids that jobs run as."
    )
    limit: Limits = Limits(cpu_seconds=20.0, wall_seconds=60.0)
    clock: int = Field(
        1_704_067_200,
        ge=0,
        description="The time of day of all documents in seconds since 1970, so that equal documents make "
        "equal images.",
    )
