"""The line of an answer at which an engine found an error in its document."""

from __future__ import annotations

import pytest

from i2s_sdk.tasks.answer_reading import line_of_answer
from i2s_sdk.tasks.latex.paper_document import paper_document

ANSWER = """Sure:
```latex
\\usepackage{booktabs}
\\begin{align}
  a &= \\b \\\\
  c &= d
\\end{align}
x
x
```
Done."""
DOCUMENT = paper_document("\n".join(ANSWER.splitlines()[2:-2])).source


@pytest.mark.parametrize(("text", "line"), [(r"a &= \b \\", 5), (r"\begin{align*}", 4), (r"\end{align*}", 7)])
def test_a_line_of_the_document_is_found_in_the_answer(text: str, line: int) -> None:
    at = [one.strip() for one in DOCUMENT.splitlines()].index(text) + 1
    assert line_of_answer(ANSWER, DOCUMENT, at) == line


def test_equal_lines_are_told_apart_by_those_behind_them() -> None:
    lines = DOCUMENT.splitlines()
    first = lines.index("x") + 1
    assert [line_of_answer(ANSWER, DOCUMENT, at) for at in (first, first + 1)] == [8, 9]


@pytest.mark.parametrize("line", [0, 1, 100_000])
def test_a_line_that_is_not_of_the_answer_has_no_line_there(line: int) -> None:
    assert line_of_answer(ANSWER, DOCUMENT, line) == 0


def test_an_empty_answer_has_no_line() -> None:
    assert line_of_answer("", DOCUMENT, 5) == 0
