"""The parts that every renderer has beside those of a service: isolation, types, and conversion to the wire.

An engine takes a job of its own and returns a ``model.RawRendering``; ``servicer.RendererServicer``
carries both over the wire. Renderers of generic sources begin with ``generic.GenericEngine``.
"""

from i2s_chassis.renderer.settings import GenericSettings, RendererSettings, open_jail

__all__ = ["GenericSettings", "RendererSettings", "open_jail"]
