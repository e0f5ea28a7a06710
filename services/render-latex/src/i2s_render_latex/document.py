"""Check a document and the files beside it before TeX sees them; name the job's own files."""

from __future__ import annotations

from collections.abc import Sequence

from i2s_chassis.limits import Limits
from i2s_chassis.renderer import bounds
from i2s_wire.render.request import File

#: TeX's name for the job; its files are called so.
JOB_NAME = "document"
SOURCE = f"{JOB_NAME}.tex"
PDF = f"{JOB_NAME}.pdf"
LOG = f"{JOB_NAME}.log"

#: By-products that the engine and the kernel of LaTeX read or write under the job's name.
RESERVED = tuple(
    f"{JOB_NAME}.{ending}"
    for ending in (
        "tex",
        "pdf",
        "log",
        "aux",
        "out",
        "toc",
        "lof",
        "lot",
        "loa",
        "lol",
        "fls",
        "fmt",
        "dvi",
        "xdv",
    )
)

# Work folders hold what TeX writes too: at least a log, an .aux and a PDF.
_BY_PRODUCTS = 3


def complaint(
    document: bytes, files: Sequence[File], *, max_bytes: int, max_file_bytes: int, max_files: int
) -> str | None:
    """Return why the source cannot be given to TeX, None if it can.

    Args:
        document: The LaTeX document.
        files: What lies beside it.
        max_bytes: Bound on the document.
        max_file_bytes: Bound on each file.
        max_files: Bound on the number of files.

    Returns:
        One sentence that begins with the field at fault.
    """
    wrong = bounds.text_complaint(document, "latex.document", max_bytes)
    if wrong is not None:
        return wrong
    return bounds.files_complaint(
        files, "latex.files", RESERVED, max_file_bytes=max_file_bytes, max_files=max_files
    )


def disk_complaint(document: bytes, files: Sequence[File], limits: Limits) -> str | None:
    """Return why document and files alone fill a work folder of these limits, None if they do not."""
    contents, paths = [document, *(file.content for file in files)], [file.path for file in files]
    return bounds.disk_complaint(contents, limits, by_products=_BY_PRODUCTS, paths=paths)
