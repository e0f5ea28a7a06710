"""Names of matplotlib from 2.0 to 3.10."""

from __future__ import annotations

from typing import Any

from i2s_render_python.inside.restored_names.changes import (
    Change,
    aliases,
    attribute,
    by_position,
    modules,
    positional,
    put,
    renamed,
    values,
)

_AXES, _PLT = "matplotlib.axes.Axes", "matplotlib.pyplot"
_FIGURE = "matplotlib.figure.Figure"
_AXES_3D = "mpl_toolkits.mplot3d.axes3d.Axes3D"
_STYLES = (
    "",
    "-bright",
    "-colorblind",
    "-dark",
    "-dark-palette",
    "-darkgrid",
    "-deep",
    "-muted",
    "-notebook",
    "-paper",
    "-pastel",
    "-poster",
    "-talk",
    "-ticks",
    "-white",
    "-whitegrid",
)
#: Patches that took more of their arguments by position.
_PATCHES = (
    "Arc",
    "Arrow",
    "CirclePolygon",
    "ConnectionPatch",
    "Ellipse",
    "FancyArrow",
    "FancyArrowPatch",
    "FancyBboxPatch",
    "Polygon",
    "Rectangle",
    "RegularPolygon",
    "Shadow",
    "Wedge",
)
#: Color maps that have another name.
_COLORMAPS = {
    "Vega10": "tab10",
    "Vega20": "tab20",
    "Vega20b": "tab20b",
    "Vega20c": "tab20c",
    "spectral": "nipy_spectral",
    "spectral_r": "nipy_spectral_r",
}


def _on(*names: str) -> tuple[str, ...]:
    """Return the paths of functions of pyplot and of the methods of axes with the same names."""
    return tuple(f"{place}.{name}" for name in names for place in (_AXES, _PLT))


def _style(name: str) -> Change:
    def change() -> None:
        library = attribute("matplotlib.style.library")
        library[f"seaborn{name}"] = library[f"seaborn-v0_8{name}"]

    return change


def _colormap(old: str, new: str) -> Change:
    def change() -> None:
        maps = attribute("matplotlib.colormaps")
        maps.register(maps[new], name=old, force=True)
        put(f"matplotlib.cm.{old}", maps[new])

    return change


def _register_cmap(name: str | None = None, cmap: Any = None, **_: object) -> None:  # noqa: ANN401
    attribute("matplotlib.colormaps").register(cmap, name=name, force=True)


def _gca() -> None:
    """Let ``gca`` take the arguments of ``add_subplot``, and make axes if there are none like them."""
    figure = attribute("matplotlib.figure.FigureBase")
    of_figure = figure.gca

    def gca(self: Any, **kwargs: Any) -> Any:  # noqa: ANN401
        if not kwargs:
            return of_figure(self)
        wanted = "polar" if kwargs.get("polar") else kwargs.get("projection")
        if self.axes and (wanted is None or of_figure(self).name == wanted):
            return of_figure(self)
        return self.add_subplot(1, 1, 1, **kwargs)

    figure.gca = gca
    put(f"{_PLT}.gca", lambda **kwargs: attribute(_PLT).gcf().gca(**kwargs))


def _set_window_title(self: Any, title: str) -> None:  # noqa: ANN401
    if self.manager is not None:
        self.manager.set_window_title(title)


def _tostring_rgb(self: Any) -> bytes:  # noqa: ANN401
    pixels: bytes = attribute("numpy").asarray(self.buffer_rgba())[:, :, :3].tobytes()
    return pixels


def _plot_date(
    self: Any,  # noqa: ANN401
    x: Any,  # noqa: ANN401
    y: Any,  # noqa: ANN401
    fmt: str = "o",
    tz: Any = None,  # noqa: ANN401
    xdate: bool = True,
    ydate: bool = False,
    **kwargs: Any,  # noqa: ANN401
) -> Any:  # noqa: ANN401
    if xdate:
        self.xaxis_date(tz)
    if ydate:
        self.yaxis_date(tz)
    return self.plot(x, y, fmt, **kwargs)


def _collections(self: Any) -> list[Any]:  # noqa: ANN401
    """Draw each level of a contour set as a collection of its own, and return these."""
    known: list[Any] | None = self.__dict__.get("_i2s_levels")
    if known is not None:
        return known
    collections = attribute("matplotlib.collections")
    faces, edges = self.get_facecolor(), self.get_edgecolor()
    widths, styles, smooth = self.get_linewidths(), self.get_linestyles(), self.get_antialiaseds()
    levels = []
    for at, path in enumerate(self.get_paths()):
        if self.filled:
            level = collections.PathCollection([path])
            level.set_facecolor(faces[at % len(faces)] if len(faces) else "none")
        else:
            level = collections.LineCollection(path.to_polygons(closed_only=False))
        level.set(alpha=self.get_alpha(), zorder=self.zorder, transform=self.get_transform())
        level.set_edgecolor(edges[at % len(edges)] if len(edges) else "none")
        level.set_linewidth(widths[at % len(widths)])
        level.set_antialiased(smooth[at % len(smooth)])
        level.set_linestyle([styles[at % len(styles)]])
        self.axes.add_collection(level, autolim=False)
        levels.append(level)
    self.set_visible(False)
    self.__dict__["_i2s_levels"] = levels
    return levels


