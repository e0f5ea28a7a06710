"""Lines of an answer in the document that was made of it."""

from __future__ import annotations


def line_of_answer(answer: str, document: str, line: int) -> int:
    r"""Return the line of an answer that a line of its document is; 0 if the answer has no such line.

    A task puts lines before those of an answer, and may take them out of a block; of the lines themselves it
    changes little. So lines are the same if they differ in blanks and in the star of ``\begin{align*}``
    alone. Of several, it is the one behind which as many of them follow in the answer as in the document.

    Args:
        answer: The answer, or the source that was given.
        document: What the engine read.
        line: A line of the document, counted from 1; 0 if it is not known.
    """
    lines = [_plain(one) for one in document.splitlines()]
    if not 0 < line <= len(lines) or not (text := lines[line - 1]):
        return 0
    places = [at for at, one in enumerate(answer.splitlines(), start=1) if _plain(one) == text]
    behind = lines[line:].count(text)
    return places[-1 - behind] if behind < len(places) else 0


def _plain(line: str) -> str:
    return "".join(line.replace("*}", "}").split())
