"""A sample on its way through the stages, and its trace."""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from pathlib import PurePath

from i2s_sdk.errors import I2SError
from i2s_sdk.instances.instance import Content, Instance
from i2s_sdk.run.pipeline import Stage
from i2s_sdk.run.storage.answer import SampleAnswer
from i2s_sdk.run.storage.folder import RunFolder
from i2s_sdk.run.storage.joined_record import joined_record
from i2s_sdk.run.storage.record import Failure, Outcome, ReadSample, Record, SampleRendering
from i2s_wire.tracing import AttributeValue, Span, begin_trace, current_span, span, within


@dataclass(frozen=True, slots=True)
class Sample:
    """A sample between two stages.

    Attributes:
        instance: What it is of.
        answer: What the model said.
        rendered: What became of that.
        record: Record of the sample, once it has ended.
        reference: The picture, encoded; None if it was not read yet.
        rendering: The same of what was rendered.
    """

    instance: Instance
    answer: SampleAnswer | None = None
    rendered: SampleRendering | None = None
    record: Record | None = None
    reference: bytes | None = field(default=None, repr=False)
    rendering: bytes | None = field(default=None, repr=False)

    @property
    def ended(self) -> bool:
        """Whether nothing is left to do."""
        return self.record is not None

    def stopped(self, outcome: Outcome, error: I2SError, read: ReadSample) -> Sample:
        """Return the sample stopped by a failure of ours.

        Args:
            outcome: Outcome that stands for the failure.
            error: The reason.
            read: What is known of the sample, the answer left out.
        """
        failure = Failure(type(error).__name__, error.message)
        return replace(self, record=joined_record(read, self.answer, outcome, failure=failure))


def unread(
    instance: Instance,
    assets: tuple[str, ...] = (),
    reference_sha256: str = "",
    target_sha256: str = "",
) -> ReadSample:
    """Return what is known of a sample before its completion is read."""
    return ReadSample(
        id=instance.id,
        task=instance.task,
        subset=instance.subset,
        difficulty=instance.difficulty,
        assets=assets,
        reference_sha256=reference_sha256,
        target_sha256=target_sha256,
    )


def put_reference(folder: RunFolder, content: Content) -> str:
    """Keep the reference picture of a sample in its run, and return its digest; empty if there is none."""
    return folder.put_picture(content.reference) if content.reference else ""


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
    read = sample.record or sample.rendered
    if read is None:
        return {}
    known = _rendering_attributes(read)
    if sample.record is not None:
        known |= {"i2s.outcome": str(sample.record.outcome), "i2s.usable": sample.record.usable}
    return known


def _rendering_attributes(read: ReadSample) -> dict[str, AttributeValue | None]:
    return {
        "i2s.verdict": read.verdict.name.lower() if read.verdict is not None else None,
        "i2s.engine.digest": read.engine_digest,
        "i2s.repairs": len(read.repairs) or None,
    }
