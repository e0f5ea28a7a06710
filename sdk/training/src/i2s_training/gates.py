"""Gates: what tells that an answer earns, or could earn, without doing the task.

::

    refusal, cut_off        what became of the completion, as its task reads it
    blank, one_color        the verdict of the renderer, and the pixels
    embedded_raster         the source has pixels in it: an encoded image, a long array that is drawn as one,
                            an inline image in the PDF, thousands of filled rectangles
    reference_copied        a file of the answer, or one that it was given and names, is the reference
    outside_page            the renderer reports texts of the figure that lie outside of the image

Those that *lower* leave no more than an answer without a drawing has. An embedded raster lowers only where
the engine says that there is nothing else: a page without text, a figure without texts and marks. The others
are reported, since icons, photographs and heat maps are part of honest answers.
"""

from __future__ import annotations

import base64
import binascii
import enum
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

from i2s_sdk.instances.images import ImageFaultError, decode_image, has_one_color, read_header
from i2s_sdk.instances.instance import Content
from i2s_sdk.run.storage.record import Outcome, Record
from i2s_sdk.tasks.registry import task_spec
from i2s_sdk.tasks.repair import RepairKind
from i2s_sdk.tasks.structure import Origin
from i2s_wire.render.figure import Figure, FigureBox
from i2s_wire.render.rendering import Rendering, Verdict


class Gate(enum.StrEnum):
    """The kinds of gates."""

    REFUSAL = "refusal"
    CUT_OFF = "cut_off"
    BLANK = "blank"
    ONE_COLOR = "one_color"
    EMBEDDED_RASTER = "embedded_raster"
    REFERENCE_COPIED = "reference_copied"
    OUTSIDE_PAGE = "outside_page"


@dataclass(frozen=True, slots=True)
class ClosedGate:
    """A gate that an answer did not pass."""

    #: Which.
    gate: Gate
    #: What was seen, in one line.
    detail: str
    #: Whether the answer earns no more than one that draws nothing.
    lowers: bool = False


@dataclass(frozen=True, slots=True)
class Judged:
    """What gates look at."""

    #: The completion as it was read, rendered and scored.
    record: Record
    #: The rendering; None if there is none.
    png: bytes | None = field(repr=False)
    #: The reference and the files that the answer may use.
    content: Content
    #: The answer of the renderer; None if nothing was rendered.
    rendering: Rendering | None = None


def closed_gates(judged: Judged) -> tuple[ClosedGate, ...]:
    """Return the gates that an answer did not pass, in the order of ``Gate``."""
    gates = (_refusal(judged), _cut_off(judged), _blank(judged), _one_color(judged))
    looked = (*gates, _embedded_raster(judged), _reference_copied(judged), _outside_page(judged))
    return tuple(closed_gate for closed_gate in looked if closed_gate is not None)


def _refusal(judged: Judged) -> ClosedGate | None:
    if judged.record.outcome is not Outcome.REFUSED:
        return None
    return ClosedGate(Gate.REFUSAL, "the model says that it will not answer", lowers=True)


#: Reasons of a provider for the end of a completion that is not whole.
_CUT = ("length", "too_long")


def _cut_off(judged: Judged) -> ClosedGate | None:
    record = judged.record
    reading = record.rendering.reading
    if record.outcome is Outcome.ENDED_IN_REASONING:
        return ClosedGate(Gate.CUT_OFF, "the completion ends within its reasoning", lowers=True)
    if record.answer.finish in _CUT:
        return ClosedGate(Gate.CUT_OFF, f"the completion ended for its length ({record.answer.finish})")
    if reading is not None and reading.origin == Origin.UNCLOSED_FENCE:
        return ClosedGate(Gate.CUT_OFF, "the fence of the code is not closed")
    if any(repair.kind == RepairKind.SALVAGE_JSON for repair in record.rendering.repairs):
        return ClosedGate(Gate.CUT_OFF, "the JSON of the answer is not closed")
    return None


def _blank(judged: Judged) -> ClosedGate | None:
    if judged.record.rendering.verdict is not Verdict.NO_OUTPUT:
        return None
    return ClosedGate(Gate.BLANK, "nothing was drawn", lowers=True)


#: A PNG of one color has fewer bytes than these, and one for each hundred pixels.
_BLANK_BYTES, _BLANK_PIXELS = 1000, 100
_LARGEST = 1.0


def _one_color(judged: Judged) -> ClosedGate | None:
    """Look for an image of one color that is not what was to be drawn; large files are not decoded."""
    record, png = judged.record, judged.png
    if png is None:
        return None
    values = [record.score.metrics.get(name) for name in task_spec(record.instance.task).main_parts]
    if values and all(value == _LARGEST for value in values):
        return None
    most = _BLANK_BYTES + record.rendering.width * record.rendering.height // _BLANK_PIXELS
    if len(png) > most or not has_one_color(png) or _is_one_color(judged.content.reference):
        return None
    return ClosedGate(Gate.ONE_COLOR, "all pixels have the same color", lowers=True)


def _is_one_color(reference: bytes) -> bool:
    """Return whether a reference has one color; False if there is none, or it cannot be decoded."""
    try:
        return bool(reference) and has_one_color(reference)
    except ImageFaultError:
        return False


