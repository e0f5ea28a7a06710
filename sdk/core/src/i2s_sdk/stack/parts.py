"""Optional parts of a renderer's engine that are not installed."""

from __future__ import annotations

from i2s_wire.render.description import RendererDescription


def parts_missing(about: RendererDescription) -> str:
    """Return what is missing of an engine and the packages that have it; empty if it is complete.

    Args:
        about: What the renderer says of itself.
    """
    return f"not installed: {', '.join(about.missing)}" if about.missing else ""
