"""Extension of Griffe: docstrings as Markdown, for the Python reference of the documentation site.

Docstrings of this project contain three things that Markdown does not know: examples with ``>>>``, which
would become quotations, roles such as ``:mod:``, and literal blocks that begin after ``::``. Fields are
described by comments that begin with ``#:``, above the field or behind it, which become their docstrings.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import griffe

_ROLE = re.compile(r":(?:mod|class|func|meth|data|attr|exc):`~?([^`]+)`")
_SKIP = re.compile(r"[ ]*# doctest: \+\w+$", re.MULTILINE)
_EXAMPLE = re.compile(r"(?:^[ ]*(?:>>>|\.\.\.)(?: .*)?\n?)+", re.MULTILINE)
_LITERAL = re.compile(r"^::\n\n", re.MULTILINE)
_FIELD_COMMENT = re.compile(r"(?:^|  )#: (.*)")


class MarkdownDocstrings(griffe.Extension):
    """Rewrites every docstring that is read, and makes those of fields."""

    def on_instance(self, *, obj: griffe.Object, **more: Any) -> None:  # noqa: ANN401 - of Griffe
        """Rewrite the docstring of a module, class, function or attribute. Called by Griffe."""
        if obj.docstring is not None:
            obj.docstring.value = as_markdown(obj.docstring.value)

    def on_attribute_instance(self, *, attr: griffe.Attribute, **more: Any) -> None:  # noqa: ANN401 - as above
        """Give a field or constant without a docstring the text of its comment. Called by Griffe."""
        if attr.docstring is not None or attr.lineno is None or attr.endlineno is None:
            return
        lines = attr.lines_collection[Path(str(attr.filepath))]
        text = field_comment(lines[: attr.lineno - 1], lines[attr.lineno - 1 : attr.endlineno])
        if text:
            attr.docstring = griffe.Docstring(as_markdown(text), parent=attr)


def field_comment(above: Sequence[str], own: Sequence[str]) -> str:
    """Return the text of the comments ``#:`` of a field, as a sentence; empty if there is none.

    Args:
        above: Lines of the file before the field.
        own: Lines of the field.
    """
    behind = _FIELD_COMMENT.search(own[-1])
    block = list(itertools.takewhile(lambda line: line.lstrip().startswith("#:"), reversed(above)))[::-1]
    comments = [behind[1]] if behind else [line.strip().removeprefix("#:").strip() for line in block]
    text = " ".join(comments)
    return text[:1].upper() + text[1:]


def as_markdown(docstring: str) -> str:
    """Return a docstring with examples in fences, roles as code, and without marks of literal blocks."""
    text = _LITERAL.sub("", _ROLE.sub(r"`\1`", docstring))
    return _EXAMPLE.sub(_fenced, text)


def _fenced(match: re.Match[str]) -> str:
    lines = [line.strip() for line in _SKIP.sub("", match[0]).splitlines()]
    return "```pycon\n" + "\n".join(lines) + "\n```\n"
