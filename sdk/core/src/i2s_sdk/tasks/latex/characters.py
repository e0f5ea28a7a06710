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

# Characters that LaTeX knows in text alone: in mathematics it draws another character, or none.
_IN_MATHS = {
    "±": r"\pm", "×": r"\times", "÷": r"\div", "·": r"\cdot", "¬": r"\neg", "°": r"^{\circ}", "µ": r"\mu",
    "¹": "{}^{1}", "²": "{}^{2}", "³": "{}^{3}", "←": r"\leftarrow", "→": r"\to", "↑": r"\uparrow",
    "↓": r"\downarrow",
}  # fmt: skip


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
    """Yield the lines that declare characters for which LaTeX has no meaning, be it in maths alone."""
    for character in characters:
        command, code = command_of(character), f"{ord(character):04X}"
        if character in _IN_MATHS:
            in_text = rf"\csname text {code}\endcsname"
            name = rf"u8:\detokenize{{{character}}}"
            yield rf"\expandafter\let\csname text {code}\expandafter\endcsname\csname {name}\endcsname"
            yield rf"\DeclareUnicodeCharacter{{{code}}}{{\TextOrMath{{{in_text}}}{{{_IN_MATHS[character]}}}}}"
        elif command is not None:
            declared = rf"\DeclareUnicodeCharacter{{{code}}}{{{command}}}"
            yield rf"\ifcsname u8:\detokenize{{{character}}}\endcsname\else{declared}\fi"
