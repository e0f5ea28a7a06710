"""The stage "score": compares pictures and texts, and ends the sample."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, replace

from i2s_sdk.clients.metrics import AsyncMetricsClient
from i2s_sdk.errors import ProtocolError, ServiceError
from i2s_sdk.evaluation.sample import Sample, Watch
from i2s_sdk.runlog.folder import RunFolder
from i2s_sdk.runlog.outcome import Outcome
from i2s_sdk.runlog.record import Record
from i2s_sdk.runlog.rendered import Rendered
from i2s_sdk.score_types import MetricFailureKind, Score
from i2s_sdk.tasks.spec import AnyTask
from i2s_sdk.text.edit_similarity import EDIT, edit_similarity


@dataclass(frozen=True, slots=True)
class ScoreStep:
    """How the samples of a task are compared.

    Attributes:
        task: Decides sizes and profile.
        scorer: Compares pictures.
        image_metrics: That the scorer is asked for.
        text_metrics: That are computed here.
    """

    task: AnyTask
    scorer: AsyncMetricsClient
    image_metrics: tuple[str, ...]
    text_metrics: tuple[str, ...]

    async def scored(self, rendered: Rendered, reference: bytes, prediction: bytes | None) -> Record:
        """Return the record of what was rendered, with its values; without what the model said.

        Args:
            rendered: What was rendered.
            reference: The picture, encoded.
            prediction: The same of the rendering; None where there is none.

        Raises:
            ServiceError: The metric service does not answer.
            ProtocolError: It answers what it must not.
        """
        record = rendered.record
        if prediction is None:  # 0 in every metric that it could have had
            names = (*self.image_metrics, *(self.text_metrics if rendered.truth is not None else ()))
            outcome = Outcome.SCORED if record.outcome is Outcome.CANCELLED else record.outcome
            return replace(record, outcome=outcome, metrics=dict.fromkeys(names, 0.0))
        metrics: dict[str, float | None] = {}
        undefined: dict[str, str] = {}
        if self.image_metrics:
            score = await self.scorer.score(
                reference,
                prediction,
                size_policy=self.task.size_policy,
                profile=self.task.profile,
                metrics=self.image_metrics,
                request_id=record.id,
            )
            metrics, undefined = _values(score, self.image_metrics)
        if rendered.truth is not None:
            texts = rendered.text or "", rendered.truth
            metrics[EDIT] = await asyncio.to_thread(edit_similarity, *texts, self.task.profile)
        return replace(record, outcome=Outcome.SCORED, metrics=metrics, undefined=undefined)


@dataclass(frozen=True, slots=True)
class ScoreStage:
    """Gives every sample that was rendered its values.

    Attributes:
        steps: By task.
        folder: Of the run.
    """

    steps: Mapping[str, ScoreStep]
    folder: RunFolder

    async def __call__(self, sample: Sample) -> Sample:
        """Return the sample, ended.

        Raises:
            DataError: A picture of the run is not there any more.
        """
        identity = sample.instance.id
        if sample.rendered is None:
            answer, rendered = self.folder.answer(identity), self.folder.rendered(identity)
            sample = replace(sample, answer=answer, rendered=rendered)
        answer, rendered = sample.answer, sample.rendered
        assert answer is not None, "only what was answered is scored"
        assert rendered is not None, "only what was rendered is scored"
        step = self.steps[sample.instance.task]
        watch = Watch()
        try:
            pictures = await asyncio.to_thread(self._pictures, sample, rendered.record)
            record = await step.scored(rendered, *pictures)
        except (ServiceError, ProtocolError) as error:
            known = replace(rendered.record, seconds={**rendered.record.seconds, "score": watch.seconds})
            return sample.stopped(Outcome.METRIC_FAILURE, error, known)
        record = replace(record, seconds={**record.seconds, "score": watch.seconds})
        return replace(sample, record=replace(rendered, record=record).record_with(answer))

    def _pictures(self, sample: Sample, record: Record) -> tuple[bytes, bytes | None]:
        """Return reference and rendering: those at hand, or as an earlier start kept them."""
        if not record.has_picture:
            return b"", None
        return (
            sample.reference or self.folder.picture(record.reference_sha256),
            sample.rendering or self.folder.picture(record.rendering_sha256),
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
