"""The structure of an answer that is code in one language."""

from __future__ import annotations

from i2s_sdk.reading import CodeRules, read_code
from i2s_sdk.tasks.structure import Choice, NoStructure, Origin, Structure


def code_structure(text: str, rules: CodeRules) -> Structure | NoStructure:
    """Return the code of an answer as a structure, or why it has none.

    Args:
        text: Answer without reasoning.
        rules: Rules of the language.
    """
    read = read_code(text, rules)
    if read.fault:
        return NoStructure(read.fault)
    fenced = Origin.FENCE if read.closed else Origin.UNCLOSED_FENCE
    return Structure(
        read.code, fenced if read.fenced else Origin.BARE, choice=Choice.among(read.blocks, read.taken)
    )
