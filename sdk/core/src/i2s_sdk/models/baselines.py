"""Models without a server: the oracle, baselines that look at nothing, and programs that only read.

A value of a metric means little without them: two white images of LaTeX are alike in most pixels.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
import shutil
import signal
import subprocess
import sys
import threading
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, cast

from i2s_sdk.data.folder import read_content
from i2s_sdk.data.imports.items import ImageReader
from i2s_sdk.errors import DataError, ModelError, UsageError, require_package
from i2s_sdk.instances.images import PILLOW_PIXELS, decode_image
from i2s_sdk.instances.instance import Instance
from i2s_sdk.instances.pdf import pdf_fault
from i2s_sdk.models.completion_bound import AnswerTooLongError, bounded_completion
from i2s_sdk.models.model import Completion, Finish, Model
from i2s_sdk.models.options import ModelOptions
from i2s_sdk.models.processes import run_program
from i2s_sdk.models.provider import one_line
from i2s_sdk.models.question import read_question
from i2s_sdk.tasks.ocr_page import Colour, OcrLine, OcrPage
from i2s_sdk.tasks.question import FilePart, Question
from i2s_sdk.tasks.registry import BUILT_IN, SPECS, task_spec
from i2s_sdk.tasks.turn import DONE
from i2s_sdk.tasks.visualwebbench.kinds import KINDS, Form
from i2s_sdk.tasks.visualwebbench.letters import LETTERS

if TYPE_CHECKING:
    import numpy
    from PIL import Image


#: Why baselines answer no further turns.
_BLIND = "it looks at nothing"


class Oracle(Model):
    """Answers with the ground truth of the instance, as models write it; how, each task says.

    There is nothing to correct in it: in a further turn it says that it is done.
    """

    name = "oracle"
    whole = True

    async def complete(self, instance: Instance, question: Question) -> Completion:
        """Return the ground truth, or what of it answers the question.

        Raises:
            ModelError: The instance has none, or it cannot be read.
        """
        if question.earlier:
            return Completion(DONE)
        if instance.structure is None and instance.target is None:
            raise ModelError(f"instance {instance.id!r} has no ground truth; the oracle has nothing to say")
        return Completion(await _right_answer(instance, question))


class BlankBaseline(Model):
    """Answers with a document that shows nothing, in the size of the reference image if there is one."""

    name = "baseline/blank"
    single_turn = _BLIND
    fingerprint = "2"
    whole = True

    async def complete(self, instance: Instance, question: Question) -> Completion:
        """Return the answer of the task; see ``TaskSpec.blank``.

        Raises:
            ModelError: The reference cannot be read.
        """
        size = await asyncio.to_thread(_size, instance.image) if instance.image is not None else None
        return Completion(task_spec(instance.task).blank(size), Finish.STOP)


class ConstantBaseline(Model):
    """Gives the same answer to every instance of a task."""

    name = "baseline/constant"
    single_turn = _BLIND
    whole = True

    def __init__(self) -> None:
        specs = SPECS.usable().items()
        texts = sorted((name, spec.constant) for name, spec in specs if spec.constant or name in BUILT_IN)
        self.fingerprint = hashlib.sha256(repr(texts).encode()).hexdigest()[:16]

    async def complete(self, instance: Instance, question: Question) -> Completion:
        """Return the answer of the task; see ``TaskSpec.constant``."""
        return Completion(task_spec(instance.task).constant, Finish.STOP)


class ShuffledBaseline(Model):
    """Answers with the ground truth of another instance of the same task and subset.

    Each instance with ground truth lends it to the next one, in the order of the SHA-256 of their ids; so no
    instance gets its own, if the subset has two.
    """

    name = "baseline/shuffled"
    single_turn = _BLIND
    fingerprint = "next by sha256 of the id"
    whole = True

    def __init__(self) -> None:
        self._lenders: dict[str, Instance] = {}

    def prepare(self, instances: Sequence[Instance]) -> None:
        """Learn which instances there are; called before the first answer.

        Args:
            instances: All of the run, whichever of them this process answers.
        """
        groups: defaultdict[tuple[str, str], list[Instance]] = defaultdict(list)
        for instance in instances:
            groups[instance.task, instance.subset].append(instance)
        for group in groups.values():
            ordered = sorted(group, key=lambda one: (hashlib.sha256(one.id.encode()).digest(), one.id))
            lender: Instance | None = None
            # Twice around from the end, so that the last ones find those at the beginning.
            for instance in (*reversed(ordered), *reversed(ordered)):
                if lender is not None and lender is not instance:
                    self._lenders[instance.id] = lender
                if instance.structure is not None or instance.target is not None:
                    lender = instance

    async def complete(self, instance: Instance, question: Question) -> Completion:
        """Return the answer that would be right for the other instance.

        Raises:
            ModelError: There is no other instance with ground truth, or it cannot be read.
        """
        lender = self._lenders.get(instance.id)
        if lender is None:
            raise ModelError(
                f"instance {instance.id!r}: no other instance of subset {instance.subset!r} has ground truth"
            )
        return Completion(await _right_answer(lender, question), Finish.STOP)


async def _right_answer(instance: Instance, question: Question) -> str:
    """Return the answer of the ground truth of an instance.

    Raises:
        ModelError: It cannot be read.
    """
    try:
        content = await asyncio.to_thread(read_content, instance)
    except DataError as error:
        raise ModelError(error.message) from None
    return task_spec(instance.task).answer(content, question)


def _size(path: Path) -> tuple[int, int]:
    """Return width and height of an image in pixels.

    Raises:
        ModelError: It cannot be read.
    """
    try:
        return decode_image(path.read_bytes()).size
    except (OSError, ValueError) as error:
        raise ModelError(f"{path}: {error}") from None


_FORMS: Mapping[str, Form] = {kind.name: kind.form for kind in KINDS}


class ChanceBaseline(Model):
    """Takes one of the choices of an instance, which the SHA-256 of its id decides."""

    name = "baseline/chance"
    single_turn = _BLIND
    fingerprint = "sha256 of the id"

    async def complete(self, instance: Instance, question: Question) -> Completion:
        """Return the letter, the box or a point of one of the choices.

        The answer to a question of VisualWebBench for a text is empty, and counts 0.

        Raises:
            ModelError: The instance is of another benchmark.
        """
        form, options = _FORMS.get(instance.task), instance.inputs.get("options")
        if form is None:
            raise ModelError(f"{self.name} chooses, and task {instance.task!r} has no choices")
        if form not in (Form.LETTER, Form.BOX, Form.POINT) or not options:
            return Completion("", Finish.STOP)
        index = int.from_bytes(hashlib.sha256(instance.id.encode()).digest()) % len(options)
        return Completion(_answer(form, options[index], index), Finish.STOP)


def _answer(form: Form, option: Any, index: int) -> str:  # noqa: ANN401 - a choice as its line has it
    if form is Form.LETTER:
        return LETTERS[index]
    x1, y1, x2, y2 = map(float, option)
    place = (x1, y1, x2, y2) if form is Form.BOX else ((x1 + x2) / 2, (y1 + y2) / 2)
    return f"[{', '.join(f'{number:.6f}' for number in place)}]"


#: The models of this module, by name.
BASELINES: Mapping[str, Callable[[], Model]] = {
    "oracle": Oracle,
    "baseline/blank": BlankBaseline,
    "baseline/constant": ConstantBaseline,
    "baseline/shuffled": ShuffledBaseline,
    "baseline/chance": ChanceBaseline,
}


_SHADES = 16  # values of a channel that count as one colour when colours are counted


class _Reading(Protocol):
    """The result of RapidOCR: four corners and the words of each line, in one order."""

    boxes: numpy.ndarray | None
    txts: tuple[str, ...] | None


class _Engine(Protocol):
    """RapidOCR, as far as it is used."""

    def __call__(self, pixels: numpy.ndarray) -> _Reading: ...


class Reader:
    """Reads images, as many at the same time as the process has processors and ``most`` allows.

    Each engine computes in one thread: threads that wait for one another burn a third of the CPU time.

    Args:
        most: Maximum number of engines; each takes up to 1.5 GiB once it has read a large image.
    """

    def __init__(self, most: int = 2) -> None:
        self.places = max(1, min(most, os.cpu_count() or 1))
        self._free = threading.BoundedSemaphore(self.places)
        self._idle: list[_Engine] = []

    def read(self, png: bytes) -> OcrPage:
        """Return the words of an image. Waits while all engines read; may be called by many threads.

        Args:
            png: The file of the image.
        """
        import numpy

        image = decode_image(png, PILLOW_PIXELS).convert("RGB")
        with self._free:
            engine = self._idle.pop() if self._idle else _engine()
            # RapidOCR takes arrays as OpenCV has them: blue, green, red.
            reading = engine(numpy.asarray(image)[:, :, ::-1].copy())
            self._idle.append(engine)
        boxes = reading.boxes if reading.boxes is not None else ()
        lines = [
            line
            for corners, text in zip(boxes, reading.txts or (), strict=True)
            if (line := _line(image, corners.tolist(), str(text).strip())) is not None
        ]
        lines.sort(key=lambda line: (line.top, line.left))
        return OcrPage(image.width, image.height, _most_frequent(image), tuple(lines))


def _engine() -> _Engine:
    from rapidocr import RapidOCR

    onnx = "EngineConfig.onnxruntime"
    threads = {f"{onnx}.intra_op_num_threads": 1, f"{onnx}.inter_op_num_threads": 1}
    # The arena keeps memory from one image for the next.
    params = {"Global.log_level": "error", f"{onnx}.enable_cpu_mem_arena": True, **threads}
    return cast("_Engine", RapidOCR(params=params))


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
    colours = image.getcolors(image.width * image.height) or []
    return [(number, cast("Colour", colour)) for number, colour in colours]


def image_reader() -> ImageReader:
    """Return the program that reads images, for imports.

    Raises:
        UsageError: RapidOCR or its engine is not installed.
    """
    _require_ocr("the words of images")
    return ImageReader(f"rapidocr {version('rapidocr')}", Reader(1).read)


def _require_ocr(purpose: str) -> None:
    for package in ("rapidocr", "onnxruntime"):
        require_package(package, "ocr", purpose)


#: Version of the way in which lines are written back; a change makes another model of it.
LAYOUT_VERSION = 1


class OcrBaseline(Model):
    """Reads the words of an image and writes them back where they stood. Needs no network.

    Raises:
        UsageError: RapidOCR or its engine is not installed.
    """

    name = "baseline/ocr"
    single_turn = "it only reads"

    def __init__(self) -> None:
        _require_ocr(f"model {self.name!r}")
        self.fingerprint = f"rapidocr {version('rapidocr')}, layout {LAYOUT_VERSION}"
        self._reader = Reader()
        self.concurrency = self._reader.places

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


_PROGRAM = "pdftotext"
_BYTES = 4  # of UTF-8, at most, for a character
_VERSION_SECONDS = 10.0


class PdfToText(Model):
    """Answers with the text of the document. The program that is installed is used; it reads hostile files.

    Each document has a process of its own with limits of CPU time and memory, which can write no file.

    Args:
        options: Options of models: the limits, and how long a completion may be; None takes the defaults.

    Raises:
        UsageError: The program is not installed.
    """

    name = "baseline/pdftotext"
    single_turn = "it only reads"
    whole = True
    concurrency = 4

    def __init__(self, options: ModelOptions | None = None) -> None:
        self._options = options or ModelOptions()
        program = shutil.which(_PROGRAM)
        if program is None:
            raise UsageError(
                f"model {self.name!r} needs poppler's program {_PROGRAM}: "
                "apt-get install poppler-utils, or brew install poppler"
            )
        self._program = program
        self.fingerprint = _version(program)

    async def complete(self, instance: Instance, question: Question) -> Completion:
        """Return the text of the document of a question.

        Raises:
            ModelError: The question has no document, it cannot be read, or the program exceeded a limit.
        """
        documents = [part.path.absolute() for part in question.parts if isinstance(part, FilePart)]
        if len(documents) != 1:
            raise ModelError(f"{self.name} reads one document, and this question has {len(documents)}")
        fault = await asyncio.to_thread(pdf_fault, documents[0])
        if fault:
            raise ModelError(f"document {documents[0].name}: {fault}")
        return await self._read(documents[0])

    async def _read(self, document: Path) -> Completion:
        options = self._options
        limits = str(options.pdftotext_cpu_seconds), str(options.pdftotext_memory_bytes)
        limiter = str(files("i2s_sdk.models").joinpath("limited_program.py"))
        argv = [sys.executable, "-I", "-S", limiter, *limits, self._program]
        try:
            async with asyncio.timeout(options.call_seconds):
                code, out, err = await run_program(
                    [*argv, str(document), "-"], b"", _BYTES * options.completion_characters
                )
        except AnswerTooLongError:
            return Completion("", Finish.TOO_LONG)
        except TimeoutError:
            raise ModelError(f"{_PROGRAM} took more than {options.call_seconds:g} seconds") from None
        if code == -signal.SIGXCPU:
            raise ModelError(
                f"{_PROGRAM} took more than {options.pdftotext_cpu_seconds:g} seconds of CPU time "
                "(--set pdftotext_cpu_seconds=N)"
            )
        if code != 0:
            said = one_line(err.decode("utf-8", "replace")[-300:])
            raise ModelError(f"{_PROGRAM} ended with code {code}{': ' + said if said else ''}")
        text = out.decode("utf-8", "replace")
        return bounded_completion(Completion(text, Finish.STOP), options.completion_characters)


def _version(program: str) -> str:
    """Return the first line of what the program says of itself.

    Raises:
        UsageError: It cannot be run.
    """
    try:
        said = subprocess.run([program, "-v"], capture_output=True, check=False, timeout=_VERSION_SECONDS)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise UsageError(f"{program} cannot be run: {one_line(error)}") from None
    return one_line((said.stderr or said.stdout).decode("utf-8", "replace").partition("\n")[0])
