"""The renderer ``render-pillow``: its description, and its command.

The service itself is ``tests/support/pillow_renderer``. The SDK imports this module to read the
description, so the service is imported only when the command runs.
"""

from __future__ import annotations

from i2s_wire.render.request import PythonSource
from i2s_wire.renderer import RendererSpec

RENDER_PILLOW = RendererSpec(
    name="render-pillow",
    title="Pillow renderer",
    languages=("pillow",),
    suffixes=(".py",),
    port=7790,
    canary=PythonSource(b"from PIL import Image\nImage.new('RGB', (3, 2), 'teal').save('page.png')\n"),
)


def main() -> None:
    """Run the command ``i2s-render-pillow``."""
    from i2s_chassis.renderer.command import run_renderer
    from pillow_renderer.service import PillowService
    from pillow_renderer.settings import PillowSettings

    run_renderer(PillowSettings, PillowService)
