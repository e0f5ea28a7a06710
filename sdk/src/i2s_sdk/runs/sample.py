"""One sample from instance to record: generate, render with repairs, score."""

from __future__ import annotations

import asyncio
import hashlib
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from i2s_sdk.clients.metrics import AsyncMetricsClient
from i2s_sdk.clients.render import AsyncRenderClient
from i2s_sdk.clients.score_types import MetricFailureKind, Score
from i2s_sdk.data.instance import Instance
from i2s_sdk.errors import DataError, ModelError, ProtocolError, ServiceError
from i2s_sdk.models.model import Model
from i2s_sdk.render_types import Rendering
from i2s_sdk.runs.outcome import Outcome
from i2s_sdk.runs.record import Failure, FirstError, Record, RepairNote
from i2s_sdk.runs.sizes import size_policy
from i2s_sdk.tasks import Attempts, NoStructure, Structure, render_with_repairs_async
from i2s_sdk.tasks.latex import LatexDocument, LatexTask
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
class Bench:
    """What every sample of a task goes through.

    Attributes:
        task: Prompt, extraction, documents, repairs.
        model: Gives completions.
        renderer: Makes pictures of documents.
        scorer: Compares pictures.
        image_metrics: That the scorer is asked for.
        pictures: Where references and renderings are kept.
    """

    task: LatexTask
    model: Model
    renderer: AsyncRenderClient
    scorer: AsyncMetricsClient
    image_metrics: tuple[str, ...]
    pictures: PictureStore

    async def sample(self, instance: Instance) -> Record:
        """Take an instance through all stages; it ends in exactly one outcome.

        Raises:
            DataError: The reference or the ground truth cannot be read.
        """
        reference = await asyncio.to_thread(_read, instance.image)
        truth = await self._truth(instance)
        watch = _Watch()
        record = replace(_blank(instance), reference_sha256=self.pictures.put_picture(reference))
        try:
            with watch("generate"):
                completion = await self.model.complete(instance, self.task.prompt())
            record = replace(record, completion=completion.text)
            structure = self.task.structure_from(completion.text)
            if isinstance(structure, NoStructure):
                zeros = self._zeros(truth)
                record = replace(
                    record, outcome=Outcome.NO_STRUCTURE, message=structure.reason, metrics=zeros
                )
            else:
                with watch("render"):
                    attempts = await self._render(instance, structure)
                record = self._rendered(replace(record, structure=structure.code), attempts)
                with watch("score"):
                    record = await self._scored(record, instance, reference, truth, attempts)
        except (ModelError, ServiceError, ProtocolError) as error:
            failure = Failure(type(error).__name__, error.message)
            record = replace(record, outcome=_FAILED_IN[watch.stage], failure=failure)
        return replace(record, seconds=watch.seconds)

    async def _truth(self, instance: Instance) -> str | None:
        """Return the text of the ground truth that ``edit`` compares with."""
        code = None
        if instance.structure is not None:
            code = (await asyncio.to_thread(_read, instance.structure)).decode("utf-8", "replace")
        return self.task.reference_text(code, instance.text)

    async def _render(self, instance: Instance, structure: Structure) -> Attempts[LatexDocument]:
        async def once(document: LatexDocument) -> Rendering:
            rendering = await self.renderer.render_latex(
                document.source, page=self.task.page(), request_id=instance.id
            )
            if rendering.verdict.has_picture and not rendering.pictures:
                raise ProtocolError(f"the renderer answered {rendering.verdict.name} without a picture")
            return rendering

        return await render_with_repairs_async(self.task, self.task.document(structure), once)

    def _rendered(self, record: Record, attempts: Attempts[LatexDocument]) -> Record:
        last = attempts.last
        error = last.error
        picture = last.pictures[0] if last.verdict.has_picture else None
        return replace(
            record,
            verdict=last.verdict,
            verdict_before_repair=attempts.first.verdict,
            repairs=tuple(RepairNote(str(one.kind), one.detail, one.error) for one in attempts.repairs),
            message=last.message,
            error=FirstError(error.message, error.kind.name, error.line) if error else None,
            rendering_sha256=self.pictures.put_picture(picture.png) if picture else "",
            document_sha256=hashlib.sha256(
                attempts.document.source.encode("utf-8", "surrogatepass")
            ).hexdigest(),
            width=picture.width if picture else 0,
            height=picture.height if picture else 0,
            pages=last.total_pages,
            engine_digest=last.engine.digest,
            isolation=last.isolation.tier.name.lower(),
        )

    async def _scored(
        self,
        record: Record,
        instance: Instance,
        reference: bytes,
        truth: str | None,
        attempts: Attempts[LatexDocument],
    ) -> Record:
        if not attempts.last.verdict.has_picture:
            return replace(record, outcome=Outcome.SCORED, metrics=self._zeros(truth))
        metrics: dict[str, float | None] = {}
        undefined: dict[str, str] = {}
        if self.image_metrics:
            score = await self.scorer.score(
                reference,
                attempts.last.pictures[0].png,
                size_policy=size_policy(instance.task),
                profile=self.task.profile,
                metrics=self.image_metrics,
                request_id=instance.id,
            )
            metrics, undefined = _values(score, self.image_metrics)
        if truth is not None:
            text = self.task.text_for_edit(attempts.document)
            metrics[EDIT] = await asyncio.to_thread(edit_similarity, text, truth, self.task.profile)
        return replace(record, outcome=Outcome.SCORED, metrics=metrics, undefined=undefined)

    def _zeros(self, truth: str | None) -> dict[str, float | None]:
        """Return the score of a sample without a picture: 0 in every metric that it could have had."""
        return dict.fromkeys((*self.image_metrics, *((EDIT,) if truth is not None else ())), 0.0)


class _Watch:
    """Seconds by stage, and which stage it is."""

    def __init__(self) -> None:
        self.stage, self.seconds = "", dict[str, float]()
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


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise DataError(path, 0, f"cannot be read: {error.strerror}") from None
