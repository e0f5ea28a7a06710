"""The worker of plotting programs: what the interpreter of the chassis loads, warms up and runs."""

from __future__ import annotations

import gc
import importlib
import io
import os
import sys
from typing import Any


def load(settings: dict[str, Any]) -> None:
    """Import what every program needs, and choose the fonts."""
    from i2s_render_python.inside.library_finder import LibraryFinder

    # After built-in and frozen modules, before all that is found on the path.
    sys.meta_path.insert(2, LibraryFinder(settings["libraries"]))
    import matplotlib.pyplot as plt
    from matplotlib import font_manager

    # It is for the making of the list of fonts; later it would hide those that are added.
    os.environ.pop("MPL_IGNORE_SYSTEM_FONTS", None)
    plt.switch_backend("agg")
    manager = font_manager.fontManager
    for font in settings["fonts"]:
        manager.addfont(font)
    manager.ttflist.sort(key=lambda one: (one.name, str(one.fname)))
    own = {one.name for one in manager.ttflist if str(one.fname) not in settings["fonts"]}
    added = {str(one.fname): one.name for one in manager.ttflist if one.name not in own}
    families = dict.fromkeys(added[font] for font in settings["fonts"] if font in added)
    # Text that the first family has no glyph for takes it from the next one.
    plt.rcParamsDefault["font.family"] = plt.rcParams["font.family"] = ["sans-serif", *families]
    from i2s_render_python.inside import program  # noqa: F401 - loaded before anything is confined


def warm_up(settings: dict[str, Any]) -> None:
    """Import the libraries, and draw once, so that what is loaded late is there."""
    for name in settings["modules"]:
        importlib.import_module(name)
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots()
    axes.plot([0, 1], [0, 1], label="$x^2$")
    axes.set_title("Warm")
    axes.legend()
    figure.savefig(io.BytesIO(), format="png")
    plt.close("all")
    gc.collect()


def run(output: int) -> None:
    """Run the program in the current folder; see ``program.run``."""
    from i2s_render_python.inside import program

    program.run(output)
