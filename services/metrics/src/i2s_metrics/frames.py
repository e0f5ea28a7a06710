"""The messages between the engine and its workers.

Nothing is pickled: a worker reads hostile images, so what it answers is only ever data.
"""

from __future__ import annotations

import io
import json
import struct
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from i2s_chassis.jail.own_process import Confinement
from i2s_metrics.model import ComparisonJob, Draft, Inputs, MetricValue, NetworkComparison, Outcome
from i2s_wire.metrics.profile import Profile
from i2s_wire.metrics.score import MetricFailure, MetricFailureKind, SizePolicy

#: Precedes every frame, and the header of a job: the bytes that follow.
LENGTH = struct.Struct(">Q")
#: Greatest answer of a worker; the images for two networks are less than a MiB.
MOST_ANSWER_BYTES = 4 * 1024 * 1024


class WorkerError(Exception):
    """A worker met a fault of this program; the message is its traceback."""


def framed(body: bytes) -> bytes:
    """Return a frame as it goes over the socket."""
    return LENGTH.pack(len(body)) + body


def pack(header: Mapping[str, object], *parts: bytes) -> bytes:
    """Return the body of a frame: a header as JSON, and what it describes."""
    text = json.dumps(header).encode()
    return b"".join((LENGTH.pack(len(text)), text, *parts))


def unpack(frame: bytes) -> tuple[Any, int]:
    """Return the header of a frame, and the place where it ends."""
    (length,) = LENGTH.unpack_from(frame)
    end = LENGTH.size + length
    return json.loads(frame[LENGTH.size : end]), end


def pack_job(job: ComparisonJob) -> bytes:
    """Return a job as bytes."""
    header = {
        "policy": job.policy,
        "profile": job.profile,
        "metrics": job.metrics,
        "reference_bytes": len(job.reference),
    }
    return pack(header, job.reference, job.prediction)


def unpack_job(frame: bytes) -> ComparisonJob:
    """Return the job that ``pack_job`` made bytes of."""
    header, reference = unpack(frame)
    prediction = reference + header["reference_bytes"]
    return ComparisonJob(
        reference=frame[reference:prediction],
        prediction=frame[prediction:],
        policy=SizePolicy(header["policy"]),
        profile=Profile(header["profile"]),
        metrics=tuple(header["metrics"]),
    )


def pack_draft(draft: Draft) -> bytes:
    """Return a draft as bytes."""
    header = {
        "outcomes": [_outcome_to_json(outcome) for outcome in draft.outcomes],
        "width": draft.width,
        "height": draft.height,
        "cpu_seconds": draft.cpu_seconds,
    }
    inputs = (outcome for outcome in draft.outcomes if isinstance(outcome, Inputs))
    return pack(header, *(image for pair in inputs for image in (pair.prediction, pair.reference)))


def pack_fault(traceback: str) -> bytes:
    """Return a fault of the worker's program as bytes."""
    return pack({"fault": traceback})


def pack_confinement(confinement: Confinement | None) -> bytes:
    """Return what a process is confined by as bytes."""
    return pack({"confinement": confinement and asdict(confinement)})


def unpack_confinement(frame: bytes) -> Confinement | None:
    """Return what a process said that it is confined by.

    Raises:
        WorkerError: It cannot be confined.
    """
    header, _ = unpack(frame)
    if "fault" in header:
        raise WorkerError(str(header["fault"]))
    said = header["confinement"]
    if said is None:
        return None
    return Confinement(
        int(said["landlock_abi"]), bool(said["changes_files"]), tuple(map(str, said["drivers"]))
    )


def unpack_draft(frame: bytes) -> Draft:
    """Return the draft that a worker answered.

    Raises:
        WorkerError: It answered a fault, or something that is not an answer.
    """
    try:
        answer, end = unpack(frame)
        rest = io.BytesIO(frame[end:])
        if "fault" in answer:
            raise WorkerError(str(answer["fault"]))
        draft = Draft(
            outcomes=tuple(_outcome_from_json(outcome, rest) for outcome in answer["outcomes"]),
            width=int(answer["width"]),
            height=int(answer["height"]),
            cpu_seconds=float(answer["cpu_seconds"]),
        )
    except (ValueError, KeyError, TypeError, AttributeError, struct.error) as error:
        raise WorkerError(f"a worker's answer makes no sense: {error!r}") from error
    if rest.read(1):
        raise WorkerError("a worker's answer is longer than it says")
    return draft


def _outcome_to_json(outcome: Outcome | Inputs) -> dict[str, object]:
    if isinstance(outcome, Inputs):
        return {"comparison": outcome.comparison}
    if isinstance(outcome, MetricValue):
        return {"value": outcome.value, "parts": dict(outcome.parts)}
    return {"kind": outcome.kind, "message": outcome.message}


def _outcome_from_json(outcome: dict[str, object], images: io.BytesIO) -> Outcome | Inputs:
    if "comparison" in outcome:
        comparison = NetworkComparison(str(outcome["comparison"]))
        return Inputs(comparison, images.read(comparison.nbytes), images.read(comparison.nbytes))
    if "value" in outcome:
        parts = outcome["parts"]
        if not isinstance(parts, dict):
            raise TypeError("parts are no object")
        return MetricValue(
            _number(outcome["value"]), {str(name): _number(part) for name, part in parts.items()}
        )
    kind = outcome["kind"]
    if not isinstance(kind, int):
        raise TypeError("a kind is no number")
    return MetricFailure(MetricFailureKind(kind), str(outcome["message"]))


def _number(value: object) -> float:
    if not isinstance(value, float):
        raise TypeError(f"{type(value).__name__} instead of a number")
    return value
