"""The command i2s-render-svg."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from i2s_chassis.renderer.command import run_worker
from i2s_render_svg.settings import SvgSettings
from i2s_wire.renderers import RENDER_SVG

if TYPE_CHECKING:
    from i2s_chassis.warm.worker_engine import WorkerPlan


def _plan() -> Callable[[SvgSettings], WorkerPlan]:
    from i2s_render_svg.engine import plan

    return lambda settings: plan(settings.fonts)


def main() -> None:
    """Run the command line."""
    run_worker(RENDER_SVG, SvgSettings, _plan, ["serve", "serve --warm single-use"])


if __name__ == "__main__":
    main()
