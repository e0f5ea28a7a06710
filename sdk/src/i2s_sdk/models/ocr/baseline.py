"""The model ``baseline/ocr``."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from importlib.metadata import version

from i2s_sdk.errors import ModelError
from i2s_sdk.instances.instance import Instance
from i2s_sdk.models.model import Completion, Finish
from i2s_sdk.models.ocr.latex import as_latex
from i2s_sdk.models.ocr.lines import Page
from i2s_sdk.models.ocr.markdown import as_markdown
from i2s_sdk.models.ocr.music import as_score
from i2s_sdk.models.ocr.reading import Reader
from i2s_sdk.models.ocr.web_answers import ANSWERERS
from i2s_sdk.models.ocr.webpage import as_webpage
from i2s_sdk.models.question import read_question
from i2s_sdk.models.vendors import require_package
from i2s_sdk.tasks.question import Question

#: Of how lines are written back; a change makes another model of it.
LAYOUT_VERSION = 1

_WRITERS: dict[str, Callable[[Page], str]] = {"latex": as_latex, "webpage": as_webpage, "music": as_score}

#: Of tasks whose questions show one or more pages of a document.
_OF_PAGES: dict[str, Callable[[Page], str]] = {"readoc": as_markdown}


class OcrBaseline:
    """Reads the words of a picture and writes them back where they stood. Needs no network.

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
        """Return the words of the picture as a structure of its task, or those that answer the question.

        Raises:
            ModelError: There is no way to write a structure of this task, or the question has no image, or
                several that are not pages of a document.
            DataError: The image cannot be read.
        """
        write, answer = _WRITERS.get(instance.task), ANSWERERS.get(instance.task)
        if write is None and answer is None and instance.task not in _OF_PAGES:
            raise ModelError(f"{self.name} cannot write structures of task {instance.task!r}")
        images = (await asyncio.to_thread(read_question, instance, question)).images
        if instance.task in _OF_PAGES and images:
            pages = [await asyncio.to_thread(self._reader.read, image.content) for image in images]
            return Completion("\n\n".join(map(_OF_PAGES[instance.task], pages)), Finish.STOP)
        if len(images) != 1:
            raise ModelError(f"{self.name} reads one image, and this question has {len(images)}")
        page = await asyncio.to_thread(self._reader.read, images[0].content)
        said = (
            write(page) if write is not None else answer(page, instance.inputs) if answer is not None else ""
        )
        return Completion(said, Finish.STOP)
