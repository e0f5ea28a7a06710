"""One trace for each sample of a run: its stages, and below them the calls of model and services."""

from __future__ import annotations

from pathlib import PurePath

from i2s_sdk.run.pipeline import Stage
from i2s_sdk.run.sample import Sample
from i2s_sdk.run.storage.read_sample import ReadSample
from i2s_wire.tracing import AttributeValue, Span, begin_trace, current_span, span, within

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
                current_span().set(_found(sample))
            return sample

        return Stage(work, stage.jobs, stage.waiting)

    def ended(self, sample: Sample) -> None:
        """End the trace of a sample that is through all stages, or was stopped."""
        root = self._open.pop(sample.instance.id, None)
        if root is None:
            return
        root.set(_found(sample))
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


def _found(sample: Sample) -> dict[str, AttributeValue | None]:
    """Return what is known of a sample now: names, digests and verdicts, nothing that a model has said."""
    read = sample.record or sample.rendered
    if read is None:
        return {}
    known = _read(read)
    if sample.record is not None:
        known |= {"i2s.outcome": str(sample.record.outcome), "i2s.usable": sample.record.usable}
    return known


def _read(read: ReadSample) -> dict[str, AttributeValue | None]:
    return {
        "i2s.verdict": read.verdict.name.lower() if read.verdict is not None else None,
        "i2s.engine.digest": read.engine_digest,
        "i2s.repairs": len(read.repairs) or None,
    }
