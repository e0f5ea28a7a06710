"""The result of a job: a line of JSON, then the images, one after the other.

Workers write it and the service reads it. The service takes nothing in it for granted: a hostile source may
have taken over the process that wrote it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from typing import Any


def deliver(output: int, header: Mapping[str, Any], images: Sequence[bytes] = ()) -> None:
    """Write a result.

    Args:
        output: Descriptor that it is written to.
        header: What is said of the job, see ``worker_engine``.
        images: The images.
    """
    sizes = [len(image) for image in images]
    with os.fdopen(os.dup(output), "wb") as file:
        file.write(json.dumps({**header, "sizes": sizes}).encode() + b"\n")
        for image in images:
            file.write(image)


def received(result: bytes) -> tuple[dict[str, Any], list[bytes]]:
    """Return header and images of a result.

    Raises:
        ValueError: It is none.
    """
    line, _, rest = result.partition(b"\n")
    header = json.loads(line)
    sizes = header.get("sizes") if isinstance(header, dict) else None
    if not isinstance(sizes, list) or not all(type(size) is int and size >= 0 for size in sizes):
        raise ValueError("the result has no header")
    if sum(sizes) != len(rest):
        raise ValueError(f"the result has {len(rest)} bytes of images, its header says {sum(sizes)}")
    images, at = [], 0
    for size in sizes:
        images.append(rest[at : at + size])
        at += size
    return header, images
