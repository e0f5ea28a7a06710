"""Reads the Python program of a completion."""

from __future__ import annotations

from i2s_sdk.tasks.fences import fenced_blocks, longest_block
from i2s_sdk.tasks.structure import NoStructure, Origin, Structure

#: What models write after an opening fence when they mean Python.
LANGUAGES = frozenset({"python", "py", "python3", "matplotlib"})


def extract(completion: str) -> Structure | NoStructure:
    """Return the program of a completion.

    It is the longest fenced block of Python, else the longest block that names no language; a fence that a
    truncated completion left open is closed. Without a fence the completion is the program.
    """
    text = completion.strip()
    if not text:
        return NoStructure("the completion is empty")
    blocks = fenced_blocks(text, LANGUAGES)
    block = longest_block(blocks, LANGUAGES)
    if block is not None:
        return Structure(block.content.strip(), Origin.FENCE if block.closed else Origin.UNCLOSED_FENCE)
    if blocks:
        return NoStructure("the completion has fences with nothing between them")
    return Structure(text)
