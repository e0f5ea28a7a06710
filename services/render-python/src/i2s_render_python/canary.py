"""The canary: a complete program before the service becomes ready."""

from __future__ import annotations

from i2s_chassis.errors import EngineError
from i2s_chassis.limits import Limits
from i2s_render_python.engine import PythonEngine
from i2s_render_python.model import Job, Options
from i2s_wire.render.rendering import Picture, Verdict

_PROGRAM = b"""\
import matplotlib.pyplot as plt
import numpy as np

x = np.linspace(0, 6, 50)
plt.plot(x, np.sin(x), label="$\\\\sin x$")
plt.scatter(np.random.rand(9) * 6, np.random.rand(9), c="teal")
plt.title("Canary")
plt.legend()
plt.show()
"""


async def canary(engine: PythonEngine, limits: Limits) -> None:
    """Run a small program cold, and warm if interpreters stand ready: the same bytes.

    Args:
        engine: The engine.
        limits: Limits of each rendering; a warm process serves the defaults of the service, except for times.

    Raises:
        EngineError: It did not become a picture, or not the same one; says why.
    """
    cold = await _picture(engine, Options(cold=True), limits)
    if engine.zygotes is not None and (await _picture(engine, Options(), limits)).png != cold.png:
        raise EngineError("the canary looks different from a warm process")


async def _picture(engine: PythonEngine, options: Options, limits: Limits) -> Picture:
    drawn = await engine.render(Job(_PROGRAM, options=options, limits=limits))
    if drawn.verdict is not Verdict.RENDERED:
        raise EngineError(f"the canary was not rendered: {drawn.verdict.name}: {drawn.message}")
    return drawn.pictures[0]
