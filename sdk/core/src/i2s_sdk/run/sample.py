"""A sample on its way: an instance, and what the stages have found so far."""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace

from i2s_sdk.errors import I2SError
from i2s_sdk.instances.instance import Content, Instance
from i2s_sdk.run.storage.answer import Answer
from i2s_sdk.run.storage.folder import RunFolder
from i2s_sdk.run.storage.joined_record import joined_record
from i2s_sdk.run.storage.outcome import Outcome
from i2s_sdk.run.storage.read_sample import ReadSample
from i2s_sdk.run.storage.record import Failure, Record
from i2s_sdk.run.storage.rendered import Rendered


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
    answer: Answer | None = None
    rendered: Rendered | None = None
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
