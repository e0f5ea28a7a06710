"""Keep what a program shows, saves and leaves open: figures of matplotlib and images of Pillow.

A figure that is saved is drawn as the program saves it: with its resolution, its colours, its bounding box. A
figure that is shown, or open when the program ends, is drawn as matplotlib draws it by default, or as it was
saved before. What was shown or saved is kept as it was at that moment, whatever becomes of the figure.
"""

from __future__ import annotations

import contextlib
import io
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import matplotlib as mpl
import matplotlib.pyplot as plt
from matplotlib import _tight_bbox
from matplotlib._pylab_helpers import Gcf
from matplotlib.figure import Figure
from matplotlib.transforms import Bbox
from PIL import Image

from i2s_render_python.inside.figure_objects.values import (
    Measured,
    Object,
    Size,
    Sizes,
    Values,
    kept_sizes,
)

#: Level 1 takes a third of the time of matplotlib's own level, for few bytes more.
_PNG = {"compress_level": 1}
_OF_SAVEFIG = (
    "dpi",
    "facecolor",
    "edgecolor",
    "bbox_inches",
    "pad_inches",
    "bbox_extra_artists",
    "transparent",
)

#: Describes a figure, given the number of its image and the sizes of its texts.
Describe = Callable[[Figure, int, Sizes], Mapping[str, object]]


#: The largest side of an image that is reported, in pixels.
_LARGEST_SIDE = 1e9


class TooManyPixelsError(BaseException):
    """An image would have more pixels than are permitted; no handler of a program catches it by accident."""

    def __init__(self, width: float, height: float) -> None:
        super().__init__(f"{width:.0f} x {height:.0f} pixels")
        self.size = min(width, _LARGEST_SIDE), min(height, _LARGEST_SIDE)


@dataclass(slots=True)
class _Kept:
    """A figure or image as it was when it was last shown or saved: a PNG, and its objects if wanted."""

    owner: object
    png: bytes
    objects: Mapping[str, object] | None = None
    options: Mapping[str, object] = field(default_factory=dict)


