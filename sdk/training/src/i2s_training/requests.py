"""One round trip: what is judged, and what became of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from i2s_sdk.data.folder import read_content
from i2s_sdk.errors import DataError
from i2s_sdk.instances.content import Content
from i2s_sdk.instances.images import MAX_PIXELS
from i2s_sdk.instances.instance import Instance
from i2s_sdk.instances.references import checked_reference
from i2s_sdk.runlog.outcome import Outcome
from i2s_sdk.runlog.record import Record
from i2s_sdk.tasks.registry import DEFAULT_TASK
from i2s_wire.render.rendering import Verdict

#: What a completion is judged against: an instance, the path of a picture, an encoded picture.
Reference = Instance | Path | str | bytes


@dataclass(frozen=True, slots=True)
class RoundTripRequest:
    """A completion and what it is judged against.

    Attributes:
        reference: The picture that the model was shown: an instance of a data set, the path of a picture, or
            an encoded picture (PNG, JPEG or WebP).
        completion: What the model said, verbatim.
        task: Name of the task; an instance has its own.
        structure: Ground truth of LaTeX code, for the metric ``edit``; of an instance, its own counts.
        assets: Files that the answer may use, by name; of an instance, its own count.
        id: Stands in the logs of the services; of an instance, its own counts.
    """

    reference: Reference = field(repr=False)
    completion: str
    task: str = DEFAULT_TASK
    structure: str | None = None
    assets: Mapping[str, bytes] = field(default_factory=dict, repr=False)
    id: str = ""

    def instance(self) -> Instance:
        """Return the instance, or one that says the same of a picture."""
        if isinstance(self.reference, Instance):
            return self.reference
        path = Path("picture") if isinstance(self.reference, bytes) else Path(self.reference)
        return Instance(self.id, self.task, "", path)

    def content(self, most_pixels: int = MAX_PIXELS) -> Content:
        """Return what is compared with.

        Args:
            most_pixels: Width times height that the reference may have.

        Raises:
            DataError: A file cannot be read, or the reference is no picture.
        """
        if isinstance(self.reference, Instance):
            content = read_content(self.reference)
        else:
            content = Content(self._picture(), structure=self.structure, assets=self.assets)
        path = self.instance().image
        if path is not None:
            checked_reference(path, content.reference, most_pixels)
        return content

    def _picture(self) -> bytes:
        if isinstance(self.reference, bytes):
            return self.reference
        path = self.instance().file
        try:
            return path.read_bytes()
        except OSError as error:
            raise DataError(path, 0, f"cannot be read: {error.strerror}") from None


@dataclass(frozen=True, slots=True)
class RoundTripResult:
    """What became of a completion.

    Attributes:
        record: All that is known, as a run keeps it.
        png: The rendering; None if there is none.
    """

    record: Record
    png: bytes | None = field(default=None, repr=False)

    @property
    def outcome(self) -> Outcome:
        """How it ended: judged (``outcome.counts``), or stopped by a failure of ours."""
        return self.record.outcome

    @property
    def verdict(self) -> Verdict | None:
        """The verdict of the last render; None if nothing was rendered."""
        return self.record.verdict

    @property
    def metrics(self) -> Mapping[str, float | None]:
        """Values by name: 0 if there is no picture, None if a metric is not defined for the pair.

        Empty after an infrastructure error, which is not counted as zero.
        """
        return self.record.metrics
