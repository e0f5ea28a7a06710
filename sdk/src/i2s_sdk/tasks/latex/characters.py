r"""Characters for which pdfLaTeX has no meaning: what stands for each, and the lines that declare it."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from functools import cache

from pylatexenc.latexencode import get_builtin_uni2latex_dict

#: What pylatexenc does not know or draws by commands that the fixed preamble lacks.
_OWN = {
    **dict.fromkeys("\u200b\u200c\u200d\u2060\ufeff", ""),
    **dict.fromkeys("\u2005\u2006\u2008\u2009\u200a\u202f\u205f", r"\,"),
    "✓": r"\ensuremath{\checkmark}",
    "✔": r"\ensuremath{\checkmark}",
    "✗": r"\ding{55}",
    "✘": r"\ding{55}",
    "★": r"\ensuremath{\bigstar}",
    "⟂": r"\ensuremath{\perp}",
}


@cache
def command_of(character: str) -> str | None:
    r"""Return the LaTeX that draws one character in text and in mathematics, or None if none is known.

    Letters count only if they are letters of mathematics: of other scripts pdfLaTeX has no fonts here.
    """
    if character in _OWN:
        return _OWN[character]
    kind, _, base = unicodedata.decomposition(character).partition(" ")
    if kind in ("<sub>", "<super>"):
        raised = "_" if kind == "<sub>" else "^"
        letter = command_of(chr(int(base, 16))) or chr(int(base, 16))
        # A base of its own, since several of them may follow one another.
        return rf"\ensuremath{{{{}}{raised}{{{letter}}}}}"
    known: str | None = get_builtin_uni2latex_dict().get(ord(character))
    if known is None or character.isascii():
        return None
    is_letter = unicodedata.category(character)[0] in "LM"
    return None if is_letter and not known.startswith(r"\ensuremath") else known


def declarations(characters: str) -> Iterator[str]:
    """Yield the line that declares each character, unless LaTeX has a meaning for it already."""
    for character in characters:
        command = command_of(character)
        if command is not None:
            name = rf"u8:\detokenize{{{character}}}"
            declared = rf"\DeclareUnicodeCharacter{{{ord(character):04X}}}{{{command}}}"
            yield rf"\ifcsname {name}\endcsname\else{declared}\fi"
