"""Graded answers of OMR: tokens are notes, and what is missing are bars of all parts.

Of scores in ``**kern`` with spines that are split or joined no bar is left out: what is left would not fit.
"""

from __future__ import annotations

import re
from itertools import pairwise
from random import Random

from i2s_sdk.instances.instance import Content
from i2s_sdk.scoring.omr_ned import ScoreFormat, score_format
from i2s_sdk.tasks.graded import SPELLING, Change, Grade, Rung, equivalent, with_structure

_STEPS = "cdefgab"
#: A pitch behind its duration: a letter that is repeated for further octaves.
_KERN_NOTE = re.compile(r"(?<=[0-9.])([A-Ga-g])\1*")
_XML_NOTE = re.compile(r"<(?:\w+:)?step>\s*([A-G])|\bpname\s*=\s*[\"']([a-g])")
_MEASURE = re.compile(r"<((?:\w+:)?measure)\b[^>]*?>.*?</\1\s*>", re.DOTALL)
_PART = re.compile(r"<((?:\w+:)?part)\s[^>]*>.*?</\1\s*>", re.DOTALL)
_SPLIT = re.compile(r"^(?:.*\t)?\*[\^v+x](?:[ \t]|\r?$)", re.MULTILINE)
_BAR_LINE = re.compile(r"^=[^\n]*(?:\n|$)", re.MULTILINE)
_TAG = re.compile(r"(<(?:\w+:)?(?:note|measure)\b)")


def _transposed(content: Content, chance: Random) -> Content | None:
    """Return a score in which one note has another step."""
    text = content.structure or ""
    if score_format(text) is ScoreFormat.KERN:
        places = [match.span() for match in _KERN_NOTE.finditer(text) if _is_data(text, match.start())]
    else:
        places = [(match.end() - 1, match.end()) for match in _XML_NOTE.finditer(text)]
    if not places:
        return None
    start, end = chance.choice(places)
    step = _STEPS[(_STEPS.index(text[start].lower()) + 1) % len(_STEPS)]
    step = step.upper() if text[start].isupper() else step
    return with_structure(content, text[:start] + step * (end - start) + text[end:])


def _is_data(text: str, at: int) -> bool:
    start = text.rfind("\n", 0, at) + 1
    return text[start] not in "*!="


def _without_bars(share: float) -> Change:
    def without(content: Content, chance: Random) -> Content | None:
        text = content.structure or ""
        parts = _bars(text)
        number = min((len(part) for part in parts), default=0)
        left_out = max(1, round(share * number))
        if number < 3 or left_out >= number:
            return None
        # The first bar says clefs, keys and times.
        start = number - left_out if share >= 0.5 else chance.randint(1, number - left_out)
        spans = sorted(span for part in parts for span in part[start : start + left_out])
        for begin, end in reversed(spans):
            text = text[:begin] + text[end:]
        return with_structure(content, text)

    return without


def _bars(text: str) -> list[list[tuple[int, int]]]:
    """Return the places of the bars of each part, or of all parts together if they stand together."""
    if score_format(text) is ScoreFormat.KERN:
        if _SPLIT.search(text):
            return []
        lines = [match.start() for match in _BAR_LINE.finditer(text)]
        return [list(pairwise(lines))]
    parts = [match.span() for match in _PART.finditer(text)] or [(0, len(text))]
    return [[match.span() for match in _MEASURE.finditer(text, *part)] for part in parts]


def _in_another_spelling(text: str) -> str | None:
    """Return the same score with comments."""
    if score_format(text) is ScoreFormat.KERN:
        return f"!!! the same score\n{text}"
    return _TAG.sub(r"<!-- the same -->\n\1", text)


GRADES = (
    Grade(Rung.ONE_WRONG, Rung.ONE_WRONG, _transposed),
    Grade(Rung.TENTH_MISSING, Rung.TENTH_MISSING, _without_bars(0.1)),
    Grade(Rung.HALF_MISSING, Rung.HALF_MISSING, _without_bars(0.5)),
    equivalent(SPELLING, _in_another_spelling),
)
