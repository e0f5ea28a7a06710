"""One Python program, or an answer with one, to the figure that it draws."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from i2s_client.render import AsyncRenderClient
from i2s_sdk.settings import Settings
from i2s_sdk.single.render import RenderedSource, attempted, structure_in, with_renderer
from i2s_sdk.tasks import Structure
from i2s_sdk.tasks.chart.document import ChartProgram
from i2s_sdk.tasks.chart.reading import is_program
from i2s_sdk.tasks.chart.task import ChartTask
from i2s_wire.render.options import PageOptions, RenderOptions
from i2s_wire.render.rendering import Rendering
from i2s_wire.renderers import RENDER_PYTHON


def render_python(
    program: str,
    *,
    files: Mapping[str, bytes] | None = None,
    dpi: float | None = None,
    figure: int | None = None,
    want_objects: bool = False,
    repair: bool = True,
    settings: Settings | None = None,
) -> RenderedSource:
    """Run a Python program in its jail and return the figure that it draws.

    >>> render_python("import matplotlib.pyplot as plt; plt.plot([1, 2])").png  # doctest: +SKIP

    Args:
        program: A program, or the answer of a model. What it shows, saves or leaves open is its figures; see
            docs/render-python.md.
        files: The files beside it, by relative path.
        dpi: Resolution; None is that of the program.
        figure: Number of the figure, counted from 1; None is the last.
        want_objects: Return the objects of the figure as data too (``rendering.figures``).
        repair: Whether a program without a figure is repaired; see docs/chart.md.
        settings: None reads environment and configuration file.

    Raises:
        UsageError: It is an answer without a program.
        StackError: The renderer cannot be started.
        ServiceError: It does not answer.
    """
    task = ChartTask()
    structure = Structure(program) if is_program(program) else structure_in(task, program)
    page = PageOptions(dpi=dpi, first_page=figure)

    async def work(renderer: AsyncRenderClient) -> RenderedSource:
        async def once(document: ChartProgram) -> Rendering:
            python = replace(document.options, want_objects=want_objects)
            request = replace(task.request(document), options=RenderOptions(page=page, python=python))
            return await renderer.render(request)

        return await attempted(task, task.document(structure, files), program, once, repair)

    return with_renderer(RENDER_PYTHON.name, work, settings or Settings.load())
