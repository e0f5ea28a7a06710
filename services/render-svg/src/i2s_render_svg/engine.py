"""The engine: resvg with the fonts of the settings, in a warm interpreter."""

from i2s_chassis.renderer.model import ResolvedPageOptions
from i2s_chassis.renderer.start_checks import find_fonts
from i2s_chassis.warm.worker_engine import WorkerEngine, WorkerPlan, plan_worker
from i2s_render_svg.settings import SvgSettings
from i2s_wire.render.options import Crop
from i2s_wire.renderers import RENDER_SVG


class SvgEngine(WorkerEngine):
    """Draws SVG: the whole canvas, a pixel of the image for each of CSS unless a resolution is asked for."""

    name = "resvg"
    options = ResolvedPageOptions(dpi=96.0, crop=Crop.NONE)
    doing = "drawing the image"


def plan(settings: SvgSettings) -> WorkerPlan:
    """Look at this machine; see ``plan_worker``."""
    fonts = find_fonts(settings.fonts, RENDER_SVG.needs)
    return plan_worker(SvgEngine, RENDER_SVG, "resvg_py", {"fonts": list(map(str, fonts))}, fonts)
