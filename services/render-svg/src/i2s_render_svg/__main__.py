"""The command i2s-render-svg."""

from functools import partial

from i2s_chassis.renderer.command import run_worker
from i2s_render_svg.settings import SvgSettings
from i2s_wire.renderers import RENDER_SVG

main = partial(run_worker, RENDER_SVG, SvgSettings)

if __name__ == "__main__":
    main()
