"""The engine: the Typst compiler with the fonts that it carries, in a warm interpreter."""

from i2s_chassis.renderer.model import ResolvedPageOptions
from i2s_chassis.warm.worker_engine import WorkerEngine, WorkerPlan, plan_worker
from i2s_render_typst.settings import TypstSettings
from i2s_wire.renderers import RENDER_TYPST


class TypstEngine(WorkerEngine):
    """Compiles documents and draws their pages."""

    name = "typst"
    options = ResolvedPageOptions(dpi=100.0)
    doing = "compiling the document"


def plan(settings: TypstSettings) -> WorkerPlan:
    """Look at this machine; see ``plan_worker``."""
    return plan_worker(TypstEngine, RENDER_TYPST, "typst", {"clock": settings.clock})
