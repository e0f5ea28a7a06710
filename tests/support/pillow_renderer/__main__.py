"""The command line of the renderer: python -m pillow_renderer serve."""

from __future__ import annotations

from typing import TYPE_CHECKING

from i2s_chassis.renderer.command import run_generic
from pillow_renderer.settings import PillowSettings
from pillow_renderer.spec import RENDER_PILLOW

if TYPE_CHECKING:
    from i2s_chassis.renderer.generic import OpenEngine


def _open_engine() -> OpenEngine[PillowSettings]:
    from pillow_renderer.engine import open_engine

    return open_engine


def main() -> None:
    """Run the command line."""
    run_generic(RENDER_PILLOW, PillowSettings, _open_engine)


if __name__ == "__main__":
    main()
