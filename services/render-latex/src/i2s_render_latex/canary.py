"""A render from end to end before the service serves."""

from __future__ import annotations

from i2s_chassis.errors import EngineError
from i2s_chassis.limits import Limits
from i2s_render_latex.engine import LatexEngine
from i2s_render_latex.model import Job, Options
from i2s_wire.render.rendering import Verdict

_BODY = b"\n\\begin{document}\n$e^{i\\pi} + 1 = 0$\n\\end{document}\n"


async def canary(engine: LatexEngine, limits: Limits) -> None:
    """Render a small document, cold and with each format of a known preamble.

    Args:
        engine: The engine.
        limits: Limits of each rendering.

    Raises:
        EngineError: It did not become a picture; says why.
    """
    jobs = [Job(b"\\documentclass{article}" + _BODY, options=Options(cold=True), limits=limits)]
    known = [one for one in engine.formats if one.is_kept and not one.has_begun]
    jobs += [Job(one.preamble + _BODY, limits=limits) for one in known]
    for job in jobs:
        rendering = await engine.render(job)
        if rendering.verdict is not Verdict.RENDERED:
            raise EngineError(f"the canary was not rendered: {rendering.verdict.name}: {rendering.message}")
