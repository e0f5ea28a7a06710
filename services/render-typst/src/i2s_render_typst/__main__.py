"""The command i2s-render-typst."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from i2s_chassis.renderer.command import run_worker
from i2s_render_typst.settings import TypstSettings
from i2s_wire.renderers import RENDER_TYPST

if TYPE_CHECKING:
    from i2s_chassis.warm.worker_engine import WorkerPlan


def _plan() -> Callable[[TypstSettings], WorkerPlan]:
    from i2s_render_typst.engine import plan

    return lambda settings: plan(settings.clock)


def main() -> None:
    """Run the command line."""
    run_worker(RENDER_TYPST, TypstSettings, _plan, ["serve", "serve --warm single-use"])


if __name__ == "__main__":
    main()
