"""A render from end to end before the service serves."""

from __future__ import annotations

from i2s_chassis.errors import EngineError
from i2s_chassis.limits import Limits
from i2s_render_lilypond.engine import LilypondEngine
from i2s_render_lilypond.model import Job, Options
from i2s_wire.render.rendering import Picture, Verdict

#: Every step takes part: music, text, and an old command, which without convert-ly is an error.
_SCORE = rb"""\version "2.10.0"
\header { title = "Canary" }
\relative c' { \key g \major \setTextCresc g'4\p a( b) \times 2/3 { c8 b a } | d2. r4 \bar "|." }
"""


async def canary(engine: LilypondEngine, limits: Limits) -> None:
    """Render a small score cold, and warm if processes stand ready: the same bytes.

    Args:
        engine: The engine.
        limits: Limits of each rendering; a warm process serves the defaults of the service, except for times.

    Raises:
        EngineError: It did not become a picture, or not the same one; says why.
    """
    cold = await _picture(engine, Options(cold=True), limits)
    if engine.zygotes is not None and (await _picture(engine, Options(), limits)).png != cold.png:
        raise EngineError("the canary looks different from a warm process")


async def _picture(engine: LilypondEngine, options: Options, limits: Limits) -> Picture:
    rendering = await engine.render(Job(_SCORE, options=options, limits=limits))
    if rendering.verdict is not Verdict.RENDERED:
        raise EngineError(f"the canary was not rendered: {rendering.verdict.name}: {rendering.message}")
    return rendering.pictures[0]
