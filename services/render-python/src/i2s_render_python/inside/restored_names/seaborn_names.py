"""Names of seaborn from 0.8 to 0.12."""

from __future__ import annotations

from typing import Any

from i2s_render_python.inside.restored_names.changes import (
    Change,
    attribute,
    positional,
    put,
    renamed,
    values,
)

#: Arguments by position of old.
_CATEGORICAL = ("x", "y", "hue", "data")
_ORDERS = {
    **dict.fromkeys(
        (
            "barplot",
            "boxenplot",
            "boxplot",
            "catplot",
            "countplot",
            "pointplot",
            "stripplot",
            "swarmplot",
            "violinplot",
        ),
        _CATEGORICAL,
    ),
    "histplot": ("data", "x"),
    "jointplot": ("x", "y", "data", "kind"),
    "kdeplot": ("x", "y"),
    "lineplot": ("x", "y", "hue", "size", "style", "data"),
    "lmplot": ("x", "y", "data", "hue"),
    "regplot": ("x", "y", "data"),
    "relplot": ("x", "y", "hue", "size", "style", "data"),
    "residplot": ("x", "y", "data"),
    "scatterplot": ("x", "y", "hue", "style", "size", "data"),
}


def _grid_size() -> None:
    """Let grids take the height of their axes as ``size``."""
    renamed("seaborn.axisgrid.FacetGrid.__init__", "seaborn.axisgrid.PairGrid.__init__", size="height")()


def _factorplot(*args: Any, kind: str = "point", size: float | None = None, **kwargs: Any) -> Any:  # noqa: ANN401
    named = dict(zip(("x", "y", "hue", "data"), args, strict=False))
    if size is not None:
        kwargs["height"] = size
    return attribute("seaborn").catplot(kind=kind, **named, **kwargs)


def _whole_range() -> None:
    """Let boxes have whiskers over the whole range of the data."""
    inner = attribute("seaborn.boxplot")

    def boxplot(*args: Any, whis: Any = 1.5, **kwargs: Any) -> Any:  # noqa: ANN401
        return inner(*args, whis=(0, 100) if whis == "range" else whis, **kwargs)

    put("seaborn.boxplot", boxplot)


CHANGES: dict[str, Change] = {
    **values(
        {
            "seaborn.factorplot": _factorplot,
            "seaborn.lvplot": lambda *args, **kwargs: attribute("seaborn").boxenplot(*args, **kwargs),
        }
    ),
    **{
        f"seaborn.{name}(positional)": positional(f"seaborn.{name}", order=order, least=2)
        for name, order in _ORDERS.items()
    },
    "seaborn.FacetGrid(size)": _grid_size,
    "seaborn.PairGrid(size)": _grid_size,
    "seaborn.jointplot(size)": renamed("seaborn.jointplot", size="height"),
    "seaborn.jointplot(stat_func)": renamed("seaborn.jointplot", stat_func=None),
    "seaborn.lmplot(size)": renamed("seaborn.lmplot", size="height"),
    "seaborn.stripplot(split)": renamed("seaborn.stripplot", "seaborn.swarmplot", split="dodge"),
    "seaborn.boxplot(whis=range)": _whole_range,
}
