"""Tests of the text of a page: what is present, absent or in order, and whether it is text at all.

Source: the released code, ``olmocr/bench/tests.py`` of allenai/olmocr, commit dc802aa, in words of this
project. Unlike there, a text is found at every place that differs by at most the permitted edits; the
released code takes the best one of overlapping places.
"""

from __future__ import annotations

import re
import unicodedata

import numpy as np
from numpy.typing import NDArray

_BREAK, _TAGS = re.compile(r"<br/?>"), re.compile(r"</?[bi]>")
_EMPHASIS = (
    re.compile(r"\*\*(.*?)\*\*"),
    re.compile(r"__(.*?)__"),
    re.compile(r"\*(.*?)\*"),
    re.compile(r"_(.*?)_"),
)
_SPACE = re.compile(r"\s+")
_PLAIN = str.maketrans(
    {
        "‘": "'", "’": "'", "‚": "'", "“": '"', "”": '"', "„": '"', "＿": "_",
        "–": "-", "—": "-", "\u2011": "-", "‒": "-", "−": "-", "µ": "μ",
    }
)  # fmt: skip

#: Characters that an English page has not: Chinese and Japanese ones and emoji.
_DISALLOWED = re.compile(
    "[\u4e00-\u9fff\u3040-\u309f\u30a0-\u30ff\U0001f600-\U0001f64f\U0001f300-\U0001f5ff\U0001f680-\U0001f6ff"
    "\U0001f1e0-\U0001f1ff]"
)
_NGRAMS = 5


def normal_text(text: str) -> str:
    """Return a text as it is compared: without emphasis, in NFC, white space, quotes and dashes made one."""
    text = _TAGS.sub("", _BREAK.sub(" ", text))
    for mark in _EMPHASIS:
        text = mark.sub(r"\1", text)
    return unicodedata.normalize("NFC", _SPACE.sub(" ", text)).translate(_PLAIN)


def contains_text(
    page: str,
    text: str,
    max_diffs: int,
    *,
    case_sensitive: bool,
    first: int | None,
    last: int | None,
    within: bool = True,
) -> tuple[bool, float]:
    """Return whether a page has a text, and the similarity of the stretch that is most like it.

    Args:
        page: The page in normal form.
        text: The text in normal form.
        max_diffs: Edits that are permitted: the similarity is at least 1 − max_diffs / length.
        case_sensitive: Whether upper and lower case differ.
        first: Only so many characters at the beginning of the page are searched; None or 0 searches all.
        last: The same at its end; with ``first`` both.
        within: Whether a page that is too short to have the text has it not. The released code takes it to be
            there if the page is a part of the text.
    """
    from rapidfuzz import fuzz

    if not case_sensitive:
        page, text = page.lower(), text.lower()
    if first and last:
        page = page[:first] + page[-last:]
    elif first:
        page = page[:first]
    elif last:
        page = page[-last:]
    if within and len(page) < len(text) - max_diffs:
        return False, 0.0
    similarity = fuzz.partial_ratio(text, page) / 100
    return similarity >= 1 - max_diffs / len(text), similarity


def starts_of(page: str, text: str, max_diffs: int) -> NDArray[np.intp]:
    """Return where stretches of a page begin that differ from a text by at most so many edits, in order.

    Time grows with the product of both lengths.
    """
    if max_diffs == 0:
        return np.array([match.start() for match in re.finditer(f"(?={re.escape(text)})", page)], np.intp)
    # Sellers' algorithm, backwards, so that it ends where a stretch begins.
    characters = np.frombuffer(page[::-1].encode("utf-32-le", "surrogatepass"), np.uint32)
    columns = np.arange(len(characters) + 1, dtype=np.int32)
    row = np.zeros(len(characters) + 1, np.int32)
    for number, character in enumerate(reversed(text), start=1):
        below = np.empty_like(row)
        below[0] = number
        np.minimum(row[1:] + 1, row[:-1] + (characters != ord(character)), out=below[1:])
        row = np.minimum.accumulate(below - columns) + columns
    starts: NDArray[np.intp] = len(characters) - np.flatnonzero(row <= max_diffs)[::-1]
    return starts


def in_order(page: str, before: str, after: str, max_diffs: int) -> str:
    """Return why a page does not have one text before another; empty if it has."""
    places = [starts_of(page, text, max_diffs) for text in (before, after)]
    for text, starts in zip((before, after), places, strict=True):
        if not len(starts):
            return f"{shortened(text)} is not there with at most {max_diffs} edits"
    if places[0][0] < places[1][-1]:
        return ""
    return f"{shortened(before)} stands nowhere before {shortened(after)}"


def baseline_fault(
    page: str, *, max_length: int | None, skip_images: bool, max_repeats: int, check_characters: bool
) -> str:
    """Return why a page is not ordinary text; empty if it is.

    Args:
        page: The page verbatim.
        max_length: The most letters and digits of a page that is blank; None if it is not blank.
        skip_images: Whether alternative texts of images do not count for ``max_length``.
        max_repeats: How often the last 1 to 5 characters may stand one after another at the end.
        check_characters: Whether there may be no Chinese or Japanese characters and no emoji.
    """
    if max_length is not None:
        number = _letters(_without_images(page) if skip_images else page)
        return f"{number} letters and digits on a page that is blank" if number > max_length else ""
    if _letters(page) == 0:
        return "there is no letter and no digit"
    text = _SPACE.sub(" ", page)
    for size in range(1, _NGRAMS + 1):
        count = _repeats_at_end(text, size)
        if count > max_repeats:
            return f"the last {size} characters stand {count} times one after another"
    found = _DISALLOWED.search(page) if check_characters else None
    return f"there are characters such as {found[0]!r}" if found else ""


def _without_images(page: str) -> str:
    """Return a page without images, each on one line; a closing bracket that ends none is looked at once."""
    lines: list[str] = []
    for line in page.split("\n"):
        kept, done = "", 0
        start = line.find("![")
        while start >= 0 and (close := line.find("]", start)) >= 0:
            if line.startswith("(", close + 1):
                end = line.find(")", close + 1)
                if end < 0:
                    break
                kept, done = kept + line[done:start], end + 1
                close = end
            start = line.find("![", close + 1)
        lines.append(kept + line[done:])
    return "\n".join(lines)


def _letters(text: str) -> int:
    return sum(map(str.isalnum, text))


def _repeats_at_end(text: str, size: int) -> int:
    target, count, end = text[-size:], 0, len(text)
    while end >= size and text[end - size : end] == target:
        count += 1
        end -= size
    return count


def shortened(text: str, most: int = 60) -> str:
    """Return a text in quotes for a message, cut at the end."""
    return repr(text if len(text) <= most else f"{text[:most]}…")
