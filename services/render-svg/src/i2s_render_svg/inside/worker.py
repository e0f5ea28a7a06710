"""Draws an SVG image with resvg, which runs no scripts and loads nothing over a network."""

from __future__ import annotations

import re
import struct
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import resvg_py

from i2s_chassis.warm.inside.delivery import Events, Result, answer, drawn, not_drawn, on_stack, refused
from i2s_render_svg.inside.families import MONO, SANS, SERIF
from i2s_render_svg.inside.references import References

_drawing: dict[str, Any] = {
    "dpi": 96.0,
    "background": "#ffffff",
    "skip_system_fonts": True,
    "font_family": SERIF,
    "serif_family": SERIF,
    "sans_serif_family": SANS,
    "cursive_family": SERIF,
    "fantasy_family": SANS,
    "monospace_family": MONO,
}
_STACK = 512 << 20
_PARSING = "SVG data parsing failed cause "
_PLACE = re.compile(r" at (\d+):\d+")
_RECURSION = re.compile(r"Recursive '[^']*' detected")
_LENGTH = re.compile(r"^\s*([\d.]+(?:[eE][+-]?\d+)?)\s*(px|pt|pc|in|cm|mm|%|)\s*$")
_UNITS = {"": 1.0, "px": 1.0, "pt": 96 / 72, "pc": 16.0, "in": 96.0, "cm": 96 / 2.54, "mm": 96 / 25.4}


def load(settings: Mapping[str, Any]) -> None:
    """Keep the paths of the fonts."""
    _drawing["font_files"] = settings["fonts"]


def warm_up(settings: Mapping[str, Any]) -> None:
    """Draw once, so that the code and the fonts are in memory."""
    _drawn('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><text y="9">x</text></svg>')


def run(output: int) -> None:
    """Draw the image in the current folder."""
    on_stack(_STACK, lambda: answer(output, _draw))


def _draw(job: Mapping[str, Any]) -> Result:
    entry, zoom = Path(job["entry"]), job["dpi"] / 96
    svg = entry.read_text("utf-8")
    image = References(svg, entry.parent)
    width, height = _size(image)
    wrong = not_drawn(job, [(width * zoom, height * zoom)], image.events)
    if wrong is not None:
        return wrong
    try:
        if image.fault:
            raise ValueError(image.fault)
        folder = str(entry.parent.resolve())
        png = _drawn(image.edited, zoom, resources_dir=folder, log_information=True)
    except ValueError as error:
        return _refused(svg, zoom, error, image.events)
    for recursion in _RECURSION.findall(Path(".i2s/log").read_text(errors="replace")[: 1 << 20]):
        image.events.append(("BROWSER_FEATURE", f"{recursion}; it is not drawn"))
    return drawn(job, [png], image.events)


def _drawn(svg: str, zoom: float = 1.0, **more: Any) -> bytes:  # noqa: ANN401 - as resvg takes them
    """Return an image as PNG, on white.

    Raises:
        ValueError: It cannot be drawn; says why and where.
    """
    return resvg_py.svg_to_bytes(svg_string=svg, zoom=zoom, **_drawing, **more)


def _refused(svg: str, zoom: float, error: ValueError, events: Events) -> Result:
    """Return the result of an image that was refused, in the words of resvg about it as it came."""
    try:
        _drawn(svg, zoom)
    except ValueError as of_resvg:
        error = of_resvg
    text = str(error).removeprefix(_PARSING)
    *_, place = (None, *_PLACE.finditer(text))  # before that of resvg are words of the image
    line = int(place[1]) if place else 0
    text = text[: place.start()] + text[place.end() :] if place else text
    return refused("resvg refused the image", {"message": text, "kind": "SYNTAX", "line": line}, events)


def _size(image: References) -> tuple[float, float]:
    """Return the size that an image says, else about that of what it shows, zeros if it is small."""
    box, sides = image.root.get("viewBox", "").replace(",", " ").split(), []
    try:
        for at, name in ((2, "width"), (3, "height")):
            ((number, unit),) = _LENGTH.findall(image.root.get(name, "100%"))
            whole = float(box[at]) / 100 if unit == "%" and len(box) == 4 else _UNITS[unit]
            sides.append(float(number) * whole)
        return sides[0], sides[1]
    except (ValueError, KeyError):  # in units that are not known here
        for zoom in (2.0**-20, 2.0**-10):
            with suppress(ValueError):  # less than a pixel, or a fault that is met again
                width, height = struct.unpack_from(">II", _drawn(image.edited, zoom), 16)
                return width / zoom, height / zoom
        return 0.0, 0.0
