"""The model ``baseline/ocr``."""

from __future__ import annotations

import asyncio
from importlib.metadata import version

from i2s_sdk.errors import ModelError
from i2s_sdk.instances.instance import Instance
from i2s_sdk.models.model import Completion, Finish, Model
from i2s_sdk.models.ocr.reading import Reader
from i2s_sdk.models.question import read_question
from i2s_sdk.models.vendors import require_package
from i2s_sdk.tasks.question import Question

#: Version of the way in which lines are written back; a change makes another model of it.
LAYOUT_VERSION = 1


class OcrBaseline(Model):
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
        from i2s_sdk.tasks.registry import task_spec  # imports the packages of all tasks

        spec = task_spec(instance.task)
        if spec.ocr_answer is None:
            raise ModelError(f"{self.name} cannot write structures of task {instance.task!r}")
        images = (await asyncio.to_thread(read_question, instance, question)).images
        if len(images) != 1 and not (images and spec.shows_pages):
            raise ModelError(f"{self.name} reads one image, and this question has {len(images)}")
        pages = [await asyncio.to_thread(self._reader.read, image.content) for image in images]
        return Completion(spec.ocr_answer(pages, instance.inputs), Finish.STOP)