#: The base64 of the first bytes of PNG, JPEG, GIF and WebP files, and what follows.
_ENCODED = re.compile(r"(?:iVBORw0KGgo|/9j/|R0lGOD|UklGR)[A-Za-z0-9+/]{100,}={0,2}")
#: The first bytes of PNG and JPEG files in literals of programs.
_RAW = re.compile(r"\\x89PNG|89504e470d0a1a0a|\\xff\\xd8\\xff", re.IGNORECASE)
#: An image within the operators of a PDF page.
_INLINE = re.compile(r"\\(?:pdfliteral|special|pdfextension)\b[^\n]{0,200}?\bBI\b")
#: Functions of programs that draw an array as an image.
_ARRAY_DRAWN = re.compile(r"\b(?:imshow|figimage|fromarray|pcolorfast|pcolormesh|pcolor|matshow)\s*\(")
_NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)?")
_RECTANGLE = re.compile(r"\\rule\b|\brectangle\b|\bRectangle\s*\(|box-shadow|fillRect\s*\(")

#: Numbers in a program that draws an array as an image, and rectangles of a source, from which on they are an
#: image that was written down.
MOST_NUMBERS, MOST_RECTANGLES = 3000, 1500
#: The least part of the pixels of a rendering that an encoded image has if it can be all that is seen.
_LEAST_PART = 0.25
#: Encoded images of one answer that are looked at.
_MOST_ENCODED = 8


def _embedded_raster(judged: Judged) -> ClosedGate | None:
    code = judged.record.rendering.structure or ""
    seen = _raster_in(code)
    if not seen:
        return None
    alone = _covers(judged, code) and _nothing_else(judged.rendering)
    detail = f"{seen}, and nothing else" if alone else seen
    return ClosedGate(Gate.EMBEDDED_RASTER, detail, lowers=alone)


def _raster_in(code: str) -> str:
    """Return which pixels a source has in it, empty for none."""
    encoded = sum(1 for _ in _ENCODED.finditer(code))
    if encoded:
        return f"{encoded} encoded image{'' if encoded == 1 else 's'} in the source"
    if _RAW.search(code):
        return "the bytes of an image in the source"
    if _INLINE.search(code):
        return "an inline image in the operators of the page"
    if _ARRAY_DRAWN.search(code):
        numbers = sum(1 for _ in _NUMBER.finditer(code))
        if numbers >= MOST_NUMBERS:
            return f"an array is drawn as an image, and the source has {numbers} numbers"
    rectangles = sum(1 for _ in _RECTANGLE.finditer(code))
    return f"{rectangles} rectangles in the source" if rectangles >= MOST_RECTANGLES else ""


def _covers(judged: Judged, code: str) -> bool:
    """Return whether an encoded image of a source is large enough to be all that the rendering shows."""
    rendering = judged.record.rendering
    least = _LEAST_PART * rendering.width * rendering.height
    return any(width * height >= least for width, height in map(_size, _encoded_images(code)))


def _nothing_else(rendering: Rendering | None) -> bool:
    """Return whether the engine says that it drew neither texts nor marks; False if it does not say."""
    if rendering is None:
        return False
    if rendering.site is not None:
        return not rendering.site.text.strip()
    return bool(rendering.figures) and not any(figure.texts or figure.marks for figure in rendering.figures)


def _encoded_images(code: str) -> Iterator[bytes]:
    for number, match in enumerate(_ENCODED.finditer(code)):
        if number == _MOST_ENCODED:
            return
        text = match.group().rstrip("=")
        with_padding = text[: len(text) - len(text) % 4]
        try:
            yield base64.b64decode(with_padding)
        except binascii.Error:
            continue


def _size(image: bytes) -> tuple[int, int]:
    """Return width and height of an image; 0 and 0 if it is none."""
    try:
        header = read_header(image)
    except ImageFaultError:
        return 0, 0
    return header.width, header.height


def _reference_copied(judged: Judged) -> ClosedGate | None:
    """Look for a file that is the reference, or has its pixels."""
    code, reference = judged.record.rendering.structure or "", judged.content.reference
    if not code or not reference:
        return None
    own = (("an encoded image of the source", encoded_image) for encoded_image in _encoded_images(code))
    given = ((f"the file {name!r}", asset) for name, asset in judged.content.assets.items() if name in code)
    wanted, pixels = _size(reference), _ReferencePixels(reference)
    for name, image in (*own, *given):
        same_size = _size(image) == wanted != (0, 0)
        if image == reference or (same_size and pixels.are_those_of(image)):
            return ClosedGate(Gate.REFERENCE_COPIED, f"{name} is the reference", lowers=True)
    return None


class _ReferencePixels:
    """The pixels of a reference, decoded when they are first needed."""

    def __init__(self, reference: bytes) -> None:
        self._reference = reference

    @cached_property
    def _pixels(self) -> bytes | None:
        return _pixels(self._reference)

    def are_those_of(self, image: bytes) -> bool:
        """Return whether an image has the same pixels."""
        return self._pixels is not None and _pixels(image) == self._pixels


def _pixels(image: bytes) -> bytes | None:
    """Return the pixels of an image, None if it is damaged."""
    try:
        return decode_image(image).convert("RGB").tobytes()
    except ImageFaultError:
        return None


#: What of a figure its image shows, where the renderer does not say.
_WHOLE = FigureBox(0.0, 0.0, 1.0, 1.0)


def _outside_page(judged: Judged) -> ClosedGate | None:
    if judged.rendering is None or judged.png is None or not judged.rendering.figures:
        return None
    figure = judged.rendering.figures[0]
    outside = _texts_outside(figure)
    if not outside:
        return None
    return ClosedGate(Gate.OUTSIDE_PAGE, f"{outside} of {len(figure.texts)} texts lie outside of the image")


def _texts_outside(figure: Figure) -> int:
    shown = figure.shown or _WHOLE
    return sum(not _meet(text.box, shown) for text in figure.texts if text.text.strip())


def _meet(box: FigureBox, other: FigureBox) -> bool:
    across = box.x < other.x + other.width and other.x < box.x + box.width
    return across and box.y < other.y + other.height and other.y < box.y + box.height
