"""The engine: resvg with the fonts of the settings, in a warm interpreter."""

from __future__ import annotations

import glob
from collections.abc import Sequence
from pathlib import Path

from i2s_chassis.errors import StartError
from i2s_chassis.renderer.model import ResolvedPageOptions
from i2s_chassis.warm.python_worker import PythonWorker, outside_usr
from i2s_chassis.warm.worker_engine import (
    JOB,
    LOG,
    WorkerEngine,
    WorkerInstallation,
    WorkerPlan,
    package_folder,
)
from i2s_wire.render.options import Crop
from i2s_wire.renderers import RENDER_SVG

_INSIDE = Path(__file__).resolve().parent / "inside"


class SvgEngine(WorkerEngine):
    """Draws SVG: the whole canvas, a pixel of the image for each of CSS unless a resolution is asked for."""

    name = "resvg"
    options = ResolvedPageOptions(dpi=96.0, crop=Crop.NONE)
    doing = "drawing the image"


def plan(patterns: Sequence[str]) -> WorkerPlan:
    """Look at this machine.

    Args:
        patterns: Patterns of font files.

    Raises:
        StartError: resvg or the fonts of a pattern are missing; says how to install them.
    """
    resvg = package_folder("resvg_py", RENDER_SVG.package)
    files = {pattern: sorted(glob.glob(pattern)) for pattern in patterns}
    missing = [one for one, paths in files.items() if not paths]
    if missing or not files:  # other fonts would draw other images
        packages = " ".join(need.package for need in RENDER_SVG.needs if need.check == "font")
        raise StartError(
            f"no font is there of {', '.join(missing) or 'no pattern'}; install them with: apt-get install "
            f"{packages}; or name the fonts to draw with: --fonts"
        )
    fonts = dict.fromkeys(Path(path) for paths in files.values() for path in paths)
    worker = PythonWorker(
        module="i2s_render_svg.inside.worker",
        folder=_INSIDE,
        job_file=JOB,
        log=LOG,
        readable=outside_usr(resvg, *fonts),
        settings={"resvg": str(resvg), "fonts": [str(font) for font in fonts]},
    )
    installation = WorkerInstallation.of("resvg-py", RENDER_SVG.package, _INSIDE, fonts)
    return WorkerPlan(SvgEngine, installation, worker)
