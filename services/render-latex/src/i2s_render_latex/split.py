r"""Find the preamble of a document, and leave out the part of it that a format holds."""

from __future__ import annotations

import re

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
