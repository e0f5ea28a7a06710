"""The result of a job: a line of JSON, then the images, one after the other.

Workers write it and the service reads it, see ``result``.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

_JOB = ".i2s/job.json"
_TEXT = 2000
_EVENTS = 100


def take_job() -> dict[str, Any]:
    """Return what the service wants of the source in the current folder; its file is gone then."""
    job: dict[str, Any] = json.loads(Path(_JOB).read_text())
    Path(_JOB).unlink()
    return job


def deliver(output: int, header: Mapping[str, Any], images: Sequence[bytes] = ()) -> None:
    """Write a result.

    Args:
        output: Descriptor that it is written to.
        header: What is said of the job, see ``worker_engine``; texts and events beyond its bounds are cut.
        images: The images.
    """
    said = {**_short(header), "sizes": [len(image) for image in images]}
    said["events"] = said.get("events", [])[:_EVENTS]
    with os.fdopen(os.dup(output), "wb") as file:
        file.write(json.dumps(said).encode() + b"\n")
        for image in images:
            file.write(image)


def _short(value: Any) -> Any:  # noqa: ANN401 - any JSON
    """Return a value whose texts are cut."""
    if isinstance(value, str):
        return value[:_TEXT]
    if isinstance(value, Mapping):
        return {key: _short(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_short(one) for one in value]
    return value
