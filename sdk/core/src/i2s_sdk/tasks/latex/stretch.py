"""The LaTeX code of an answer that has prose around it and no fence."""

from __future__ import annotations

import re

from i2s_sdk.tasks.latex.tex_source import code_spans, without_comments

_DOCUMENT = re.compile(r"\\documentclass\b.*\\end\{document\}", re.DOTALL)
_MARK = re.compile(
    r"\\begin\{(?P<begin>[^{}\n]{1,40})\}|\\end\{(?P<end>[^{}\n]{1,40})\}|\\\[|\\\]|\$\$|\\.", re.DOTALL
)
#: What no prose has, and what all prose has.
_CODE = re.compile(r"[\\$^{}=<>+&]")
_WORD = re.compile(r"[^\W\d_]{3}|[\u3040-\u9fff]")
_ANNOUNCED = re.compile(r"[^\\$^{}\n]{0,300}[:：]\s*(?P<code>\$[^$]+\$|\\\(.+\\\))[\s.]*\Z", re.DOTALL)
_LABELLED = re.compile(
    r"[^\\$^{}\n]{0,300}(?:\b(?:la)?tex\b|\bcode\b|代码)[^\\$^{}\n]{0,300}[:：]\s*\n(?P<code>.*)\Z",
    re.IGNORECASE | re.DOTALL,
)
_SPAN = re.compile(r"`(?P<code>[^`\n]+)`")


def without_prose(text: str) -> str:
    r"""Return the one stretch of an answer that is code, if all else is prose, else the whole answer.

    Stretches are a whole document, a display ($$…$$ or \[…\]), an environment, and code in backticks; behind
    words that announce it, also a formula in a line and the rest of the answer. Prose has words, and neither
    a backslash nor a sign of TeX or of mathematics.

    Args:
        text: Answer without fences.
    """
    document = _DOCUMENT.search(text)
    if document:
        before = without_comments(text[: document.start()])
        return document[0] if before.strip() and _is_prose(before) else text
    stretches = _displays(text)
    if len(stretches) == 1:
        start, end = stretches[0]
        return text[start:end] if _is_prose(text[:start], text[end:]) else text
    if stretches:
        return text
    spans = list(_SPAN.finditer(text))
    if len(spans) == 1 and _is_prose(text[: spans[0].start()], text[spans[0].end() :]):
        return spans[0]["code"].strip()
    announced = _ANNOUNCED.match(text) or _LABELLED.match(text)
    return announced["code"].strip() if announced else text


def _is_prose(*texts: str) -> bool:
    """Return whether texts around code are prose, or a mark at most."""
    return all(
        _WORD.search(text) is not None and _CODE.search(text) is None
        for text in texts
        if text.strip(" \t\r\n.:*")
    )


def _displays(text: str) -> list[tuple[int, int]]:
    """Return start and end of the outermost displays and environments; none if one does not end."""
    found: list[tuple[int, int]] = []
    open_marks: list[str] = []
    start = 0
    for first, last in code_spans(text):
        for mark in _MARK.finditer(text, first, last):
            closes = _closing(mark)
            if open_marks and mark[0] == open_marks[-1]:
                open_marks.pop()
                if not open_marks:
                    found.append((start, mark.end()))
            elif closes:
                start = start if open_marks else mark.start()
                open_marks.append(closes)
    return [] if open_marks else found


def _closing(mark: re.Match[str]) -> str:
    r"""Return what ends the stretch that a mark opens; empty if it opens none."""
    if mark["begin"]:
        return rf"\end{{{mark['begin']}}}"
    return {r"\[": r"\]", "$$": "$$"}.get(mark[0], "")
