"""Extension of Griffe: docstrings as Markdown, for the Python reference of the documentation site.

Docstrings of this project contain three things that Markdown does not know: examples with ``>>>``, which
would become quotations, roles such as ``:mod:``, and literal blocks that begin after ``::``.
"""

from __future__ import annotations

import re
from typing import Any

import griffe

_ROLE = re.compile(r":(?:mod|class|func|meth|data|attr|exc):`~?([^`]+)`")
_SKIP = re.compile(r"[ ]*# doctest: \+\w+$", re.MULTILINE)
_EXAMPLE = re.compile(r"(?:^[ ]*(?:>>>|\.\.\.)(?: .*)?\n?)+", re.MULTILINE)
_LITERAL = re.compile(r"^::\n\n", re.MULTILINE)


class MarkdownDocstrings(griffe.Extension):
    """Rewrites every docstring that is read."""

    def on_instance(self, *, obj: griffe.Object, **more: Any) -> None:  # noqa: ANN401 - of Griffe
        """Rewrite the docstring of a module, class, function or attribute. Called by Griffe."""
        if obj.docstring is not None:
            obj.docstring.value = as_markdown(obj.docstring.value)


def as_markdown(docstring: str) -> str:
    """Return a docstring with examples in fences, roles as code, and without marks of literal blocks."""
    text = _LITERAL.sub("", _ROLE.sub(r"`\1`", docstring))
    return _EXAMPLE.sub(_fenced, text)


def _fenced(match: re.Match[str]) -> str:
    lines = [line.strip() for line in _SKIP.sub("", match[0]).splitlines()]
    return "```pycon\n" + "\n".join(lines) + "\n```\n"
