"""A sample on its way through the stages, and its trace."""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from pathlib import PurePath

from i2s_sdk.instances.instance import Content, Instance
from i2s_sdk.run.pipeline import Stage
from i2s_sdk.run.storage.folder import RunFolder
from i2s_sdk.run.storage.record import Record, SampleAnswer, SampleInstance, SampleRendering, SampleScore
from i2s_wire.tracing import AttributeValue, Span, begin_trace, current_span, span, within


@dataclass(frozen=True, slots=True)
class Sample:
    """A sample between two stages: an instance, and the parts of its record that were written so far."""

    instance: Instance
    #: None if the stage "generate" is not through, or an earlier start did it.
    answer: SampleAnswer | None = None
    #: The instance as the record has it, with digests of what it is compared with; None if nothing was read.
    facts: SampleInstance | None = None
    #: None if the stage "render" is not through, or an earlier start did it.
    rendering: SampleRendering | None = None
    #: The whole record, once the sample has ended.
    record: Record | None = None
    #: The reference image, encoded; None if it was not read yet.
    reference: bytes | None = field(default=None, repr=False)
    #: The image that was rendered, encoded; None if there is none, or an earlier start made it.
    image: bytes | None = field(default=None, repr=False)

    @property
    def ended(self) -> bool:
        """Whether nothing is left to do."""
        return self.record is not None

    def ended_as(
        self,
        facts: SampleInstance,
        rendering: SampleRendering | None = None,
        score: SampleScore | None = None,
    ) -> Sample:
        """Return the sample with its record, composed of its answer and of these parts."""
        answer = self.answer or SampleAnswer()
        record = Record(facts, answer, rendering or SampleRendering(), score or SampleScore())
        return replace(self, record=record)


def instance_facts(instance: Instance, content: Content | None = None, reference: str = "") -> SampleInstance:
    """Return an instance as the record of its sample has it.

    Args:
        instance: The instance.
        content: Its content; None if nothing was read.
        reference: Digest of the reference image; empty if there is none.
    """
    return SampleInstance(
        id=instance.id,
        task=instance.task,
        subset=instance.subset,
        difficulty=instance.difficulty,
        assets=() if content is None else tuple(content.assets),
        reference_sha256=reference,
        target_sha256="" if content is None else content.target_sha256,
    )


def stored_facts(folder: RunFolder, instance: Instance, content: Content) -> SampleInstance:
    """Store the reference image of a sample in its run, and return the instance as its record has it."""
    reference = folder.put_image(content.reference) if content.reference else ""
    return instance_facts(instance, content, reference)


class Watch:
    """Seconds on the clock since it was made."""

    def __init__(self) -> None:
        self._began = time.monotonic()

    @property
    def seconds(self) -> float:
        """Seconds since the watch was made."""
        return round(time.monotonic() - self._began, 4)


#: Name of the span that all others of a sample are below.
ROOT = "sample"


class SampleTraces:
    """The traces of the samples that are on their way; nothing unless traces are recorded.

    Args:
        run: Path or URL of the run folder; traces have its name alone.
        model: Name of the model.
        profile: Rules of the run.
    """

    def __init__(self, run: object, model: str, profile: str) -> None:
        self._about = {"i2s.run": PurePath(str(run)).name, "i2s.model": model, "i2s.profile": profile}
        self._open: dict[str, Span] = {}

    def traced(self, name: str, stage: Stage[Sample]) -> Stage[Sample]:
        """Return a stage whose work on a sample is a span of the sample's trace.

        Args:
            name: Name of the span.
            stage: The stage.
        """

        async def work(sample: Sample) -> Sample:
            with within(self._root(sample)), span(name):
                sample = await stage.work(sample)
                current_span().set(_attributes(sample))
            return sample

        return Stage(work, stage.jobs, stage.waiting)

    def ended(self, sample: Sample) -> None:
        """End the trace of a sample that is through all stages, or was stopped."""
        root = self._open.pop(sample.instance.id, None)
        if root is None:
            return
        root.set(_attributes(sample))
        record = sample.record
        if record is not None and not record.outcome.counts:
            root.fail(record.failure.kind if record.failure is not None else str(record.outcome))
        root.end()

    def close(self) -> None:
        """End the traces of samples that are given up."""
        while self._open:
            _, root = self._open.popitem()
            root.fail("given up")
            root.end()

    def _root(self, sample: Sample) -> Span:
        instance = sample.instance
        if instance.id not in self._open:
            about = {"i2s.sample.id": instance.id, "i2s.task": instance.task, "i2s.subset": instance.subset}
            self._open[instance.id] = begin_trace(ROOT, {**about, **self._about})
        return self._open[instance.id]


def _attributes(sample: Sample) -> dict[str, AttributeValue | None]:
    """Return what is known of a sample now: names, digests and verdicts, nothing that a model has said."""
    record = sample.record
    rendering = record.rendering if record is not None else sample.rendering
    if rendering is None:
        return {}
    known: dict[str, AttributeValue | None] = {
        "i2s.verdict": rendering.verdict.name.lower() if rendering.verdict is not None else None,
        "i2s.engine.digest": rendering.engine_digest,
        "i2s.repairs": len(rendering.repairs) or None,
    }
    if record is not None:
        known |= {"i2s.outcome": str(record.outcome), "i2s.usable": record.usable}
    return known
