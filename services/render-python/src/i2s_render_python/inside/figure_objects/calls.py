"""How often a program calls each plotting function.

Calls that a plotting function makes itself do not count, so ``hist`` is no call of ``bar``. A call counts
whether it returns or raises.
"""

from __future__ import annotations

import contextlib
import importlib
from collections import Counter
from collections.abc import Callable
from functools import wraps
from typing import Any

from matplotlib.axes import Axes
from matplotlib.image import NonUniformImage
from matplotlib.patches import Circle, Ellipse
from matplotlib.projections.polar import PolarAxes
from mpl_toolkits.mplot3d import Axes3D

from i2s_render_python.inside.figure_objects.values import Object

#: Methods of axes; ``plot`` and ``scatter`` of polar axes have names of their own.
OF_AXES = (
    "axhline",
    "axhspan",
    "axvline",
    "axvspan",
    "bar",
    "barh",
    "boxplot",
    "broken_barh",
    "contour",
    "contourf",
    "errorbar",
    "fill",
    "fill_between",
    "fill_betweenx",
    "hist",
    "hlines",
    "imshow",
    "pcolor",
    "pie",
    "plot",
    "quiver",
    "scatter",
    "tripcolor",
    "violin",
    "violinplot",
    "vlines",
)
#: Methods of axes of 3D.
OF_AXES_3D = ("add_collection3d", "bar", "bar3d", "plot", "plot_surface", "scatter")
#: Functions of networkx, and the modules by which programs reach them.
OF_NETWORKX = ("draw_networkx_edges", "draw_networkx_labels", "draw_networkx_nodes")
NETWORKX_MODULES = ("networkx.drawing.nx_pylab", "networkx.drawing", "networkx")
_POLAR = ("plot",)


class CallCounts:
    """Counts the calls of plotting functions."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()
        self._within = False
        self._libraries: dict[str, Callable[[], None]] = {
            "networkx": self._replace_in_networkx,
            "squarify": lambda: self._replace(importlib.import_module("squarify"), "plot", "squarify"),
            "matplotlib_venn": lambda: self._replace(
                importlib.import_module("matplotlib_venn._common").VennDiagram, "__init__", "VennDiagram"
            ),
        }

    def install(self, source: bytes) -> None:
        """Take the place of the plotting functions.

        Args:
            source: The program. Libraries above matplotlib that it names are imported, and their functions
                are counted.
        """
        for name in OF_AXES:
            self._replace(Axes, name, "Axes")
        for name in OF_AXES_3D:
            self._replace(Axes3D, name, "Axes3D")
        for drawn in (Circle, Ellipse, NonUniformImage):
            self._replace(drawn, "__init__", drawn.__name__)
        for library, replace in self._libraries.items():
            if library.encode() in source:
                with contextlib.suppress(ImportError):
                    replace()

    def counted(self) -> list[Object]:
        """Return functions that were called, by name, in the form of ``i2s_wire.render.figure.Call``."""
        return [{"function": name, "count": count} for name, count in sorted(self._counts.items())]

    def _replace(self, place: Any, name: str, prefix: str) -> None:  # noqa: ANN401 - a class or module
        setattr(place, name, self._noting(getattr(place, name), prefix, name))

    def _replace_in_networkx(self) -> None:
        modules = [importlib.import_module(name) for name in NETWORKX_MODULES]
        for name in OF_NETWORKX:
            noting = self._noting(getattr(modules[0], name), "networkx", name)
            for module in modules:
                setattr(module, name, noting)

    def _noting(self, drawn: Any, prefix: str, name: str) -> Any:  # noqa: ANN401 - a function
        @wraps(drawn)
        def noting(*args: Any, **kwargs: Any) -> Any:  # noqa: ANN401
            if self._within:
                return drawn(*args, **kwargs)
            polar = prefix == "Axes" and name in _POLAR and args and isinstance(args[0], PolarAxes)
            called = "PolarAxes" if polar else prefix
            self._counts[called if name == "__init__" else f"{called}.{name}"] += 1
            self._within = True
            try:
                return drawn(*args, **kwargs)
            finally:
                self._within = False

        return noting
