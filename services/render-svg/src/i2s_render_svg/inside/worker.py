"""Draws an SVG image with resvg, which runs no scripts and loads nothing over a network."""

from __future__ import annotations

import re
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from i2s_chassis.warm.inside.delivery import deliver, take_job
from i2s_chassis.warm.inside.packages import load_package
from i2s_render_svg.inside.families import MONO, SANS, SERIF
from i2s_render_svg.inside.references import References

_fonts: list[str] = []
_STACK = 512 << 20
_PARSING = "SVG data parsing failed cause "
_PLACE = re.compile(r" at (\d+):\d+")
_RECURSION = re.compile(rb"Recursive '[^']*' detected")
_LENGTH = re.compile(r"\s*((?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)\s*(px|pt|pc|in|cm|mm|%|)\s*")
_UNITS = {"": 1.0, "px": 1.0, "pt": 96 / 72, "pc": 16.0, "in": 96.0, "cm": 96 / 2.54, "mm": 96 / 25.4}


def load(settings: Mapping[str, Any]) -> None:
    """Import resvg and keep the paths of the fonts."""
    load_package(settings["resvg"])
    _fonts[:] = settings["fonts"]


def warm_up(settings: Mapping[str, Any]) -> None:
    """Draw once, so that the code and the fonts are in memory."""
    draw('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><text y="9">x</text></svg>', 1.0)


def draw(svg: str, zoom: float, folder: str | None = None) -> bytes:
    """Return an image as PNG, on white.

    Args:
        svg: The image.
        zoom: Pixels for each unit of the image.
        folder: The folder of files that it may name.

    Raises:
        ValueError: It cannot be drawn; says why and where.
    """
    import resvg_py

    return resvg_py.svg_to_bytes(
        svg_string=svg,
        zoom=zoom,
        dpi=96.0,
        background="#ffffff",
        resources_dir=folder,
        skip_system_fonts=True,
        font_files=_fonts,
        font_family=SERIF,
        serif_family=SERIF,
        sans_serif_family=SANS,
        cursive_family=SERIF,
        fantasy_family=SANS,
        monospace_family=MONO,
        log_information=folder is not None,
    )


def run(output: int) -> None:
    """Draw the image in the current folder, in a thread whose stack is as deep as elements are nested."""
    threading.stack_size(_STACK)
    failures: list[BaseException] = []
    thread = threading.Thread(target=_run, args=(output, failures))
    thread.start()
    thread.join()
    if failures:  # the exit code of the process says it
        raise failures[0]


def _run(output: int, failures: list[BaseException]) -> None:
    try:
        _draw_job(output)
    except BaseException as failure:
        failures.append(failure)


def _draw_job(output: int) -> None:
    job = take_job()
    entry, zoom = Path(job["entry"]), job["dpi"] / 96
    references = References(entry.read_text("utf-8"), entry.parent)
    header: dict[str, Any] = {"total": 1, "events": references.events}
    svg = references.edited()
    width, height = (side * zoom for side in _size(references.root) or _probed(svg))
    if job["first"] > 1:
        header |= {"verdict": "NO_OUTPUT", "message": "An SVG image has one page."}
    elif width * height > job["pixels"]:
        text = f"The image would have {width:.0f} x {height:.0f} pixels, more than {job['pixels']}."
        header |= {"verdict": "PIXEL_LIMIT", "message": text}
    else:
        try:
            image = draw(svg, zoom, str(entry.parent.resolve()))
        except ValueError as error:
            header |= _refused(str(error))
        else:
            recursions = _RECURSION.findall(Path(".i2s/log").read_bytes()[: 1 << 20])
            said = [recursion.decode(errors="replace") for recursion in recursions]
            events = [("BROWSER_FEATURE", f"{one}; it is not drawn") for one in said]
            header |= {"verdict": "RENDERED", "pages": [1], "events": [*references.events, *events]}
            deliver(output, header, [image])
            return
    deliver(output, header)


def _refused(fault: str) -> dict[str, Any]:
    fault = fault.removeprefix(_PARSING)
    places = list(_PLACE.finditer(fault))  # the last is that of resvg: before it are words of the image
    line = int(places[-1][1]) if places else 0
    text = fault[: places[-1].start()] + fault[places[-1].end() :] if places else fault
    message = f"resvg refused the image{f' on line {line}' if line else ''}: {text}"
    error = {"message": text, "kind": "SYNTAX", "line": line}
    return {"verdict": "COMPILE_ERROR", "message": message, "error": error}


def _size(root: Mapping[str, str]) -> tuple[float, float] | None:
    """Return the size that the root says, None if it does not say it in units that are known here."""
    box, sides = root.get("viewBox", "").replace(",", " ").split(), []
    for at, name in ((2, "width"), (3, "height")):
        match = _LENGTH.fullmatch(root.get(name, "100%"))
        whole = _LENGTH.fullmatch(box[at]) if len(box) == 4 else None
        if match is None or (match[2] == "%" and whole is None):
            return None
        unit = float(whole[1]) / 100 if match[2] == "%" and whole else _UNITS.get(match[2], 1.0)
        sides.append(float(match[1]) * unit)
    return sides[0], sides[1]


def _probed(svg: str) -> tuple[float, float]:
    """Return about the size of an image that does not say it, zeros if it is small."""
    for zoom in (2.0**-20, 2.0**-10):
        try:
            image = draw(svg, zoom)
        except ValueError:  # less than a pixel, or a fault that is met again
            continue
        return int.from_bytes(image[16:20], "big") / zoom, int.from_bytes(image[20:24], "big") / zoom
    return 0.0, 0.0
