"""The stage "render": reads structures out of answers and, for tasks that render, makes pictures of them."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, Generic, Protocol

from i2s_client.service_table import renderer_of
from i2s_sdk.data.folder import read_content
from i2s_sdk.errors import I2SError, ProtocolError, ServiceError
from i2s_sdk.instances.instance import Content
from i2s_sdk.run.caches.renders import Renderer
from i2s_sdk.run.kept_texts import kept_document, kept_log, kept_target
from i2s_sdk.run.picture_limits import PictureLimits, refuse_unpaddable
from i2s_sdk.run.sample import Sample, Watch, put_reference, unread
from i2s_sdk.run.storage.answer import Answer
from i2s_sdk.run.storage.folder import RunFolder
from i2s_sdk.run.storage.outcome import Outcome
from i2s_sdk.run.storage.read_sample import FirstError, ReadingNote, ReadSample, RepairNote
from i2s_sdk.run.storage.rendered import Rendered
from i2s_sdk.tasks import Attempts, NoStructure, RenderedTask, Structure, Task, render_with_repairs_async
from i2s_sdk.tasks.answer_reading import read_answer
from i2s_sdk.tasks.repair import Repair
from i2s_sdk.tasks.task import D
from i2s_wire.render.rendering import Rendering
from i2s_wire.render.source_error import SourceError


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
        self, read: ReadSample, content: Content, answer: Answer
    ) -> tuple[Rendered, bytes | None]:
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

    async def rendered(self, read: ReadSample, content: Content, answer: Answer) -> tuple[Rendered, None]:
        """Return what was read out of an answer."""
        read, found = await asyncio.to_thread(_structure, self.task, read, answer)
        if isinstance(found, Rendered):
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
    picture_limits: Mapping[str, PictureLimits] = field(default_factory=dict)

    async def rendered(
        self, read: ReadSample, content: Content, answer: Answer
    ) -> tuple[Rendered, bytes | None]:
        """Return what becomes of an answer, and the picture if there is one.

        Raises:
            ServiceError: The renderer does not answer.
            ProtocolError: It answers what it must not.
        """
        truth = await self._truth(content, read.id)
        read, structure = await asyncio.to_thread(_structure, self.task, read, answer)
        if isinstance(structure, Rendered):
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
        limits = self.picture_limits.get(service, PictureLimits()).within(request.limits)
        rendering = await self.renderers[service].render(replace(request, id=identity, limits=limits))
        if rendering.verdict.has_picture and not rendering.pictures:
            raise ProtocolError(f"the renderer answered {rendering.verdict.name} without a picture")
        return rendering


def _structure(task: Task, read: ReadSample, answer: Answer) -> tuple[ReadSample, Structure | Rendered]:
    """Return the structure in an answer, or the result of an answer without one; and how it was read."""
    if answer.outcome is not None:  # refused, or too long: nothing is read
        return read, _continued(read, outcome=answer.outcome, message=answer.message)
    found = read_answer(task, answer.completion or "", read.assets)
    structure = found.structure
    read = replace(read, reading=ReadingNote.of(found.answer, structure))
    if isinstance(structure, NoStructure):
        return read, _continued(read, outcome=Outcome(str(structure.absence)), message=structure.reason)
    return read, structure


def _continued(read: ReadSample, **found: Any) -> Rendered:  # noqa: ANN401 - fields of Rendered
    """Return what is known of a sample, with what this stage has found."""
    return Rendered(**{one.name: getattr(read, one.name) for one in fields(ReadSample)} | found)


def _noted(repairs: Iterable[Repair]) -> tuple[RepairNote, ...]:
    return tuple(RepairNote(str(one.kind), one.detail, one.error) for one in repairs)


def _rendered(read: ReadSample, structure: Structure, attempts: Attempts[D]) -> Rendered:
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
