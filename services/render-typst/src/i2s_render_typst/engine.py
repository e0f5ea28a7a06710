"""The engine: the Typst compiler with the fonts that it carries, in a warm interpreter."""

from __future__ import annotations

from pathlib import Path

from i2s_chassis.renderer.model import ResolvedPageOptions
from i2s_chassis.warm.python_worker import ENVIRONMENT, PythonWorker, outside_usr
from i2s_chassis.warm.worker_engine import (
    JOB,
    LOG,
    WorkerEngine,
    WorkerInstallation,
    WorkerPlan,
    package_folder,
)
from i2s_wire.renderers import RENDER_TYPST

_INSIDE = Path(__file__).resolve().parent / "inside"


class TypstEngine(WorkerEngine):
    """Compiles documents and draws their pages."""

    name = "typst"
    options = ResolvedPageOptions(dpi=100.0)
    doing = "compiling the document"


def plan(clock: int) -> WorkerPlan:
    """Look at this machine.

    Args:
        clock: The time of day of documents in seconds since 1970.

    Raises:
        StartError: The compiler is missing; says how to install it.
    """
    typst = package_folder("typst", RENDER_TYPST.package)
    worker = PythonWorker(
        module="i2s_render_typst.inside.worker",
        folder=_INSIDE,
        job_file=JOB,
        log=LOG,
        readable=outside_usr(typst),
        settings={"typst": str(typst), "clock": clock},
        environment={**ENVIRONMENT, "RAYON_NUM_THREADS": "1"},
    )
    return WorkerPlan(TypstEngine, WorkerInstallation.of("typst", RENDER_TYPST.package, _INSIDE), worker)
