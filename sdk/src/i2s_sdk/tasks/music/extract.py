"""Extracts the LilyPond code of a completion."""

from __future__ import annotations

from i2s_sdk.tasks.fences import fenced_blocks, longest_block
from i2s_sdk.tasks.structure import NoStructure, Origin, Structure
from i2s_wire.metrics.profile import Profile

#: What models write after an opening fence when they mean LilyPond.
LANGUAGES = frozenset({"lilypond", "ly", "lily"})


def extract(completion: str, profile: Profile) -> Structure | NoStructure:
    """Return the LilyPond code of a completion, which is trimmed first.

    ``paper`` strips fences: it takes the longest fenced block of the language and closes a fence that a
    truncated answer left open; without a fence the completion is the code. Nothing but white space is no
    structure. ``helm`` takes the completion verbatim, fences and prose included.
    """
    text = completion.strip()
    if profile is Profile.HELM:
        return Structure(text)
    if not text:
        return NoStructure("the completion is empty")
    blocks = fenced_blocks(text, LANGUAGES)
    block = longest_block(blocks, LANGUAGES)
    if block is not None:
        return Structure(block.content.strip(), Origin.FENCE if block.closed else Origin.UNCLOSED_FENCE)
    if blocks:
        return NoStructure("the completion has fences with nothing between them")
    return Structure(text)
