"""The stage "render": reads structures out of answers and, for tasks that render, makes images of them."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, Generic, Protocol

from i2s_client.service_table import renderer_of
from i2s_sdk.data.folder import read_content
from i2s_sdk.errors import I2SError, ProtocolError, ServiceError
from i2s_sdk.instances.images import PILLOW_PIXELS, ImageFaultError, read_header
from i2s_sdk.instances.instance import Content
from i2s_sdk.run.cached_results import Renderer
from i2s_sdk.run.sample import Sample, Watch, put_reference, unread
from i2s_sdk.run.storage.answer import SampleAnswer
from i2s_sdk.run.storage.folder import RunFolder
from i2s_sdk.run.storage.record import (
    FirstError,
    Outcome,
    ReadingNote,
    ReadSample,
    RepairNote,
    SampleRendering,
)
from i2s_sdk.tasks import Attempts, NoStructure, RenderedTask, Structure, Task, render_with_repairs_async
from i2s_sdk.tasks.answer_reading import read_answer
from i2s_sdk.tasks.repair import Repair
from i2s_sdk.tasks.task import D
from i2s_sdk.visible import visible
from i2s_wire.metrics.description import MetricsDescription
from i2s_wire.metrics.score import SizePolicy
from i2s_wire.render.description import RendererDescription
from i2s_wire.render.rendering import LogExcerpt, Rendering, Verdict
from i2s_wire.render.resources import Limits
from i2s_wire.render.source_error import SourceError

#: Characters of a document or of a ground truth that is kept to be shown; a longer one is not kept.
DOCUMENT_CHARACTERS = 50_000

#: Characters of a log that are kept from its beginning and from its end.
LOG_HEAD, LOG_TAIL = 1_000, 3_000


def kept_document(source: str, structure: Structure) -> str | None:
    """Return a document as it is kept beside its structure; None if it is the structure, or too long."""
    if source == structure.code:
        return None
    return _shown_text(source)


def kept_log(log: LogExcerpt) -> str | None:
    """Return the beginning and the end of a log, without control characters; None if it is empty."""
    if not log.tail and len(log.head) <= LOG_HEAD + LOG_TAIL:
        return visible(log.head) or None
    tail = (log.tail or log.head)[-LOG_TAIL:]
    left = log.total_bytes - len((log.head[:LOG_HEAD] + tail).encode("utf-8", "replace"))
    gap = f"\n… {left} bytes are left out …\n" if left > 0 else ""
    return visible(f"{log.head[:LOG_HEAD]}{gap}{tail}")


def kept_target(content: Content) -> str | None:
    """Return the structure of a ground truth as answers have it; None if there is none, or it is too long.

    Of a site, these are its files that are text.
    """
    if content.site is None:
        return _shown_text(content.structure) if content.structure else None
    texts: dict[str, str] = {}
    for name, file in content.site.items():
        try:
            texts[name] = file.decode()
        except UnicodeDecodeError:  # an image or a font
            continue
    files = [{"filename": name, "content": text} for name, text in texts.items()]
    return _shown_text(json.dumps(files, indent=1, ensure_ascii=False)) if files else None


def _shown_text(text: str) -> str | None:
    return None if len(text) > DOCUMENT_CHARACTERS else text.encode("utf-8", "replace").decode()


@dataclass(frozen=True, slots=True)
class ImageLimits:
    """The largest picture that a run's services all take.

    Attributes:
        pixels: Width times height; 0 leaves the renderer's default.
        picture_bytes: Size in bytes of the PNG; 0 leaves the renderer's default.
    """

    pixels: int = 0
    picture_bytes: int = 0

    def within(self, wanted: Limits | None) -> Limits:
        """Return the limits that a renderer is asked for: those wanted, and no more than these."""
        wanted = wanted or Limits()
        return replace(
            wanted,
            pixels=_least(wanted.pixels, self.pixels),
            picture_bytes=_least(wanted.picture_bytes, self.picture_bytes),
        )


def image_limits(renderer: RendererDescription, comparer: MetricsDescription | None) -> ImageLimits:
    """Return the limits for one renderer.

    Args:
        renderer: Its defaults hold if they are lower.
        comparer: The metric service; None if pictures are rendered and not scored now.
    """
    if comparer is None:
        return ImageLimits()
    default = renderer.default_limits
    return ImageLimits(
        _least(default.pixels, comparer.max_image_pixels),
        _least(default.picture_bytes, comparer.max_image_bytes),
    )


def refuse_unpaddable(rendering: Rendering, reference: bytes, policy: SizePolicy) -> Rendering:
    """Return a rendering; one that cannot be compared with its reference has the verdict PIXEL_LIMIT instead.

    With ``SizePolicy.PAD`` both pictures get the larger width and the larger height, so a long thin picture
    beside a wide flat one has far more pixels than either. The limit is the one that was in force when the
    picture was rendered. A reference that is too large by itself, or that is no picture, is no fault of the
    model and is left to the metric service to name.

    Args:
        rendering: Rendering of a model's answer.
        reference: The picture that it is compared with, encoded.
        policy: How the two get one size.
    """
    if policy is not SizePolicy.PAD or not rendering.pictures or not rendering.limits.pixels:
        return rendering
    picture, most, size = rendering.pictures[0], rendering.limits.pixels, _size_of(reference)
    if size is None or size[0] * size[1] > most:
        return rendering
    width, height = max(picture.width, size[0]), max(picture.height, size[1])
    if width * height <= most:
        return rendering
    message = (
        f"The picture has {picture.width} x {picture.height} pixels and its reference {size[0]} x {size[1]}; "
        f"padded to {width} x {height} they have more than the limit of {most}."
    )
    return replace(rendering, verdict=Verdict.PIXEL_LIMIT, message=message, pictures=())


def _least(*values: int) -> int:
    """Return the least of some limits, of which 0 is none."""
    return min((value for value in values if value), default=0)


def _size_of(picture: bytes) -> tuple[int, int] | None:
    """Return width and height from the header; None for a file that is no picture."""
    try:
        header = read_header(picture, PILLOW_PIXELS)
    except ImageFaultError:
        return None
    return header.width, header.height


@dataclass(frozen=True, slots=True)
class RenderStage:
    """Reads the answers that were not read yet, and renders those of tasks that render.

    Attributes:
        steps: Steps by task; or why there is none.
        folder: Folder of the run.
    """

    steps: Mapping[str, ReadStep | I2SError]
    folder: RunFolder

    async def __call__(self, sample: Sample) -> Sample:
        """Return the sample rendered, or ended.

        Raises:
            DataError: The reference or the ground truth cannot be read.
        """
        if sample.answer is None:
            sample = replace(sample, answer=self.folder.answer(sample.instance.id))
        assert sample.answer is not None, "only what was answered is rendered"
        rendered = self.folder.rendered(sample.instance.id)
        if rendered is not None:
            return replace(sample, rendered=rendered)
        content = await asyncio.to_thread(read_content, sample.instance)
        digest = await asyncio.to_thread(put_reference, self.folder, content)
        read = unread(sample.instance, tuple(content.assets), digest, content.target_sha256)
        step = self.steps[sample.instance.task]
        if isinstance(step, I2SError):
            return sample.stopped(Outcome.RENDER_FAILURE, step, read)
        watch = Watch()
        try:
            rendered, picture = await step.rendered(read, content, sample.answer)
        except (ServiceError, ProtocolError) as error:
            read = replace(read, seconds={"render": watch.seconds})
            return sample.stopped(Outcome.RENDER_FAILURE, error, read)
        if picture is not None:
            await asyncio.to_thread(self.folder.put_picture, picture)
        rendered = replace(rendered, seconds={"render": watch.seconds}, target=kept_target(content))
        self.folder.put_rendered(rendered)
        return replace(sample, rendered=rendered, reference=content.reference, rendering=picture)


class ReadStep(Protocol):
    """What the answers of a task go through."""

    async def rendered(
        self, read: ReadSample, content: Content, answer: SampleAnswer
    ) -> tuple[SampleRendering, bytes | None]:
        """Return what becomes of an answer, and the picture if there is one.

        Args:
            read: What is known of the sample so far.
            content: Content of its instance.
            answer: What the model said.

        Raises:
            ServiceError: A service does not answer.
            ProtocolError: It answers what it must not.
        """
        ...


@dataclass(frozen=True, slots=True)
class StructureStep:
    """What the answers of a task without renderings go through.

    Attributes:
        task: The task that reads structures.
    """

    task: Task

    async def rendered(
        self, read: ReadSample, content: Content, answer: SampleAnswer
    ) -> tuple[SampleRendering, None]:
        """Return what was read out of an answer."""
        read, found = await asyncio.to_thread(_structure, self.task, read, answer)
        if isinstance(found, SampleRendering):
            return found, None
        return _continued(read, usable=True, structure=found.code, repairs=_noted(found.repairs)), None


@dataclass(frozen=True, slots=True)
class RenderStep(Generic[D]):
    """What the answers of a task that renders go through.

    Attributes:
        task: The task that reads structures; has documents and repairs.
        renderers: Make pictures of documents, by the names of their services.
        with_texts: Whether scorers need the texts of rendering and ground truth.
        picture_limits: What is asked for of the size of pictures, by the names of the services.
    """

    task: RenderedTask[D]
    renderers: Mapping[str, Renderer]
    with_texts: bool
    picture_limits: Mapping[str, ImageLimits] = field(default_factory=dict)

    async def rendered(
        self, read: ReadSample, content: Content, answer: SampleAnswer
    ) -> tuple[SampleRendering, bytes | None]:
        """Return what becomes of an answer, and the picture if there is one.

        Raises:
            ServiceError: The renderer does not answer.
            ProtocolError: It answers what it must not.
        """
        truth = await self._truth(content, read.id)
        read, structure = await asyncio.to_thread(_structure, self.task, read, answer)
        if isinstance(structure, SampleRendering):
            return replace(structure, truth=truth), None
        attempts = await self._attempts(structure, content, read.id)
        picture = attempts.last.pictures[0].png if attempts.last.verdict.has_picture else None
        text = None
        if truth is not None and picture is not None:
            text = await asyncio.to_thread(self.task.text_for_edit, attempts.document, attempts.last)
        rendered = replace(
            _rendered(read, structure, attempts),
            text=text,
            truth=truth,
            document=kept_document(attempts.document.source, structure),
            log=kept_log(attempts.last.log),
        )
        return rendered, picture

    async def _attempts(self, structure: Structure, content: Content, identity: str) -> Attempts[D]:
        async def render(document: D) -> Rendering:
            rendering = await self._render(document, identity)
            return refuse_unpaddable(rendering, content.reference, self.task.size_policy)

        document = self.task.document(structure, content.assets)
        return await render_with_repairs_async(self.task, document, render)

    async def _truth(self, content: Content, identity: str) -> str | None:
        """Return the text of the ground truth that is compared with, rendering it if need be."""
        if not self.with_texts:
            return None
        truth = await asyncio.to_thread(self.task.truth, content)
        if truth is None or isinstance(truth, str):
            return truth

        async def render(document: D) -> Rendering:
            return await self._render(document, identity)

        attempts = await render_with_repairs_async(self.task, truth, render)
        if not attempts.last.verdict.has_picture:
            return content.text
        return await asyncio.to_thread(self.task.text_for_edit, attempts.document, attempts.last)

    async def _render(self, document: D, identity: str) -> Rendering:
        request = self.task.request(document)
        service = renderer_of(request.source, self.task.services)
        limits = self.picture_limits.get(service, ImageLimits()).within(request.limits)
        rendering = await self.renderers[service].render(replace(request, id=identity, limits=limits))
        if rendering.verdict.has_picture and not rendering.pictures:
            raise ProtocolError(f"the renderer answered {rendering.verdict.name} without a picture")
        return rendering


def _structure(
    task: Task, read: ReadSample, answer: SampleAnswer
) -> tuple[ReadSample, Structure | SampleRendering]:
    """Return the structure in an answer, or the result of an answer without one; and how it was read."""
    if answer.outcome is not None:  # refused, or too long: nothing is read
        return read, _continued(read, outcome=answer.outcome, message=answer.message)
    found = read_answer(task, answer.completion or "", read.assets)
    structure = found.structure
    read = replace(read, reading=ReadingNote.of(found.answer, structure))
    if isinstance(structure, NoStructure):
        return read, _continued(read, outcome=Outcome(str(structure.absence)), message=structure.reason)
    return read, structure


def _continued(read: ReadSample, **found: Any) -> SampleRendering:  # noqa: ANN401 - fields of Rendered
    """Return what is known of a sample, with what this stage has found."""
    return SampleRendering(**{one.name: getattr(read, one.name) for one in fields(ReadSample)} | found)


def _noted(repairs: Iterable[Repair]) -> tuple[RepairNote, ...]:
    return tuple(RepairNote(str(one.kind), one.detail, one.error) for one in repairs)


def _rendered(read: ReadSample, structure: Structure, attempts: Attempts[D]) -> SampleRendering:
    last = attempts.last
    first = attempts.first.error if len(attempts.renderings) > 1 else None
    picture = last.pictures[0] if last.verdict.has_picture else None
    source = attempts.document.source.encode("utf-8", "surrogatepass")
    return _continued(
        read,
        usable=last.verdict.has_picture,
        structure=structure.code,
        verdict=last.verdict,
        verdict_before_repair=None if structure.repairs else attempts.first.verdict,
        repairs=_noted((*structure.repairs, *attempts.repairs)),
        message=last.message,
        error=_first_error(last.error),
        error_before_repair=_first_error(first),
        rendering_sha256=hashlib.sha256(picture.png).hexdigest() if picture else "",
        document_sha256=hashlib.sha256(source).hexdigest(),
        width=picture.width if picture else 0,
        height=picture.height if picture else 0,
        pages=last.total_pages,
        engine_digest=last.engine.digest,
        isolation=last.isolation.tier.name.lower(),
    )


def _first_error(error: SourceError | None) -> FirstError | None:
    return FirstError(error.message, error.kind.name, error.line) if error else None
