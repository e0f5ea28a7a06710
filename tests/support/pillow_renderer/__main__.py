"""The command line of the renderer: python -m pillow_renderer serve."""

from __future__ import annotations

from i2s_chassis.renderer.command import run_renderer
from i2s_chassis.server.service import Service
from pillow_renderer.settings import PillowSettings


def _build(settings: PillowSettings) -> Service:
    from pillow_renderer.service import PillowService

    return PillowService(settings)


if __name__ == "__main__":
    run_renderer(PillowSettings, _build)
