"""The renderer ``render-pillow``: its row for the SDK, and its command.

The service itself is ``tests/support/pillow_renderer``. The SDK imports this module to learn the row, so the
service is imported only when the command runs.
"""

from __future__ import annotations

from i2s_client.service_table import ServiceRow
from i2s_wire.render.request import PythonSource

RENDER_PILLOW = ServiceRow("render-pillow", "Pillow renderer", PythonSource)


def main() -> None:
    """Run the command ``i2s-render-pillow``."""
    from i2s_chassis.renderer.command import run_renderer
    from pillow_renderer.service import PillowService
    from pillow_renderer.settings import PillowSettings

    run_renderer(PillowSettings, PillowService)
