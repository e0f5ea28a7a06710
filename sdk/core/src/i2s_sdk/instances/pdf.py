"""Faults of a PDF document that show without opening it; programs that open one are limited or sandboxed."""

from __future__ import annotations

from pathlib import Path

from i2s_sdk.instances.instance import Instance
from i2s_wire.bounds import DOCUMENT_BYTES

#: Name of the document of an instance among its files.
DOCUMENT = "document"

_HEADER = b"%PDF-"
_HEADER_WITHIN = 1024  # bytes from the start, as readers of PDF accept it


def pdf_fault(path: Path, most_bytes: int = DOCUMENT_BYTES) -> str:
    """Return what is wrong with a PDF document as a file, empty for nothing.

    Whether it opens (it may be broken, or need a password) is known when its pages are drawn.

    Args:
        path: The file.
        most_bytes: The most bytes that it may have.
    """
    try:
        size = path.stat().st_size
        with path.open("rb") as file:
            start = file.read(_HEADER_WITHIN)
    except OSError as error:
        return f"cannot be read: {error.strerror}"
    if not size:
        return "is empty"
    if size > most_bytes:
        return f"has {size} bytes, and {most_bytes} are allowed"
    if _HEADER not in start:
        return f"is no PDF document: the first {_HEADER_WITHIN} bytes have no {_HEADER.decode()}"
    return ""


def document_fault(instance: Instance) -> str:
    """Return what is wrong with the document of an instance, empty for nothing or if it has none."""
    document = instance.files.get(DOCUMENT)
    said = pdf_fault(document) if document is not None else ""
    return f"{DOCUMENT} {document.name}: {said}" if document is not None and said else ""
