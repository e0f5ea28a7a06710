"""What a plotting program drew, as data: the objects of its figures, as the plotting library holds them.

Places are fractions of the figure's width and height, from its top left corner. Colours are "#rrggbbaa".
All of it comes out of the process that ran the program: it is as trustworthy as the picture.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass


class TextRole(enum.IntEnum):
    """What a text is to its figure. Values equal those of the wire."""

    TITLE = 1
    FIGURE_TITLE = 2
    X_LABEL = 3
    Y_LABEL = 4
    Z_LABEL = 5
    X_TICK = 6
    Y_TICK = 7
    Z_TICK = 8
    LEGEND_TITLE = 9
    LEGEND_ENTRY = 10
    TABLE_CELL = 11
    TEXT = 12


class MarkKind(enum.IntEnum):
    """What a mark is, and so what its numbers mean; see MarkKind in figure.proto.

    Values equal those of the wire.
    """

    LINE = 1
    POINTS = 2
    BARS = 3
    HORIZONTAL_BARS = 4
    WEDGES = 5
    AREA = 6
    STEPS = 7
    ERROR_BARS = 8
    BOXES = 9
    CELLS = 10
    CONTOURS = 11
    ARROWS = 12
    SURFACE = 13
    SHAPE = 14
    SEGMENTS = 15


@dataclass(frozen=True, slots=True)
class FigureBox:
    """A rectangle, in fractions of the figure from its top left corner."""

    x: float = 0.0
    y: float = 0.0
    width: float = 0.0
    height: float = 0.0


@dataclass(frozen=True, slots=True)
class Axis:
    """One axis.

    Attributes:
        scale: "linear", "log", "symlog", "category"…
        first: Limit of the view where the axis begins, in data units.
        last: Limit where it ends; less than ``first`` if the axis is inverted.
    """

    scale: str = "linear"
    first: float = 0.0
    last: float = 1.0


@dataclass(frozen=True, slots=True)
class Axes:
    """Axes with what they frame.

    Attributes:
        box: Where they are.
        projection: "rectilinear", "polar", "3d"…
        x: The axis of x.
        y: The axis of y.
        z: The axis of z, only of "3d".
        rows: Rows of its grid of subplots; 0 if there is no grid.
        columns: Columns of that grid.
        first_row: The first row that it takes, from 0.
        last_row: The last row.
        first_column: The first column.
        last_column: The last column.
        legend: Where its legend is; None if it has none.
        colorbar: Whether it is the scale of colours of others.
        frame: Whether frame and axes are drawn.
        grid: Whether grid lines are drawn.
        color: Colour of the background.
    """

    box: FigureBox = FigureBox()
    projection: str = "rectilinear"
    x: Axis = Axis()
    y: Axis = Axis()
    z: Axis | None = None
    rows: int = 0
    columns: int = 0
    first_row: int = 0
    last_row: int = 0
    first_column: int = 0
    last_column: int = 0
    legend: FigureBox | None = None
    colorbar: bool = False
    frame: bool = True
    grid: bool = False
    color: str = ""


@dataclass(frozen=True, slots=True)
class FigureText:
    """A text that is visible.

    Attributes:
        text: Text as the program wrote it, mathematics with its "$".
        role: What it is to the figure.
        axes: Index of its axes; None for texts of the figure.
        box: Where it is.
        color: Its colour.
        size: Size in points.
        rotation: Rotation in degrees, counterclockwise.
    """

    text: str
    role: TextRole = TextRole.TEXT
    axes: int | None = None
    box: FigureBox = FigureBox()
    color: str = ""
    size: float = 0.0
    rotation: float = 0.0


@dataclass(frozen=True, slots=True)
class Mark:
    """One thing that was drawn, or the things of one call that belong together.

    Attributes:
        kind: What it is; says what ``x``, ``y``, ``z`` and ``sizes`` mean.
        axes: Index of its axes; None for marks of the figure.
        label: The label in the legend, or empty.
        x: See MarkKind in figure.proto; bounded, ``total`` is how many items there were.
        y: Values likewise.
        z: Values likewise.
        sizes: Values likewise.
        colors: Fills or strokes: one for all items or one for each; empty if there are none.
        edge_colors: Strokes around fills, likewise.
        line_style: "-", "--", ":", "-." or "none".
        line_width: Line width in points.
        marker: Symbol of points as matplotlib names it; empty for none, several, or an unknown one.
        shape: Shape, such as "Circle" or "Polygon"; only of SHAPE.
        color_map: Name of the map from values to colours, if one is used.
        total: Number of items.
        box: The part of the figure that it covers, if known.
        placed_by_figure: Whether coordinates are fractions of the figure rather than data of the axes.
    """

    kind: MarkKind
    axes: int | None = None
    label: str = ""
    x: tuple[float, ...] = ()
    y: tuple[float, ...] = ()
    z: tuple[float, ...] = ()
    sizes: tuple[float, ...] = ()
    colors: tuple[str, ...] = ()
    edge_colors: tuple[str, ...] = ()
    line_style: str = ""
    line_width: float = 0.0
    marker: str = ""
    shape: str = ""
    color_map: str = ""
    total: int = 0
    box: FigureBox | None = None
    placed_by_figure: bool = False


@dataclass(frozen=True, slots=True)
class Call:
    """Calls of one plotting function that were not made within another one.

    Attributes:
        function: Function, such as "Axes.bar", "PolarAxes.plot" or "Axes3D.scatter".
        count: How many there were.
    """

    function: str
    count: int


@dataclass(frozen=True, slots=True)
class Figure:
    """The objects of one figure.

    Attributes:
        page: Number of its picture.
        width_inches: Width.
        height_inches: Height.
        dpi: Resolution that it was drawn with.
        axes: Axes in the order in which they were added.
        texts: The visible texts.
        marks: Axes by axes, first what several objects make up; those of the figure itself come last.
        truncated: Whether something was left out because there was more than is returned.
        calls: Plotting functions that the program had called when the figure was drawn, for all its figures
            together, by name; None if calls were not recorded.
    """

    page: int = 1
    width_inches: float = 0.0
    height_inches: float = 0.0
    dpi: float = 0.0
    axes: tuple[Axes, ...] = ()
    texts: tuple[FigureText, ...] = ()
    marks: tuple[Mark, ...] = ()
    truncated: bool = False
    calls: tuple[Call, ...] | None = None
