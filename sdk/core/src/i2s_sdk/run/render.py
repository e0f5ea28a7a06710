"""The stage "render": reads structures out of answers and, for tasks that render, makes images of them."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Generic, Protocol

from i2s_client.service_table import renderer_of
from i2s_sdk.data.folder import read_content
from i2s_sdk.errors import GroundTruthError, I2SError, ProtocolError, ScorerError, ServiceError
from i2s_sdk.instances.images import PILLOW_PIXELS, ImageFaultError, read_header
from i2s_sdk.instances.instance import Content
from i2s_sdk.reading import AnswerText
from i2s_sdk.run.caches import MACHINE_VERDICTS, Renderer
from i2s_sdk.run.failures import judging
from i2s_sdk.run.pipeline import Sample, Watch, stored_facts
from i2s_sdk.run.storage.folder import RunFolder
from i2s_sdk.run.storage.record import (
    Failure,
    FirstError,
    Outcome,
    ReadingNote,
    RepairNote,
    SampleAnswer,
    SampleInstance,
    SampleRendering,
)
from i2s_sdk.run.truths import Truth, Truths, truth_key
from i2s_sdk.tasks import Attempts, NoStructure, RenderedTask, Structure, Task, render_with_repairs_async
from i2s_sdk.tasks.answer_reading import line_of_answer, read_answer
from i2s_sdk.tasks.repair import Repair
from i2s_sdk.tasks.structure import NO_CHOICE, Origin
from i2s_sdk.tasks.task import D
from i2s_sdk.tasks.turn import turn_name
from i2s_sdk.visible import visible
from i2s_wire.metrics.description import MetricsDescription
from i2s_wire.metrics.score import SizePolicy
from i2s_wire.render.description import RendererDescription
from i2s_wire.render.rendering import LogExcerpt, Rendering, Verdict
from i2s_wire.render.request import RenderRequest
from i2s_wire.render.resources import Limits
from i2s_wire.render.source_error import SourceError

#: Characters of a document or of a ground truth that is kept to be shown; a longer one is not kept.
DOCUMENT_CHARACTERS = 50_000

#: Characters of a log that are kept from its beginning and from its end.
LOG_HEAD, LOG_TAIL = 1_000, 3_000


def stored_document(source: str, structure: Structure) -> str | None:
    """Return a document as it is kept beside its structure; None if it is the structure, or too long."""
    if source == structure.code:
        return None
    return _shown_text(source)


def stored_log(log: LogExcerpt) -> str | None:
    """Return the beginning and the end of a log, without control characters; None if it is empty."""
    if not log.tail and len(log.head) <= LOG_HEAD + LOG_TAIL:
        return visible(log.head) or None
    tail = (log.tail or log.head)[-LOG_TAIL:]
    left = log.total_bytes - len((log.head[:LOG_HEAD] + tail).encode("utf-8", "replace"))
    gap = f"\n… {left} bytes are left out …\n" if left > 0 else ""
    return visible(f"{log.head[:LOG_HEAD]}{gap}{tail}")


def stored_target(content: Content) -> str | None:
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
    """The largest image that a run's services all take."""

    #: Width times height; 0 leaves the renderer's default.
    pixels: int = 0
    #: Size in bytes of the PNG; 0 leaves the renderer's default.
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
        comparer: The metric service; None if images are rendered and not scored now.
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

    With ``SizePolicy.PAD`` both images get the larger width and the larger height, so a long thin image
    beside a wide flat one has far more pixels than either. The limit is the one that was in force when the
    image was rendered. A reference that is too large by itself, or that is not an image, is not a fault of
    the model and is left to the metric service to name.

    Args:
        rendering: Rendering of a model's answer.
        reference: The image that it is compared with, encoded.
        policy: How the two get one size.
    """
    if policy is not SizePolicy.PAD or not rendering.pictures or not rendering.limits.pixels:
        return rendering
    image, most, size = rendering.pictures[0], rendering.limits.pixels, _size_of(reference)
    if size is None or size[0] * size[1] > most:
        return rendering
    width, height = max(image.width, size[0]), max(image.height, size[1])
    if width * height <= most:
        return rendering
    message = (
        f"The picture has {image.width} x {image.height} pixels and its reference {size[0]} x {size[1]}; "
        f"padded to {width} x {height} they have more than the limit of {most}."
    )
    return replace(rendering, verdict=Verdict.PIXEL_LIMIT, message=message, pictures=())


def _least(*values: int) -> int:
    """Return the least of some limits, of which 0 is none."""
    return min((value for value in values if value), default=0)


def _size_of(image: bytes) -> tuple[int, int] | None:
    """Return width and height from the header; None for a file that is not an image."""
    try:
        header = read_header(image, PILLOW_PIXELS)
    except ImageFaultError:
        return None
    return header.width, header.height


@dataclass(frozen=True, slots=True)
class RenderStage:
    """Reads the answers that were not read yet, and renders those of tasks that render."""

    #: Steps by task; or why there is none.
    steps: Mapping[str, ReadStep | I2SError]
    #: Folder of the run.
    folder: RunFolder

    async def __call__(self, sample: Sample) -> Sample:
        """Return the sample rendered, or ended.

        Raises:
            DataError: The reference or the ground truth cannot be read.
        """
        if sample.answer is None:
            answer = self.folder.answer(sample.instance.id, turn_name(sample.turn))
            sample = replace(sample, answer=answer)
        assert sample.answer is not None, "only what was answered is rendered"
        done = self.folder.rendering(sample.instance.id, sample.turn)
        if done is not None:
            facts, rendering = done
            return replace(sample, facts=facts, rendering=rendering)
        content = await asyncio.to_thread(read_content, sample.instance)
        facts = await asyncio.to_thread(stored_facts, self.folder, sample.instance, content)
        step = self.steps[sample.instance.task]
        if isinstance(step, I2SError):
            return sample.ended_as(facts, _failed(step))
        watch = Watch()
        try:
            with judging(facts.id):
                rendering, image = await step.render(facts, content, sample.answer)
        except (ServiceError, ScorerError, ProtocolError) as error:
            return sample.ended_as(facts, _failed(error, watch.seconds))
        if image is not None:
            await asyncio.to_thread(self.folder.put_image, image)
        rendering = replace(rendering, seconds=watch.seconds, target=stored_target(content))
        self.folder.put_rendering(facts, rendering, sample.turn)
        return replace(sample, facts=facts, rendering=rendering, reference=content.reference, image=image)


def _failed(error: I2SError, seconds: float | None = None) -> SampleRendering:
    return SampleRendering(outcome=Outcome.RENDER_FAILURE, failure=Failure.of(error), seconds=seconds)


class ReadStep(Protocol):
    """The reading, and in some tasks the rendering, of the answers of a task."""

    async def render(
        self, facts: SampleInstance, content: Content, answer: SampleAnswer
    ) -> tuple[SampleRendering, bytes | None]:
        """Return the rendering of an answer, and the image if there is one, encoded.

        Args:
            facts: The instance.
            content: Its content.
            answer: What the model said.

        Raises:
            ServiceError: A service does not answer.
            ProtocolError: It answers what it must not.
        """
        ...


@dataclass(frozen=True, slots=True)
class StructureStep:
    """The reading of the answers of a task without renderings."""

    #: The task that reads structures.
    task: Task

    async def render(
        self, facts: SampleInstance, content: Content, answer: SampleAnswer
    ) -> tuple[SampleRendering, None]:
        """Return what was read out of an answer."""
        structure, rendering = await asyncio.to_thread(_read, self.task, facts, answer)
        if structure is None:
            return rendering, None
        repairs = _notes(structure.repairs)
        return replace(rendering, usable=True, structure=structure.code, repairs=repairs), None


@dataclass(frozen=True, slots=True)
class RenderStep(Generic[D]):
    """The reading and rendering of the answers of a task that renders."""

    #: The task that reads structures; has documents and repairs.
    task: RenderedTask[D]
    #: Make images of documents, by the names of their services.
    renderers: Mapping[str, Renderer]
    #: Whether scorers need the texts of rendering and ground truth.
    with_texts: bool
    #: Whether scorers need what the engine drew of both.
    with_drawn: bool = False
    #: What is asked for of the size of images, by the names of the services.
    image_limits: Mapping[str, ImageLimits] = field(default_factory=dict)
    #: Ground truths that were rendered for other models and turns; None keeps none.
    truths: Truths | None = None

    async def render(
        self, facts: SampleInstance, content: Content, answer: SampleAnswer
    ) -> tuple[SampleRendering, bytes | None]:
        """Return the rendering of an answer, and the image if there is one, encoded.

        Raises:
            ServiceError: The renderer does not answer, or the ground truth met a limit of the machine.
            ProtocolError: It answers what it must not.
        """
        truth = await self._truth(content, facts.id)
        structure, rendering = await asyncio.to_thread(_read, self.task, facts, answer)
        rendering = replace(rendering, truth=truth.text, drawn_truth=truth.drawn, no_truth=truth.missing)
        if structure is None:
            return rendering, None
        attempts = await self._attempts(structure, content, facts.id)
        image = attempts.last.pictures[0].png if attempts.last.verdict.has_picture else None
        text = drawn = None
        if truth.text is not None and image is not None:
            text = await asyncio.to_thread(self.task.text_for_edit, attempts.document, attempts.last)
        if truth.drawn is not None and image is not None:
            drawn = await asyncio.to_thread(self.task.drawn, attempts.document, attempts.last)
        rendering = _rendering(rendering, structure, attempts, answer.completion or "")
        return replace(rendering, text=text, drawn=drawn), image

    async def _attempts(self, structure: Structure, content: Content, identity: str) -> Attempts[D]:
        async def render(document: D) -> Rendering:
            rendering = await self._render(document, identity)
            return refuse_unpaddable(rendering, content.reference, self.task.size_policy)

        document = self.task.document(structure, content.assets)
        return await render_with_repairs_async(self.task, document, render)

    async def _truth(self, content: Content, identity: str) -> Truth:
        """Return what of the ground truth is compared with, rendering it if need be.

        Raises:
            GroundTruthError: It has to be rendered for its text, and crashed its engine or met a limit of the
                machine.
        """
        if not self.with_texts:
            return Truth()
        truth = await asyncio.to_thread(self.task.truth, content)
        text = truth if isinstance(truth, str) else None
        document = None if isinstance(truth, str) else truth
        draws_text = document is not None
        if document is None and self.with_drawn:
            drawn_truth = await asyncio.to_thread(self.task.drawn_truth, content)
            if isinstance(drawn_truth, str):
                return Truth(text, drawn_truth)
            document = drawn_truth
        if document is None:
            return Truth(text)

        async def render() -> Truth:
            return await self._rendered_truth(document, content, text, identity, draws_text=draws_text)

        if self.truths is None:
            return await render()
        key = await asyncio.to_thread(truth_key, self.task, self._request(document))
        return await self.truths.value(key, render)

    async def _rendered_truth(
        self, document: D, content: Content, text: str | None, identity: str, *, draws_text: bool
    ) -> Truth:
        async def render(document: D) -> Rendering:
            return await self._render(document, identity)

        attempts = await render_with_repairs_async(self.task, document, render)
        last = attempts.last
        if draws_text and last.verdict in MACHINE_VERDICTS:
            raise _ground_truth_error(last)
        if not last.verdict.has_picture:
            why = f"the ground truth was not rendered ({last.verdict.name}: {last.message})"
            text = content.text if draws_text else text
            return Truth(text, missing=why if text is None or self.with_drawn else "")
        if draws_text:
            text = await asyncio.to_thread(self.task.text_for_edit, attempts.document, last)
        drawn = None
        if self.with_drawn:
            drawn = await asyncio.to_thread(self.task.drawn, attempts.document, last)
        return Truth(text, drawn)

    def _request(self, document: D) -> RenderRequest:
        request = self.task.drawn_request(document) if self.with_drawn else self.task.request(document)
        service = renderer_of(request.source, self.task.services)
        return replace(request, limits=self.image_limits.get(service, ImageLimits()).within(request.limits))

    async def _render(self, document: D, identity: str) -> Rendering:
        request = replace(self._request(document), id=identity)
        rendering = await self.renderers[renderer_of(request.source, self.task.services)].render(request)
        if rendering.verdict.has_picture and not rendering.pictures:
            raise ProtocolError(f"the renderer answered {rendering.verdict.name} without an image")
        return rendering


def _ground_truth_error(rendering: Rendering) -> GroundTruthError:
    verdict, said = rendering.verdict.name, rendering.message
    return GroundTruthError(
        f"the ground truth was not rendered ({verdict}: {said}), so there is nothing to compare with; the "
        "same command tries again, and higher limits of the renderer help one that needs more",
        address="",
        method="Render",
        status=verdict,
        detail=said,
    )


def _read(
    task: Task, facts: SampleInstance, answer: SampleAnswer
) -> tuple[Structure | None, SampleRendering]:
    """Return the structure in an answer, None if there is none; and the rendering so far, with the reason."""
    if answer.outcome is not None:  # refused, or too long: nothing is read
        return None, SampleRendering(outcome=answer.outcome, message=answer.message)
    reading = read_answer(task, answer.completion or "", facts.assets)
    structure, note = reading.structure, reading_note(reading.answer, reading.structure)
    if isinstance(structure, NoStructure):
        outcome = Outcome(str(structure.absence))
        return None, SampleRendering(outcome=outcome, message=structure.reason, reading=note)
    return structure, SampleRendering(reading=note)


def reading_note(answer: AnswerText, structure: Structure | NoStructure) -> ReadingNote | None:
    """Return the note of a reading; None if all of the completion was read and nothing was chosen."""
    choice = structure.choice if isinstance(structure, Structure) else NO_CHOICE
    origin = structure.origin if isinstance(structure, Structure) else Origin.BARE
    noted = str(origin) if origin in (Origin.UNCLOSED_FENCE, Origin.EXCERPT) else ""
    whole = (answer.start, answer.end) == (0, len(answer.completion))
    if whole and choice == NO_CHOICE and not noted:
        return None
    return ReadingNote(answer.start, answer.end, choice.blocks, choice.taken, noted)


def _notes(repairs: Iterable[Repair]) -> tuple[RepairNote, ...]:
    return tuple(RepairNote(str(repair.kind), repair.detail, repair.error) for repair in repairs)


def _rendering(
    read: SampleRendering, structure: Structure, attempts: Attempts[D], completion: str
) -> SampleRendering:
    """Return the rendering of a structure that was read, after its last attempt."""
    last = attempts.last
    first = attempts.first.error if len(attempts.renderings) > 1 else None
    image = last.pictures[0] if last.verdict.has_picture else None
    source = attempts.document.source.encode("utf-8", "surrogatepass")
    return replace(
        read,
        usable=last.verdict.has_picture,
        structure=structure.code,
        verdict=last.verdict,
        verdict_before_repair=None if structure.repairs else attempts.first.verdict,
        repairs=_notes((*structure.repairs, *attempts.repairs)),
        message=last.message,
        error=_first_error(last.error, attempts.document.source, completion),
        error_before_repair=_first_error(first, attempts.original.source, completion),
        sha256=hashlib.sha256(image.png).hexdigest() if image else "",
        document_sha256=hashlib.sha256(source).hexdigest(),
        width=image.width if image else 0,
        height=image.height if image else 0,
        pages=last.total_pages,
        engine_digest=last.engine.digest,
        isolation=last.isolation.tier.name.lower(),
        document=stored_document(attempts.document.source, structure),
        log=stored_log(last.log),
    )


def _first_error(error: SourceError | None, document: str, completion: str) -> FirstError | None:
    if error is None:
        return None
    own = 0 if error.file else line_of_answer(completion, document, error.line)
    return FirstError(error.message, error.kind.name, error.line, own)
