"""An annotator for HELM that has answers rendered and scored by the services of this project.

HELM renders one answer at a time, without a jail, behind a lock; this sends them to the renderers, many at a
time. In the specification of a run, with this file on the path of Python:

    AnnotatorSpec(class_name="helm_annotator.RoundTripAnnotator", args={"task": "latex", "profile": "helm"})

Each completion gets an annotation: ``media_object`` (the image, where there is one) and ``error`` as HELM's
own annotators have them, so that HELM's metrics work on it, and ``verdict`` and ``i2s_metrics`` of ours. The
image that is compared with is the first one of the prompt. A failure of a service ends the annotation with
an error: it is never taken for a failure of the model.

Running services are found by I2S_RENDER_LATEX, I2S_RENDER_HTML, I2S_RENDER_LILYPOND and I2S_METRICS; others
are started.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from helm.benchmark.adaptation.request_state import RequestState
from helm.benchmark.annotation.annotator import Annotator
from helm.common.media_object import MediaObject

from i2s_training import RoundTrip, RoundTripRequest, RoundTripResult


class RoundTripAnnotator(Annotator):
    """Annotates each completion with its rendering, verdict and metrics.

    Args:
        file_storage_path: Folder for the images; HELM fills it in.
        task: "latex", "webpage" or "music".
        profile: The rule book: "helm" is that of HELM's own annotators and metrics.
    """

    name = "i2s"

    def __init__(self, file_storage_path: str, task: str = "latex", profile: str = "helm") -> None:
        self._folder, self._task = Path(file_storage_path), task
        self._trip = RoundTrip((task,), profile=profile)

    def annotate(self, request_state: RequestState) -> list[dict[str, Any]]:
        """Return an annotation for each completion of a request."""
        (annotations,) = self.annotate_all([request_state])
        return annotations

    def annotate_all(self, request_states: Sequence[RequestState]) -> list[list[dict[str, Any]]]:
        """Return the annotations of many requests; several completions are under way at a time."""
        requests = [self._requests(state) for state in request_states]
        results = iter(self._trip.judge_many([one for group in requests for one in group]))
        return [[self._annotation(next(results)) for _ in group] for group in requests]

    def _requests(self, state: RequestState) -> list[RoundTripRequest]:
        if state.result is None:
            raise ValueError("annotation comes after the model has answered")
        picture = _picture(state)
        return [
            RoundTripRequest(picture, completion.text, self._task) for completion in state.result.completions
        ]

    def _annotation(self, result: RoundTripResult) -> dict[str, Any]:
        record = result.record
        if not result.outcome.counts:
            raise RuntimeError(f"not judged: {record.failure.message if record.failure else result.outcome}")
        annotation: dict[str, Any] = {
            "verdict": result.verdict.name if result.verdict else result.outcome.name,
            "i2s_metrics": dict(result.metrics),
        }
        if result.png is None:
            return {**annotation, "error": record.message or annotation["verdict"]}
        self._folder.mkdir(parents=True, exist_ok=True)
        path = self._folder / f"{hashlib.sha256(result.png).hexdigest()}.png"
        path.write_bytes(result.png)
        return {**annotation, "media_object": MediaObject(location=str(path), content_type="image/png")}


def _picture(state: RequestState) -> str:
    content = state.instance.input.multimedia_content
    for media_object in content.media_objects if content else ():
        if media_object.content_type.startswith("image/") and media_object.location:
            location: str = media_object.location
            return location
    raise ValueError(f"instance {state.instance.id!r} has no picture")