class Capture:
    """Everything that a program has shown or saved so far.

    Args:
        pixels: The most that an image may have.
        dpi: Resolution of figures, None for that of the program.
        describe: Returns the objects of a figure as data; None if they are not wanted.
    """

    def __init__(self, pixels: int, dpi: float | None, describe: Describe | None) -> None:
        self._pixels, self._dpi, self._describe = pixels, dpi, describe
        self._kept: dict[int, _Kept] = {}
        self._savefig: Any = Figure.savefig
        self._save_picture: Any = Image.Image.save
        self._drawing = False

    def install(self) -> None:
        """Take the place of the functions of matplotlib and Pillow that show and save."""
        capture = self

        def savefig(figure: Figure, fname: object, *, transparent: object = None, **options: object) -> None:
            capture.save_figure(figure, fname, {"transparent": transparent, **options})

        def show(*_: object, block: object = None, **__: object) -> None:
            capture.show_all(close=block is None or bool(block))

        def show_figure(figure: Figure, warn: bool = True) -> None:
            capture.keep_figure(figure, {})

        def save_picture(picture: Image.Image, fp: object, format: object = None, **params: object) -> None:
            capture.save_picture(picture, fp, format, params)

        def show_picture(picture: Image.Image, title: object = None) -> None:
            capture.keep_picture(picture)

        places: dict[Any, dict[str, object]] = {
            Figure: {"savefig": savefig, "show": show_figure},
            plt: {"show": show, "switch_backend": _stay},  # there is one backend
            mpl: {"use": _stay},
            Image.Image: {"save": save_picture, "show": show_picture},
        }
        for place, functions in places.items():
            for name, function in functions.items():
                setattr(place, name, function)

    def show_all(self, *, close: bool) -> None:
        """Keep all open figures, and close them as a window that is shown and closed does."""
        for manager in Gcf.get_all_fig_managers():
            figure = manager.canvas.figure
            if not _is_empty(figure):
                self.keep_figure(figure, {})
        if close:
            plt.close("all")

    def keep_figure(self, figure: Figure, options: Mapping[str, object]) -> bytes:
        """Draw a figure, and keep that; returns the PNG."""
        known = self._kept.pop(id(figure), None)
        if known is not None and not options:
            options = known.options
        if self._describe is None:
            kept = _Kept(figure, self._draw(figure, options), options=options)
        else:
            sizes: dict[Measured, Size] = {}
            cuts: list[Bbox] = []
            with kept_sizes(sizes), _kept_cuts(cuts):
                png = self._draw(figure, options)
                if cuts or self._dpi_of(figure, options) != figure.dpi:
                    self._place(figure)
            objects = {**self._describe(figure, 0, sizes), **_shown_part(figure, cuts)}
            kept = _Kept(figure, png, objects, options)
        figure.stale = False
        self._kept[id(figure)] = kept
        return kept.png

    def save_figure(self, figure: Figure, target: object, options: dict[str, object]) -> None:
        """Keep a figure as it is saved, and save it."""
        chosen = {name: options[name] for name in _OF_SAVEFIG if options.get(name) is not None}
        if _is_empty(figure) and self._kept:
            # After plt.show() there is a new, empty figure, which nobody wants to see.
            self._as_it_is(figure, target, options)
            return
        png = self.keep_figure(figure, chosen)
        plain = set(options) <= {*_OF_SAVEFIG, "format"}
        if plain and self._dpi is None and isinstance(target, str | os.PathLike) and _is_png(target, options):
            path = Path(target)
            (path if path.suffix else path.with_suffix(".png")).write_bytes(png)
        else:
            self._as_it_is(figure, target, options)

    def _as_it_is(self, figure: Figure, target: object, options: dict[str, object]) -> None:
        dpi = options.get("dpi")
        self._check_figure(figure, dpi if isinstance(dpi, int | float) else None)
        self._drawing = True
        try:
            self._savefig(figure, target, **options)
        finally:
            self._drawing = False

    def _draw(self, figure: Figure, options: Mapping[str, object]) -> bytes:
        arguments = dict(options)
        if self._dpi is not None:
            arguments["dpi"] = self._dpi
        dpi = arguments.get("dpi")
        self._check_figure(figure, dpi if isinstance(dpi, int | float) else None)
        buffer = io.BytesIO()
        self._drawing = True
        try:
            self._savefig(figure, buffer, format="png", pil_kwargs=_PNG, **arguments)
        finally:
            self._drawing = False
        return buffer.getvalue()

    def _dpi_of(self, figure: Figure, options: Mapping[str, object]) -> float:
        """Return the resolution that a figure is drawn with."""
        dpi = self._dpi if self._dpi is not None else options.get("dpi")
        return float(dpi) if isinstance(dpi, int | float) else _usual_dpi(figure)

    def _place(self, figure: Figure) -> None:
        """Put labels, legends, tables and annotations of a figure back to where they are in it.

        They keep the pixels where they were last drawn, which were those of another resolution, or of a part.
        """
        width, height = figure.get_size_inches() * figure.dpi
        if width * height <= self._pixels:
            with contextlib.suppress(Exception):  # figures of programs do anything
                figure.draw_without_rendering()

    def _check_figure(self, figure: Figure, dpi: float | None) -> None:
        dpi = _usual_dpi(figure) if dpi is None else dpi
        width, height = figure.get_size_inches() * dpi
        self._check(float(width), float(height))

    def _check(self, width: float, height: float) -> None:
        if width * height > self._pixels:
            raise TooManyPixelsError(width, height)

    def save_picture(
        self, picture: Image.Image, target: object, format: object, params: Mapping[str, object]
    ) -> None:
        """Keep an image of Pillow that is saved, and save it."""
        if not self._drawing:
            self.keep_picture(picture)
        self._save_picture(picture, target, format, **params)

    def keep_picture(self, picture: Image.Image) -> None:
        """Keep an image of Pillow."""
        self._check(*picture.size)
        buffer = io.BytesIO()
        self._save_picture(picture.convert("RGBA"), buffer, "PNG", **_PNG)
        self._kept.pop(id(picture), None)
        self._kept[id(picture)] = _Kept(picture, buffer.getvalue())

    def finish(self, *, with_open: bool, first: int | None, count: int) -> tuple[int, list[Finished]]:
        """Return how many figures and images there are, and those that are wanted.

        What is open counts after all that is not, in the order in which it was made.

        Args:
            with_open: Whether figures count that are open and were never shown or saved.
            first: Number of the first that is wanted, from 1; None is the last.
            count: How many are wanted at most.
        """
        figures = [
            manager.canvas.figure
            for manager in sorted(Gcf.get_all_fig_managers(), key=lambda fig_manager: fig_manager.num)
        ]
        if not with_open:
            figures = [figure for figure in figures if id(figure) in self._kept]
        if any(not _is_empty(figure) for figure in figures) or self._kept:
            figures = [figure for figure in figures if not _is_empty(figure) or id(figure) in self._kept]
        are_open = set(map(id, figures))
        closed = [kept for kept in self._kept.values() if id(kept.owner) not in are_open]
        ordered: list[_Kept | Figure] = [*closed, *figures]
        start = len(ordered) - 1 if first is None else first - 1
        wanted = enumerate(ordered[max(start, 0) : max(start, 0) + count], max(start, 0) + 1)
        return len(ordered), [self._finished(kept, page, with_open) for page, kept in wanted]

    def _finished(self, one: _Kept | Figure, page: int, with_open: bool) -> Finished:
        if isinstance(one, Figure):
            kept = self._kept.get(id(one))
            if kept is None or (one.stale and with_open and not _is_empty(one)):
                self.keep_figure(one, {})
                kept = self._kept[id(one)]
        else:
            kept = one
        objects = {**kept.objects, "page": page} if kept.objects is not None else None
        return Finished(page, self._on_white(kept.png), objects)

    def _on_white(self, png: bytes) -> bytes:
        """Return an image as PNG of 8 bit RGB; what is transparent becomes white."""
        with Image.open(io.BytesIO(png), formats=("PNG",)) as picture:
            drawn = picture.convert("RGBA")
        flat = Image.alpha_composite(Image.new("RGBA", drawn.size, "white"), drawn)
        output = io.BytesIO()
        self._save_picture(flat.convert("RGB"), output, "PNG", **_PNG)
        return output.getvalue()


