"""What is the fault of a warm process, never of a source."""

from __future__ import annotations

from i2s_chassis.renderer.errors import RendererError


class WarmError(RendererError):
    """A warm process was lost or broke the protocol."""
