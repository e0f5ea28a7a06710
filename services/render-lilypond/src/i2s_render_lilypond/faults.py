"""What is this service's own fault beside what every renderer has, see `i2s_chassis.renderer.errors`."""

from __future__ import annotations

from i2s_chassis.renderer.errors import RendererError


class WarmError(RendererError):
    """A warm process was lost or broke the protocol."""