@dataclass(frozen=True, slots=True)
class Finished:
    """A figure or image that is returned: its number, its PNG, and its objects if wanted."""

    page: int
    png: bytes
    objects: Mapping[str, object] | None


def _usual_dpi(figure: Figure) -> float:
    """Return the resolution that a figure is saved with if the program names none."""
    chosen = mpl.rcParams["savefig.dpi"]
    return float(figure.dpi if chosen == "figure" else chosen)


@contextlib.contextmanager
def _kept_cuts(cuts: list[Bbox]) -> Iterator[None]:
    """Keep what ``bbox_inches`` leaves of figures that are saved in the block, in inches from below left."""
    adjust = _tight_bbox.adjust_bbox

    def adjusted(figure: Figure, part: Bbox, *args: Any, **kwargs: Any) -> Any:  # noqa: ANN401
        cuts.append(part.frozen())
        return adjust(figure, part, *args, **kwargs)

    _tight_bbox.adjust_bbox = adjusted
    try:
        yield
    finally:
        _tight_bbox.adjust_bbox = adjust


def _shown_part(figure: Figure, cuts: Sequence[Bbox]) -> Object:
    """Return the part of a figure that its image shows, nothing for all of it."""
    if not cuts:
        return {}
    scaled = Bbox(cuts[-1].get_points() * figure.dpi)
    part = Values(figure).place(scaled)
    return {"shown": part} if part is not None else {}


def _stay(*_: object, **__: object) -> None:
    """Do nothing, if a program chooses a backend."""


def _is_empty(figure: Figure) -> bool:
    return all(child is figure.patch for child in figure.get_children())


def _is_png(target: str | os.PathLike[str], options: Mapping[str, object]) -> bool:
    chosen = (
        options.get("format") or os.path.splitext(os.fspath(target))[1][1:] or mpl.rcParams["savefig.format"]
    )
    return str(chosen).lower() == "png"
