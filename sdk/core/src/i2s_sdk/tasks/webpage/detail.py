"""The detail of the scores of blocks, for reports: the blocks of both pages and which of them match."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from i2s_sdk.tasks.webpage.block_match import Block, BlockScores, color_similarity, position_similarity

#: The longest detail as JSON, in bytes; that of any scorer may be DETAIL_BYTES.
MAX_BYTES = 48 << 10
#: Places are whole numbers, of which so many are the width or the height of a page.
UNITS = 10_000
#: Characters of a text that are kept; the first with which the detail is short enough is taken.
_LETTERS = (160, 60, 20)


def detail_of(scores: BlockScores, truncated: bool) -> dict[str, Any]:
    """Return the detail of a sample, of at most MAX_BYTES as JSON.

    It has the numbers ``matched``, ``missing_blocks`` and ``extra_blocks``, ``truncated``, and

    - ``blocks``: missing ones, extra ones, pairs whose texts differ, and the other pairs, each in the order
      of the document. Each is a list of the text of the reference, the text of the page (None if it is the
      same), the place of each (left, top, right and bottom in UNITS, None for what there is not), and of a
      pair the similarities of text, position and colour, else None;
    - ``blocks_left``: the number of entries of ``blocks`` that are left out at the end.

    Args:
        scores: The blocks of both pages after merging, and the pairs.
        truncated: Whether bounds left out blocks of a page.
    """
    entries = _entries(scores)
    detail = {
        "matched": len(scores.pairs),
        "missing_blocks": len(scores.reference) - len(scores.pairs),
        "extra_blocks": len(scores.prediction) - len(scores.pairs),
        "truncated": truncated,
    }
    for letters in _LETTERS:
        blocks = [_shortened(entry, letters) for entry in entries]
        sizes = [len(json.dumps(block)) + 2 for block in blocks]
        if sum(sizes) <= MAX_BYTES:
            break
    kept, total = 0, 200  # of the numbers
    while kept < len(blocks) and total + sizes[kept] <= MAX_BYTES:
        total += sizes[kept]
        kept += 1
    return {**detail, "blocks": blocks[:kept], "blocks_left": len(blocks) - kept}


def _entries(scores: BlockScores) -> list[list[Any]]:
    ours = {row for row, _, _ in scores.pairs}
    theirs = {column for _, column, _ in scores.pairs}
    missing = [
        [block.text, None, _place(block), None, None]
        for index, block in enumerate(scores.reference)
        if index not in theirs
    ]
    extra = [
        ["", block.text, None, _place(block), None]
        for index, block in enumerate(scores.prediction)
        if index not in ours
    ]
    changed: list[list[Any]] = []
    equal: list[list[Any]] = []
    for row, column, value in sorted(scores.pairs, key=lambda pair: pair[1]):
        reference, page = scores.reference[column], scores.prediction[row]
        alike = value, position_similarity(page, reference), color_similarity(page, reference)
        same = reference.text == page.text
        entry = [reference.text, None if same else page.text, _place(reference), _place(page)]
        (equal if same else changed).append([*entry, [round(one, 3) for one in alike]])
    return [*missing, *extra, *changed, *equal]


def _place(block: Block) -> list[int]:
    left, top, width, height = block.box
    return [round(UNITS * side) for side in (left, top, left + width, top + height)]


def _shortened(entry: Sequence[Any], letters: int) -> list[Any]:
    return [f"{one[:letters]}…" if isinstance(one, str) and len(one) > letters else one for one in entry]
