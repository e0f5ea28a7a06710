"""One sample from instance to record: generate, render with repairs, score."""

from __future__ import annotations

import asyncio
import hashlib
import time
from dataclasses import dataclass, replace
from typing import Generic, Protocol

from i2s_sdk.clients.metrics import AsyncMetricsClient
from i2s_sdk.clients.render import AsyncRenderClient
from i2s_sdk.data.content import Content, read_content
from i2s_sdk.data.instance import Instance
from i2s_sdk.errors import I2SError, ModelError, ProtocolError, ServiceError
from i2s_sdk.models.model import Model
from i2s_sdk.render_types import Rendering
from i2s_sdk.runs.outcome import Outcome
from i2s_sdk.runs.record import Failure, FirstError, Record, RepairNote
from i2s_sdk.score_types import MetricFailureKind, Score
from i2s_sdk.tasks import Attempts, NoStructure, Structure, Task, render_with_repairs_async
from i2s_sdk.tasks.task import D
from i2s_sdk.text.edit_similarity import EDIT, edit_similarity

_FAILED_IN = {
    "generate": Outcome.MODEL_FAILURE,
    "render": Outcome.RENDER_FAILURE,
    "score": Outcome.METRIC_FAILURE,
}


class PictureStore(Protocol):
    """Where pictures are kept."""

    def put_picture(self, png: bytes) -> str:
        """Keep a picture and return its SHA-256."""
        ...


@dataclass(frozen=True, slots=True)
class Bench(Generic[D]):
    """What every sample of a task goes through.

    Attributes:
        task: Prompt, extraction, documents, repairs.
        model: Gives completions.
        renderer: Makes pictures of documents; or why there is none.
        scorer: Compares pictures.
        image_metrics: That the scorer is asked for.
        text_metrics: That are computed here.
        pictures: Where references and renderings are kept.
    """

    task: Task[D]
    model: Model
    renderer: AsyncRenderClient | I2SError
    scorer: AsyncMetricsClient
    image_metrics: tuple[str, ...]
    text_metrics: tuple[str, ...]
    pictures: PictureStore

    async def sample(self, instance: Instance) -> Record:
        """Take an instance through all stages; it ends in exactly one outcome.

        Raises:
            DataError: The reference or the ground truth cannot be read.
        """
        content = await asyncio.to_thread(read_content, instance)
        watch = _Watch()
        record = replace(
            _blank(instance),
            assets=tuple(content.assets),
            reference_sha256=self.pictures.put_picture(content.reference),
        )
        if isinstance(self.renderer, I2SError):  # before the model is asked, which may cost money
            failure = Failure(type(self.renderer).__name__, self.renderer.message)
            return replace(record, outcome=Outcome.RENDER_FAILURE, failure=failure)
        try:
            record = await self._stages(self.renderer, instance, content, record, watch)
        except (ModelError, ServiceError, ProtocolError) as error:
            record = replace(
                watch.record or record,
                outcome=_FAILED_IN[watch.stage],
                failure=Failure(type(error).__name__, error.message),
            )
        return replace(record, seconds=watch.seconds)

    async def _stages(
        self, renderer: AsyncRenderClient, instance: Instance, content: Content, record: Record, watch: _Watch
    ) -> Record:
        """Generate, render, score; ``watch`` keeps what is known when a stage fails."""
        assets = tuple(content.assets)
        with watch("generate"):
            completion = await self.model.complete(instance, self.task.prompt(assets))
        record = watch.record = replace(record, completion=completion.text)
        structure = self.task.structure_from(completion.text, assets)
        render = _Rendering(self.task, renderer, instance.id)
        with watch("render"):
            truth = await self._truth(content, render)
            if isinstance(structure, NoStructure):
                zeros = self._zeros(truth)
                return replace(record, outcome=Outcome.NO_STRUCTURE, message=structure.reason, metrics=zeros)
            document = self.task.document(structure, content.assets)
            attempts = await render_with_repairs_async(self.task, document, render)
        record = watch.record = self._rendered(replace(record, structure=structure.code), structure, attempts)
        with watch("score"):
            return await self._scored(record, content, truth, attempts)

    async def _truth(self, content: Content, render: _Rendering[D]) -> str | None:
        """Return the text of the ground truth that ``edit`` compares with, rendering it where need be."""
        if not self.text_metrics:
            return None
        truth = await asyncio.to_thread(self.task.truth, content)
        if truth is None or isinstance(truth, str):
            return truth
        rendering = await render(truth)
        if not rendering.verdict.has_picture:
            return content.text
        return await asyncio.to_thread(self.task.text_for_edit, truth, rendering)

    def _rendered(self, record: Record, structure: Structure, attempts: Attempts[D]) -> Record:
        last = attempts.last
        error = last.error
        picture = last.pictures[0] if last.verdict.has_picture else None
        repairs = (*structure.repairs, *attempts.repairs)
        source = attempts.document.source.encode("utf-8", "surrogatepass")
        return replace(
            record,
            verdict=last.verdict,
            verdict_before_repair=None if structure.repairs else attempts.first.verdict,
            repairs=tuple(RepairNote(str(one.kind), one.detail, one.error) for one in repairs),
            message=last.message,
            error=FirstError(error.message, error.kind.name, error.line) if error else None,
            rendering_sha256=self.pictures.put_picture(picture.png) if picture else "",
            document_sha256=hashlib.sha256(source).hexdigest(),
            width=picture.width if picture else 0,
            height=picture.height if picture else 0,
            pages=last.total_pages,
            engine_digest=last.engine.digest,
            isolation=last.isolation.tier.name.lower(),
        )

    async def _scored(
        self, record: Record, content: Content, truth: str | None, attempts: Attempts[D]
    ) -> Record:
        if not attempts.last.verdict.has_picture:
            return replace(record, outcome=Outcome.SCORED, metrics=self._zeros(truth))
        metrics: dict[str, float | None] = {}
        undefined: dict[str, str] = {}
        if self.image_metrics:
            score = await self.scorer.score(
                content.reference,
                attempts.last.pictures[0].png,
                size_policy=self.task.size_policy,
                profile=self.task.profile,
                metrics=self.image_metrics,
                request_id=record.id,
            )
            metrics, undefined = _values(score, self.image_metrics)
        if truth is not None:
            metrics[EDIT] = await asyncio.to_thread(self._edit, attempts, truth)
        return replace(record, outcome=Outcome.SCORED, metrics=metrics, undefined=undefined)

    def _edit(self, attempts: Attempts[D], truth: str) -> float:
        text = self.task.text_for_edit(attempts.document, attempts.last)
        return edit_similarity(text, truth, self.task.profile)

    def _zeros(self, truth: str | None) -> dict[str, float | None]:
        """Return the score of a sample without a picture: 0 in every metric that it could have had."""
        texts = self.text_metrics if truth is not None else ()
        return dict.fromkeys((*self.image_metrics, *texts), 0.0)


