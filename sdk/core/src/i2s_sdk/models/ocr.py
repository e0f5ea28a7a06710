"""The model ``baseline/ocr``: the words of an image at their positions."""

from __future__ import annotations

import asyncio
import threading
from importlib.metadata import version
from typing import TYPE_CHECKING, Protocol, cast

from i2s_sdk.errors import ModelError
from i2s_sdk.instances.images import PILLOW_PIXELS, decode_image
from i2s_sdk.instances.instance import Instance
from i2s_sdk.models.model import Completion, Finish, Model
from i2s_sdk.models.question import read_question
from i2s_sdk.models.vendors import require_package
from i2s_sdk.tasks.ocr_page import Colour, OcrLine, OcrPage
from i2s_sdk.tasks.question import Question

if TYPE_CHECKING:
    import numpy
    from PIL import Image


_SHADES = 16  # values of a channel that count as one colour when colours are counted


class _Reading(Protocol):
    """The result of RapidOCR: four corners and the words of each line, in one order."""

    boxes: numpy.ndarray | None
    txts: tuple[str, ...] | None


class _Engine(Protocol):
    """RapidOCR, as far as it is used."""

    def __call__(self, pixels: numpy.ndarray) -> _Reading: ...


class Reader:
    """Reads images, one at a time; the engine is made for the first."""

    def __init__(self) -> None:
        self._one_at_a_time = threading.Lock()
        self._engine: _Engine | None = None

    def read(self, png: bytes) -> OcrPage:
        """Return the words of an image.

        Args:
            png: The file of the image.
        """
        import numpy

        image = decode_image(png, PILLOW_PIXELS).convert("RGB")
        with self._one_at_a_time:
            self._engine = self._engine or _engine()
            # RapidOCR takes arrays as OpenCV has them: blue, green, red.
            found = self._engine(numpy.asarray(image)[:, :, ::-1].copy())
        boxes = found.boxes if found.boxes is not None else ()
        lines = [
            line
            for corners, text in zip(boxes, found.txts or (), strict=True)
            if (line := _line(image, corners.tolist(), str(text).strip())) is not None
        ]
        lines.sort(key=lambda line: (line.top, line.left))
        return OcrPage(image.width, image.height, _most_frequent(image), tuple(lines))


def _engine() -> _Engine:
    from rapidocr import RapidOCR

    return cast("_Engine", RapidOCR(params={"Global.log_level": "error"}))


def _line(image: Image.Image, corners: list[list[float]], text: str) -> OcrLine | None:
    """Return the line in a quadrilateral, upright and inside of the image; None if nothing is left."""
    across, down = [x for x, _ in corners], [y for _, y in corners]
    left, right = max(0, round(min(across))), min(image.width, round(max(across)))
    top, bottom = max(0, round(min(down))), min(image.height, round(max(down)))
    if not text or right <= left or bottom <= top:
        return None
    part = image.crop((left, top, right, bottom))
    paper = _most_frequent(part)
    return OcrLine(text, left, top, right, bottom, ink=_farthest(part, paper), paper=paper)


def _most_frequent(image: Image.Image) -> Colour:
    """Return the mean of the most frequent colour, shades that are close taken together."""
    groups: dict[Colour, list[int]] = {}
    for number, (red, green, blue) in _colours(image):
        key = (red // _SHADES, green // _SHADES, blue // _SHADES)
        sums = groups.setdefault(key, [0, 0, 0, 0])
        for index, value in enumerate((1, red, green, blue)):
            sums[index] += number * value
    most, red, green, blue = max(groups.values(), key=lambda sums: sums[0])
    return round(red / most), round(green / most), round(blue / most)


def _farthest(image: Image.Image, paper: Colour) -> Colour:
    """Return the colour that differs most from that of the paper: the ink where no edge softens it."""

    def distance(colour: Colour) -> int:
        red, green, blue = (a - b for a, b in zip(colour, paper, strict=True))
        return red * red + green * green + blue * blue

    return max((colour for _, colour in _colours(image)), key=distance)


def _colours(image: Image.Image) -> list[tuple[int, Colour]]:
    """Return the number of pixels of each colour of an RGB image."""
    found = image.getcolors(image.width * image.height) or []
    return [(number, cast("Colour", colour)) for number, colour in found]


#: Version of the way in which lines are written back; a change makes another model of it.
LAYOUT_VERSION = 1


class OcrBaseline(Model):
    """Reads the words of an image and writes them back where they stood. Needs no network.

    Raises:
        UsageError: RapidOCR or its engine is not installed.
    """

    name = "baseline/ocr"

    def __init__(self) -> None:
        for package in ("rapidocr", "onnxruntime"):
            require_package(package, "ocr", self.name)
        self.fingerprint = f"rapidocr {version('rapidocr')}, layout {LAYOUT_VERSION}"
        self._reader = Reader()

    async def complete(self, instance: Instance, question: Question) -> Completion:
        """Return the words of the image as a structure of its task, or those that answer the question.

        Raises:
            ModelError: There is no way to write a structure of this task, or the question has no image, or
                several that are not pages of a document.
            DataError: The image cannot be read.
        """
        from i2s_sdk.tasks.registry import task_spec  # imports the packages of all tasks

        spec = task_spec(instance.task)
        if spec.ocr_answer is None:
            raise ModelError(f"{self.name} cannot write structures of task {instance.task!r}")
        images = (await asyncio.to_thread(read_question, instance, question)).images
        if len(images) != 1 and not (images and spec.shows_pages):
            raise ModelError(f"{self.name} reads one image, and this question has {len(images)}")
        pages = [await asyncio.to_thread(self._reader.read, image.content) for image in images]
        return Completion(spec.ocr_answer(pages, instance.inputs), Finish.STOP)


__all__ = ["OcrBaseline"]
