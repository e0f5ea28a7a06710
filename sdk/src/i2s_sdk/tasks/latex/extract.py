"""Extracts the LaTeX code of a completion."""

from __future__ import annotations

from i2s_sdk.tasks.fences import fenced_blocks, longest_block
from i2s_sdk.tasks.helm_fence import helm_fenced
from i2s_sdk.tasks.structure import NoStructure, Origin, Structure
from i2s_wire.metrics.profile import Profile

#: What models write after an opening fence when they mean LaTeX.
LANGUAGES = frozenset({"latex", "tex", "pdflatex", "latex2e", "tikz", "pgf", "pgfplots", "circuitikz"})


def extract(completion: str, profile: Profile) -> Structure | NoStructure:
    """Return the LaTeX code of a completion, which is trimmed first.

    ``paper`` takes the longest fenced block of the language, whatever its info string, and closes a fence
    that a truncated answer left open; without a fence the completion is the code. Nothing but white
    space is no structure.

    ``helm`` takes what stands between the first "```latex" and the next "```", else between the first two
    "```", else the whole completion. It always has a structure, if an empty one.
    """
    if profile is Profile.HELM:
        return Structure(*helm_fenced(completion, "```latex"))
    return _extract_paper(completion.strip())


def _extract_paper(text: str) -> Structure | NoStructure:
    if not text:
        return NoStructure("the completion is empty")
    blocks = fenced_blocks(text, LANGUAGES)
    block = longest_block(blocks, LANGUAGES)
    if block is not None:
        return Structure(block.content.strip(), Origin.FENCE if block.closed else Origin.UNCLOSED_FENCE)
    if blocks:
        return NoStructure("the completion has fences with nothing between them")
    return Structure(text, Origin.BARE)
