"""Check a program and the files beside it before anything runs; name the job's own files."""

from __future__ import annotations

import json
from collections.abc import Sequence

from i2s_chassis.limits import Limits
from i2s_chassis.renderer import bounds
from i2s_chassis.renderer.bounds import shown
from i2s_render_python.model import PythonJob
from i2s_wire.render.request import File

PROGRAM = "program.py"
#: Folder of the service's own files, beside the program.
OWN = ".i2s"
JOB, LOG = f"{OWN}/job.json", f"{OWN}/log"

# Work folders hold what is written of a program too: a log and the result.
_BY_PRODUCTS = 4


def complaint(
    program: bytes, files: Sequence[File], *, max_bytes: int, max_file_bytes: int, max_files: int
) -> str | None:
    """Return why a program cannot be run, None if it can.

    Args:
        program: The text.
        files: What lies beside it.
        max_bytes: Bound on the program.
        max_file_bytes: Bound on each file.
        max_files: Bound on the number of files.

    Returns:
        One sentence that begins with the field at fault.
    """
    if b"\0" in program:
        return f"python.program: holds a NUL at byte {program.index(0)}; remove it"
    wrong = bounds.text_complaint(program, "python.program", max_bytes)
    if wrong is not None:
        return wrong
    own = next((file.path for file in files if file.path.partition("/")[0].casefold() == OWN), None)
    if own is not None:
        return f'python.files: the file name "{shown(own)}" is in the folder {OWN}, which is reserved'
    return bounds.files_complaint(
        files, "python.files", (PROGRAM,), max_file_bytes=max_file_bytes, max_files=max_files
    )


def disk_complaint(job: PythonJob, limits: Limits) -> str | None:
    """Return why program and files alone fill a work folder of these limits, None if they do not."""
    contents, paths = [job.program, *(file.content for file in job.files)], [file.path for file in job.files]
    return bounds.disk_complaint(contents, limits, by_products=_BY_PRODUCTS, paths=paths)


def work_folder(job: PythonJob, clock: float, token: str) -> dict[str, bytes]:
    """Return the files of a job, by their names in its folder.

    Args:
        job: The job.
        clock: The time of day of the program, in seconds since 1970.
        token: What the result has to begin with; read and removed before the program starts.
    """
    options = job.options
    description = {
        "first": options.first_page,
        "count": options.page_count,
        "dpi": options.dpi,
        "want_objects": options.want_objects,
        "restored_names": options.restored_names,
        "pixels": job.limits.pixels,
        "clock": clock,
        "token": token,
    }
    return {
        JOB: json.dumps(description).encode(),
        PROGRAM: job.program,
        **{file.path: file.content for file in job.files},
    }
