"""Graded answers of the chart task: tokens are numbers and words of the program, parts are its statements."""

from __future__ import annotations

import ast
import re

from i2s_sdk.tasks.graded import FONT, SIZE, SPELLING, Spans, equivalent, rungs

#: Calls without which there is no figure.
_NEEDED = re.compile(r"\.(?:show|savefig|subplots|figure|gcf|gca|add_subplot|add_gridspec|use)\(")


def _parsed(code: str) -> ast.Module | None:
    try:
        return ast.parse(code)
    except (SyntaxError, ValueError, RecursionError):
        return None


def _offsets(code: str) -> list[int]:
    """Return the offset in characters of each line; columns of ``ast`` are bytes, and the code is ASCII."""
    offsets = [0]
    for line in code.splitlines(keepends=True):
        offsets.append(offsets[-1] + len(line))
    return offsets


def _span(node: ast.expr | ast.stmt, offsets: list[int]) -> tuple[int, int]:
    assert node.end_lineno is not None, "of a tree that was parsed"
    assert node.end_col_offset is not None, "of a tree that was parsed"
    return offsets[node.lineno - 1] + node.col_offset, offsets[node.end_lineno - 1] + node.end_col_offset


def _values(code: str) -> Spans:
    """Return the numbers in lists and the words that calls draw."""
    tree = _parsed(code)
    if tree is None or not code.isascii():
        return []
    offsets = _offsets(code)
    spans = []
    for node in ast.walk(tree):
        if isinstance(node, ast.List | ast.Tuple):
            spans += [
                _span(element, offsets)
                for element in node.elts
                if isinstance(element, ast.Constant)
                and isinstance(element.value, int | float)
                and element.value > 9
            ]
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            title = node.func.attr in ("set_title", "set_xlabel", "set_ylabel", "title", "xlabel", "ylabel")
            spans += [
                (start + 1, end - 1)
                for one in node.args[:1]
                if title and isinstance(one, ast.Constant) and isinstance(one.value, str)
                for start, end in [_span(one, offsets)]
            ]
    return sorted(spans)


def _statements(code: str) -> Spans:
    """Return the statements that are calls of their own and can be left out."""
    tree = _parsed(code)
    if tree is None or not code.isascii():
        return []
    offsets = _offsets(code)
    spans = [_span(one, offsets) for one in tree.body if isinstance(one, ast.Expr)]
    return [(start, end) for start, end in spans if not _NEEDED.search(code[start:end])]


_SHOW = re.compile(r"^plt\.(?:show|savefig)\(", re.MULTILINE)


def _in_another_size(code: str) -> str | None:
    larger = "plt.gcf().set_dpi(1.25 * plt.gcf().get_dpi())\n"
    return _SHOW.sub(lambda match: larger + match.group(), code, count=1) if _SHOW.search(code) else None


def _in_another_spelling(code: str) -> str | None:
    tree = _parsed(code)
    return None if tree is None else ast.unparse(tree)


def _in_another_font(code: str) -> str | None:
    return f"import matplotlib\nmatplotlib.rcParams['font.family'] = 'serif'\n{code}"


GRADES = (
    *rungs(_values, missing=_statements, fewest=lambda _: 1),
    equivalent(SIZE, _in_another_size),
    equivalent(SPELLING, _in_another_spelling),
    equivalent(FONT, _in_another_font),
)