def _join(self: Any, *axes: Any) -> None:  # noqa: ANN401
    self._grouper.join(*axes)


def _of_artists(place: str, old: str, new: str | None) -> Change:
    """Return the change by which artists take an argument by its name of old, or leave it out (None)."""

    def change() -> None:
        update = attribute(f"{place}._internal_update")

        def internal_update(self: Any, kwargs: dict[str, Any]) -> Any:  # noqa: ANN401
            given = {new if key == old else key: content for key, content in kwargs.items()}
            given.pop(None, None)
            return update(self, given)

        put(f"{place}._internal_update", internal_update)

    return change


def _normpdf(x: Any, mu: float, sigma: float) -> Any:  # noqa: ANN401
    np = attribute("numpy")
    return np.exp(-0.5 * ((np.asarray(x) - mu) / sigma) ** 2) / (np.sqrt(2 * np.pi) * sigma)


def _bivariate_normal(
    X: Any,  # noqa: ANN401, N803 - names of old
    Y: Any,  # noqa: ANN401, N803
    sigmax: float = 1.0,
    sigmay: float = 1.0,
    mux: float = 0.0,
    muy: float = 0.0,
    sigmaxy: float = 0.0,
) -> Any:  # noqa: ANN401
    np = attribute("numpy")
    x, y = X - mux, Y - muy
    rho = sigmaxy / (sigmax * sigmay)
    z = x**2 / sigmax**2 + y**2 / sigmay**2 - 2 * rho * x * y / (sigmax * sigmay)
    rest = 1 - rho**2
    return np.exp(-z / (2 * rest)) / (2 * np.pi * sigmax * sigmay * np.sqrt(rest))


def _log_scale_arguments() -> None:
    for place in ("matplotlib.scale.LogScale", "matplotlib.scale.SymmetricalLogScale"):
        names = {
            f"{old}{axis}": new
            for axis in "xy"
            for old, new in (
                ("base", "base"),
                ("subs", "subs"),
                ("nonpos", "nonpositive"),
                ("linthresh", "linthresh"),
                ("linscale", "linscale"),
            )
        }
        renamed(f"{place}.__init__", **names)()


def _legend() -> None:
    """Let legends take their place as third argument."""
    positional(f"{_PLT}.legend", order=("loc",), kept=2)()
    positional(f"{_AXES}.legend", f"{_FIGURE}.legend", order=("loc",), kept=3)()


def _colorbar() -> None:
    """Let color bars of no axes take their place from the current ones."""
    inner = attribute(f"{_FIGURE}.colorbar")

    def colorbar(self: Any, mappable: Any, cax: Any = None, ax: Any = None, **kwargs: Any) -> Any:  # noqa: ANN401
        if cax is None and ax is None and getattr(mappable, "axes", None) is None:
            ax = self.gca()
        return inner(self, mappable, cax=cax, ax=ax, **kwargs)

    put(f"{_FIGURE}.colorbar", colorbar)


def _asked_of_its_place(name: str) -> object:
    """Return the method of axes that asks the cell of the grid in which they are."""
    return lambda self: getattr(self.get_subplotspec(), name)()


def _append_artist(self: Any, artist: Any) -> None:  # noqa: ANN401
    axes = self._axes
    adding = {
        "collections": axes.add_collection,
        "images": axes.add_image,
        "lines": axes.add_line,
        "patches": axes.add_patch,
        "tables": axes.add_table,
    }
    adding.get(self._prop_name, axes.add_artist)(artist)


def _pop_artist(self: Any, at: int = -1) -> Any:  # noqa: ANN401
    artist = self[at]
    artist.remove()
    return artist


def _clear_artists(self: Any) -> None:  # noqa: ANN401
    for artist in list(self):
        artist.remove()


def _without_effect(*_: object, **__: object) -> None:
    """Do nothing: what this had an effect on is no more."""