@dataclass(frozen=True, slots=True)
class _Rendering(Generic[D]):
    """Renders documents of one instance."""

    task: Task[D]
    renderer: AsyncRenderClient
    instance_id: str

    async def __call__(self, document: D) -> Rendering:
        request = replace(self.task.request(document), id=self.instance_id)
        rendering = await self.renderer.render(request)
        if rendering.verdict.has_picture and not rendering.pictures:
            raise ProtocolError(f"the renderer answered {rendering.verdict.name} without a picture")
        return rendering


class _Watch:
    """Seconds by stage, which stage it is, and what was known at its beginning."""

    def __init__(self) -> None:
        self.stage, self.seconds = "", dict[str, float]()
        self.record: Record | None = None
        self._started = 0.0

    def __call__(self, stage: str) -> _Watch:
        self.stage = stage
        return self

    def __enter__(self) -> None:
        self._started = time.monotonic()

    def __exit__(self, *ended: object) -> None:
        self.seconds[self.stage] = round(time.monotonic() - self._started, 4)


def _blank(instance: Instance) -> Record:
    """Return the record of a sample that has not ended yet."""
    return Record(
        id=instance.id,
        task=instance.task,
        subset=instance.subset,
        difficulty=instance.difficulty,
        outcome=Outcome.CANCELLED,
    )


def _values(score: Score, wanted: tuple[str, ...]) -> tuple[dict[str, float | None], dict[str, str]]:
    """Return the values by name, and why those are missing that are not defined for the pair.

    Raises:
        ProtocolError: A metric is missing for another reason.
    """
    values: dict[str, float | None] = {}
    undefined: dict[str, str] = {}
    for name in wanted:
        result = next((one for one in score.results if one.name == name), None)
        if result is None:
            raise ProtocolError(f"the metric service did not answer {name!r}")
        if result.failure is not None and result.failure.kind is not MetricFailureKind.UNDEFINED:
            raise ProtocolError(f"{name}: {result.failure.kind.name.lower()}: {result.failure.message}")
        values[name] = result.value
        if result.failure is not None:
            undefined[name] = result.failure.message
    return values, undefined
