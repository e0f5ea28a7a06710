"""The structure of an answer that is code in one language."""

from __future__ import annotations

from i2s_sdk.reading import CodeRules, ReadCode, read_code
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
    return Structure(read.code, _origin(read), choice=Choice.among(read.blocks, read.taken))


def _origin(read: ReadCode) -> Origin:
    if read.fenced:
        return Origin.FENCE if read.closed else Origin.UNCLOSED_FENCE
    return Origin.EXCERPT if read.excerpt else Origin.BARE
