"""Python source as a tree, without warnings of its escapes, which are for the model to see when it runs."""

from __future__ import annotations

import ast
import re
import warnings

#: Name of the file in warnings, by which they are left out. Reading runs in threads, which share all filters.
FILE = "<answer>"
#: What the parser raises for a text that is not Python, or is nested too deeply.
UNREADABLE = (SyntaxError, ValueError, RecursionError, MemoryError)

warnings.filterwarnings("ignore", module=re.escape(FILE))


def python_tree(source: str) -> ast.Module | None:
    """Return the tree of a program; None if the text is none."""
    try:
        return ast.parse(source, FILE)
    except UNREADABLE:
        return None


def python_expression(source: str) -> ast.expr | None:
    """Return the tree of an expression; None if the text is none."""
    try:
        return ast.parse(source, FILE, mode="eval").body
    except UNREADABLE:
        return None
