"""The command i2s-render-typst."""

from i2s_chassis.renderer.command import run_worker
from i2s_render_typst.settings import TypstSettings
from i2s_wire.renderers import RENDER_TYPST


def main() -> None:
    """Run the command line."""
    run_worker(RENDER_TYPST, TypstSettings)


if __name__ == "__main__":
    main()
