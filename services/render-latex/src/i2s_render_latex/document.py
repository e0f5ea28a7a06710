"""A document and the files beside it: their checks and names, and the preamble that a format may hold."""

from __future__ import annotations

import re
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


#: What makes of a preamble the head of a document that has begun.
BEGIN = b"\n\\begin{document}"

# One pass from left to right: what hides text from TeX, and what might be hidden.
_TOKEN = re.compile(rb"\\begin[ \t]*\{(?P<name>document|filecontents\*?)\}|\\[^a-zA-Z]|%[^\n]*", re.DOTALL)
_NAMES_OF_FILE_BLOCKS = (b"filecontents", b"filecontents*")
_END_OF_FILE = {
    name: re.compile(rb"\\end[ \t]*\{" + re.escape(name) + rb"\}") for name in _NAMES_OF_FILE_BLOCKS
}
_REST_THAT_BEGINS_A_COMMAND = re.compile(rb"(?:[ \t\r\n]|%[^\n]*(?:\n|$))*(?:\\|$)")


def preamble_of(document: bytes) -> bytes | None:
    r"""Return everything before the ``\begin{document}`` that counts, None if there is none.

    Those in comments and in filecontents blocks do not count. White space at the end is left out.
    """
    place = 0
    while (token := _TOKEN.search(document, place)) is not None:
        name = token["name"]
        if name == b"document":
            return document[: token.start()].rstrip()
        place = token.end()
        if name is not None:
            # The block holds another file, perhaps with its own; one without end hides nothing.
            end = _END_OF_FILE[name].search(document, place)
            if end is None:
                return _first_begin(document, place)
            place = end.end()
    return None


def _first_begin(document: bytes, place: int) -> bytes | None:
    r"""Return what stands before the first ``\begin{document}`` that no comment hides."""
    while (token := _TOKEN.search(document, place)) is not None:
        if token["name"] == b"document":
            return document[: token.start()].rstrip()
        place = token.end()
    return None


def continues(preamble: bytes, known: bytes) -> bool:
    r"""Whether a format of ``known`` can serve a document with ``preamble``.

    It can if ``preamble`` is ``known``, or ``known`` and then more lines of which the first
    with anything on it begins with a command. (A bracket or a number there could still belong to
    the last command of ``known``.) Both without white space at their ends.
    """
    if not preamble.startswith(known):
        return False
    rest = preamble[len(known) :]
    if not rest:
        return True
    line_end = rest.lstrip(b" \t\r")
    return line_end.startswith(b"\n") and _REST_THAT_BEGINS_A_COMMAND.match(line_end) is not None


def without(document: bytes, known: bytes) -> bytes:
    """Return the document with its first lines, those of ``known``, made comments.

    Every other line keeps its number, so that errors name lines of the original.
    """
    rest = document[len(known) :]
    lines = b"%\n" * known.count(b"\n")
    # The last line of the preamble may hold the beginning of the text.
    closed = not rest.strip(b" \t\r").startswith(b"\n")
    return lines + (rest if closed else b"%" + rest)
