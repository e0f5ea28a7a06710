"""The description of the renderer, which the SDK reads too."""

from __future__ import annotations

from i2s_wire.render.request import GenericSource
from i2s_wire.renderer import RendererSpec

_CANARY = b"from PIL import Image\nImage.new('RGB', (3, 2), 'teal').save('page.png')\n"

RENDER_PILLOW = RendererSpec(
    name="render-pillow",
    title="Pillow renderer",
    languages=("pillow",),
    suffixes=(".py",),
    port=7790,
    canary=GenericSource("pillow", "program.py", {"program.py": _CANARY}),
    distribution="i2s-chassis",
)
