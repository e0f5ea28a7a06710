"""A job and its result: a line of JSON, then the images, one after the other.

Workers write it and the service reads it, see ``result``.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

_JOB = ".i2s/job.json"
_TEXT = 2000
_EVENTS = 100

#: Kind and detail of policy events.
Events = Sequence[tuple[str, str]]
#: The header of a result, see ``worker_engine``, and the images.
Result = tuple[Mapping[str, Any], Sequence[bytes]]


def answer(output: int, draw: Callable[[dict[str, Any]], Result]) -> None:
    """Do the job in the current folder.

    Args:
        output: Descriptor that the result is written to.
        draw: Is given what the service wants of the source, whose file is gone then.
    """
    job = json.loads(Path(_JOB).read_text())
    Path(_JOB).unlink()
    deliver(output, *draw(job))


def on_stack(stack_bytes: int, work: Callable[[], None]) -> None:
    """Do something on a stack of this size, which bounds how deep an engine follows what is nested."""
    failures: list[threading.ExceptHookArgs] = []
    threading.stack_size(stack_bytes)
    threading.excepthook = failures.append
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    if failures and failures[0].exc_value:  # the exit code of the process says it
        raise failures[0].exc_value


def drawn(job: Mapping[str, Any], pages: Sequence[bytes], events: Events = ()) -> Result:
    """Return the result of a job whose pages are drawn: those that are wanted.

    Args:
        job: The job.
        pages: All pages of the document.
        events: Policy events.
    """
    wanted = range(job["first"], len(pages) + 1)[: job["count"]]
    header = {"verdict": "RENDERED", "total": len(pages), "pages": list(wanted), "events": events}
    return header, [pages[number - 1] for number in wanted]


def not_drawn(
    job: Mapping[str, Any], sizes: Sequence[tuple[float, float]], events: Events = ()
) -> Result | None:
    """Return the result of a job whose pages are not to be drawn, None if they are.

    Args:
        job: The job.
        sizes: Width and height of each page in pixels.
        events: Policy events.
    """
    header = {"total": len(sizes), "events": events}
    if len(sizes) > job["pages"]:
        text = f"The document has {len(sizes)} pages, more than {job['pages']}."
        return {**header, "verdict": "PAGE_LIMIT", "message": text}, ()
    if job["first"] > len(sizes):
        text = f"There is no page {job['first']} among the {len(sizes)} of the document."
        return {**header, "verdict": "NO_OUTPUT", "message": text}, ()
    for number, (width, height) in enumerate(sizes, 1):
        if width * height > job["pixels"]:
            text = f"Page {number} would have {width:.0f} x {height:.0f} pixels, more than {job['pixels']}."
            return {**header, "verdict": "PIXEL_LIMIT", "message": text}, ()
    return None


def refused(message: str, error: Mapping[str, Any], events: Events = ()) -> Result:
    """Return the result of a job whose source has an error.

    Args:
        message: The beginning of the message.
        error: Fields of the error; "line" is 0 if it is not known.
        events: Policy events.
    """
    line = f" on line {error['line']}" if error["line"] else ""
    message = f"{message}{line}: {error['message']}"
    return {"verdict": "COMPILE_ERROR", "message": message, "error": error, "events": events}, ()


def deliver(output: int, header: Mapping[str, Any], images: Sequence[bytes] = ()) -> None:
    """Write a result.

    Args:
        output: Descriptor that it is written to.
        header: What is said of the job, see ``worker_engine``; texts and events beyond its bounds are cut.
        images: The images.
    """
    line = {**_short(header), "sizes": [len(image) for image in images]}
    line["events"] = line.get("events", [])[:_EVENTS]
    with os.fdopen(os.dup(output), "wb") as file:
        file.write(json.dumps(line).encode() + b"\n")
        for image in images:
            file.write(image)


def _short(value: Any) -> Any:  # noqa: ANN401 - any JSON
    """Return a value whose texts are cut."""
    if isinstance(value, str):
        return value[:_TEXT]
    if isinstance(value, Mapping):
        return {key: _short(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_short(part) for part in value]
    return value
