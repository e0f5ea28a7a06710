"""Two texts word by word: what they have in common, and where they differ."""

from __future__ import annotations

import re

#: Words, runs of white space, and other characters one by one.
_TOKEN = re.compile(r"\w+|\s+|[^\w\s]")

#: A piece of a text, and whether the other text does not have it here.
Piece = tuple[str, bool]


def word_diff(first: str, second: str) -> tuple[list[Piece], list[Piece]]:
    """Return both texts in pieces that are equal or differ, by a shortest edit script without replacements.

    Words are runs of letters and digits; other characters count one by one, runs of white space as one. Time
    and memory grow with the product of the numbers of words, divided by 64.
    """
    # rapidfuzz takes time to import, and few commands need it.
    from rapidfuzz.distance import Indel

    words, other_words = _TOKEN.findall(first), _TOKEN.findall(second)
    pieces: tuple[list[Piece], list[Piece]] = ([], [])
    for change in Indel.opcodes(words, other_words):
        equal = change.tag == "equal"
        _add(pieces[0], "".join(words[change.src_start : change.src_end]), differs=not equal)
        _add(pieces[1], "".join(other_words[change.dest_start : change.dest_end]), differs=not equal)
    return pieces


def _add(pieces: list[Piece], text: str, *, differs: bool) -> None:
    if not text:
        return
    if pieces and pieces[-1][1] == differs:
        text = pieces.pop()[0] + text
    pieces.append((text, differs))
