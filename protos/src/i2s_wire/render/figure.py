"""What a plotting program drew, as data: the objects of its figures, as the plotting library holds them.

Places are fractions of the figure's width and height, from its top left corner. Colours are "#rrggbbaa".
All of it comes out of the process that ran the program, which can lie about its own figure: these are claims
until they are compared with the image.
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
    """One axis."""

    #: "linear", "log", "symlog", "category"…
    scale: str = "linear"
    #: Limit of the view where the axis begins, in data units.
    first: float = 0.0
    #: Limit where it ends; less than ``first`` if the axis is inverted.
    last: float = 1.0


@dataclass(frozen=True, slots=True)
class Axes:
    """Axes with what they frame."""

    #: Where they are.
    box: FigureBox = FigureBox()
    #: "rectilinear", "polar", "3d"…
    projection: str = "rectilinear"
    #: The axis of x.
    x: Axis = Axis()
    #: The axis of y.
    y: Axis = Axis()
    #: The axis of z, only of "3d".
    z: Axis | None = None
    #: Rows of its grid of subplots; 0 if there is no grid.
    rows: int = 0
    #: Columns of that grid.
    columns: int = 0
    #: The first row that it takes, from 0.
    first_row: int = 0
    #: The last row.
    last_row: int = 0
    #: The first column.
    first_column: int = 0
    #: The last column.
    last_column: int = 0
    #: Where its legend is; None if it has none.
    legend: FigureBox | None = None
    #: Whether it is the scale of colours of others.
    colorbar: bool = False
    #: Whether frame and axes are drawn.
    frame: bool = True
    #: Whether grid lines are drawn.
    grid: bool = False
    #: Colour of the background.
    color: str = ""


@dataclass(frozen=True, slots=True)
class FigureText:
    """A text that is visible."""

    #: Text as the program wrote it, mathematics with its "$".
    text: str
    #: What it is to the figure.
    role: TextRole = TextRole.TEXT
    #: Index of its axes; None for texts of the figure.
    axes: int | None = None
    #: Where it is.
    box: FigureBox = FigureBox()
    #: Its colour.
    color: str = ""
    #: Size in points.
    size: float = 0.0
    #: Rotation in degrees, counterclockwise.
    rotation: float = 0.0


@dataclass(frozen=True, slots=True)
class Mark:
    """One thing that was drawn, or the things of one call that belong together."""

    #: What it is; says what ``x``, ``y``, ``z`` and ``sizes`` mean.
    kind: MarkKind
    #: Index of its axes; None for marks of the figure.
    axes: int | None = None
    #: The label in the legend, or empty.
    label: str = ""
    #: See MarkKind in figure.proto; bounded, ``total`` is how many items there were.
    x: tuple[float, ...] = ()
    #: Values likewise.
    y: tuple[float, ...] = ()
    #: Values likewise.
    z: tuple[float, ...] = ()
    #: Values likewise.
    sizes: tuple[float, ...] = ()
    #: Fills or strokes: one for all items or one for each; empty if there are none.
    colors: tuple[str, ...] = ()
    #: Strokes around fills, likewise.
    edge_colors: tuple[str, ...] = ()
    #: "-", "--", ":", "-." or "none".
    line_style: str = ""
    #: Line width in points.
    line_width: float = 0.0
    #: Symbol of points as matplotlib names it; empty for none, several, or an unknown one.
    marker: str = ""
    #: Shape, such as "Circle" or "Polygon"; only of SHAPE.
    shape: str = ""
    #: Name of the map from values to colours, if one is used.
    color_map: str = ""
    #: Number of items.
    total: int = 0
    #: The part of the figure that it covers, if known.
    box: FigureBox | None = None
    #: Whether coordinates are fractions of the figure rather than data of the axes.
    placed_by_figure: bool = False


@dataclass(frozen=True, slots=True)
class Call:
    """Calls of one plotting function that were not made within another one."""

    #: Function, such as "Axes.bar", "PolarAxes.plot" or "Axes3D.scatter".
    function: str
    #: How many there were.
    count: int


@dataclass(frozen=True, slots=True)
class Figure:
    """The objects of one figure."""

    #: Number of its image.
    page: int = 1
    #: Width.
    width_inches: float = 0.0
    #: Height.
    height_inches: float = 0.0
    #: Resolution that it was drawn with.
    dpi: float = 0.0
    #: Axes in the order in which they were added.
    axes: tuple[Axes, ...] = ()
    #: The visible texts.
    texts: tuple[FigureText, ...] = ()
    #: Axes by axes, first what several objects make up; those of the figure itself come last.
    marks: tuple[Mark, ...] = ()
    #: Whether something was left out because there was more than is returned.
    truncated: bool = False
    #: Plotting functions that the program had called when the figure was drawn, for all its figures together,
    #: by name; None if calls were not recorded.
    calls: tuple[Call, ...] | None = None
    #: The part of the figure that its image shows, where saving cropped or widened it; None for all.
    shown: FigureBox | None = None