CHANGES: dict[str, Change] = {
    **aliases(
        {
            f"{_AXES}.set_axis_bgcolor": f"{_AXES}.set_facecolor",
            f"{_AXES}.get_axis_bgcolor": f"{_AXES}.get_facecolor",
            "matplotlib.cm.get_cmap": f"{_PLT}.get_cmap",
            "matplotlib.cbook.iterable": "numpy.iterable",
            "matplotlib.cbook.mplDeprecation": "matplotlib.MatplotlibDeprecationWarning",
            "matplotlib.cbook.MatplotlibDeprecationWarning": "matplotlib.MatplotlibDeprecationWarning",
        }
    ),
    **values(
        {
            f"{_AXES}.set_color_cycle": lambda self, colors: self.set_prop_cycle(color=list(colors)),
            f"{_AXES}.hold": _without_effect,
            f"{_AXES}.plot_date": _plot_date,
            f"{_PLT}.plot_date": lambda *args, **kwargs: _plot_date(attribute(_PLT).gca(), *args, **kwargs),
            f"{_PLT}.hold": _without_effect,
            f"{_PLT}.register_cmap": _register_cmap,
            "matplotlib.cm.register_cmap": _register_cmap,
            "matplotlib.cm.unregister_cmap": lambda name: attribute("matplotlib.colormaps").unregister(name),
            "matplotlib.backend_bases.FigureCanvasBase.set_window_title": _set_window_title,
            "matplotlib.backends.backend_agg.FigureCanvasAgg.tostring_rgb": _tostring_rgb,
            "matplotlib.cbook.GrouperView.join": _join,
            "matplotlib.dates.epoch2num": lambda e: attribute("numpy").asarray(e) / 86400.0,
            "matplotlib.font_manager._rebuild": _without_effect,
            f"{_AXES}.ArtistList.append": _append_artist,
            f"{_AXES}.ArtistList.clear": _clear_artists,
            f"{_AXES}.ArtistList.pop": _pop_artist,
            f"{_AXES}.ArtistList.remove": lambda self, artist: artist.remove(),
            **{
                f"{_AXES}.{name}": _asked_of_its_place(name)
                for name in ("is_first_col", "is_first_row", "is_last_col", "is_last_row")
            },
            "matplotlib.axis.XTick.label": property(lambda self: self.label1),
            "matplotlib.axis.YTick.label": property(lambda self: self.label1),
            "matplotlib.contour.ContourSet.collections": property(_collections),
            "matplotlib.legend.Legend.legendHandles": property(lambda self: self.legend_handles),
            "matplotlib.mlab.normpdf": _normpdf,
            "matplotlib.mlab.bivariate_normal": _bivariate_normal,
            f"{_AXES_3D}.w_xaxis": property(lambda self: self.xaxis),
            f"{_AXES_3D}.w_yaxis": property(lambda self: self.yaxis),
            f"{_AXES_3D}.w_zaxis": property(lambda self: self.zaxis),
        }
    ),
    f"{_AXES}.boxplot(labels)": renamed(*_on("boxplot"), labels="tick_labels"),
    f"{_AXES}.stem(use_line_collection)": renamed(*_on("stem"), use_line_collection=None),
    f"{_AXES}.grid(b)": renamed(*_on("grid"), "matplotlib.axis.Axis.grid", b="visible"),
    f"{_AXES}.hist(normed)": renamed(*_on("hist"), normed="density"),
    f"{_AXES}.annotate(s)": renamed(*_on("annotate"), s="text"),
    f"{_AXES}.bar(left)": renamed(*_on("bar"), left="x"),
    f"{_AXES}.barh(bottom)": renamed(*_on("barh"), bottom="y"),
    f"{_AXES}.set_xscale(basex)": _log_scale_arguments,
    f"{_AXES}.set(axisbg)": _of_artists(_AXES, "axisbg", "facecolor"),
    "matplotlib.artist.Artist.set(hold)": _of_artists("matplotlib.artist.Artist", "hold", None),
    f"{_AXES}.legend(positional)": _legend,
    f"{_FIGURE}.colorbar(ax)": _colorbar,
    f"{_FIGURE}.subplots(positional)": by_position(f"{_PLT}.subplots", f"{_FIGURE}.subplots"),
    f"{_FIGURE}.tight_layout(positional)": by_position(f"{_PLT}.tight_layout", f"{_FIGURE}.tight_layout"),
    **{
        f"matplotlib.patches.{name}(positional)": by_position(f"matplotlib.patches.{name}.__init__")
        for name in _PATCHES
    },
    f"{_FIGURE}.gca(projection)": _gca,
    f"{_FIGURE}.savefig(frameon)": renamed(f"{_FIGURE}.savefig", frameon=None, papertype=None, quality=None),
    "matplotlib.cm.cmap_d": lambda: put("matplotlib.cm.cmap_d", dict(attribute("matplotlib.colormaps"))),
    "matplotlib.cbook.get_sample_data(np_load)": renamed("matplotlib.cbook.get_sample_data", np_load=None),
    **modules(
        {
            "matplotlib.tri.triangulation": "matplotlib.tri",
            "mpl_toolkits.axes_grid": "mpl_toolkits.axes_grid1",
        }
    ),
    **{f"matplotlib.style seaborn{name}": _style(name) for name in _STYLES},
    **{f"matplotlib.cm.{old}": _colormap(old, new) for old, new in _COLORMAPS.items()},
}
