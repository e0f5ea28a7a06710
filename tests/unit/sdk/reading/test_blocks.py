"""Fenced blocks of answers."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from i2s_sdk.reading import Block, fenced_blocks, unwrapped_markdown


def contents(text: str) -> list[tuple[str, str, bool]]:
    return [(block.language, block.content, block.closed) for block in fenced_blocks(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Hi\n```latex\nx\n```\nbye", [("latex", "x\n", True)]),
        ("```tex\nx + ", [("tex", "x + ", False)]),
        ("~~~latex\na ``` b\n~~~\n", [("latex", "a ``` b\n", True)]),
        ("````latex\n```\nx\n```\n````", [("latex", "```\nx\n```\n", True)]),
        ("```LaTeX (standalone)\nx\n```", [("latex", "x\n", True)]),
        ("```{.latex .numberLines}\nx\n```", [("latex", "x\n", True)]),
        ("```{python}\nx\n```", [("python", "x\n", True)]),
        ("```python plot.py\nx\n```", [("python", "x\n", True)]),
        ("```html:index.html\nx\n```", [("html", "x\n", True)]),
        ("```index.html\nx\n```", [("html", "x\n", True)]),
        ("1. One:\n   ```py\n   if x:\n       y\n   ```\n2. Two", [("py", "if x:\n    y\n", True)]),
        ("- One:\n\n    ```py\n    x\n    ```\n", [("py", "x\n", True)]),
        ("> ```tex\n> x\n> ```\n", [("tex", "x\n", True)]),
        ("    ```tex\n    x\n    ```\n", [("tex", "x\n", True)]),
        ("```latex\n\n```\n```latex\nx\n```", [("latex", "x\n", True)]),
    ],
)
def test_blocks_are_those_of_commonmark(text: str, expected: list[tuple[str, str, bool]]) -> None:
    assert contents(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Here it is: ```latex\nx\n``` as asked", [("latex", "x\n", True)]),
        ("```json\n[1]```", [("json", "[1]\n", True)]),
        ("```json\n[1]```\nand\n```css\na {}\n```", [("json", "[1]\n", True), ("css", "a {}\n", True)]),
        ("use ```latex x``` or ```E = mc```", [("latex", "x\n", True), ("", "E = mc\n", True)]),
        ("It is:```latex\nx\n```\nOr:\n```latex\ny\n```", [("latex", "x\n", True), ("latex", "y\n", True)]),
        ("It is: ```python # a plot\nx\n```", [("python", "x\n", True)]),
        ("It is: ```\nx\n```", [("", "x\n", True)]),
        ('It is: ```html title="a"\n\nx\n```', [("html", "\nx\n", True)]),
        ("```\\frac{a}{b}```", [("", "\\frac{a}{b}\n", True)]),
        ("```latex \\begin{a}\nb\n```", [("latex", "\\begin{a}\nb\n", True)]),
        ('```json [{"a": 1}]\n```', [("json", '[{"a": 1}]\n', True)]),
        ("```latex\n% see ``` here\nx\n```", [("latex", "% see ``` here\nx\n", True)]),
        ("```latex\n% ends with ```\nx\n```", [("latex", "% ends with ```\nx\n", True)]),
    ],
)
def test_fences_in_the_middle_of_a_line_are_found(text: str, expected: list[tuple[str, str, bool]]) -> None:
    assert contents(text) == expected


@pytest.mark.parametrize("block", ["```latex\nx\n```", "```\nx\n```", "> ```latex\n> x\n> ```"])
@pytest.mark.parametrize(
    "words",
    [
        "I'll write the formula in a ```latex code block:",
        "The code is wrapped in ``` fences.",
        "As asked, it is between ```latex and ```.",
        "It stands in ```latex … ``` below:",
        "It is in ``` fences",
    ],
)
@pytest.mark.parametrize("between", ["\n", "\n\n"])
def test_words_that_mention_a_fence_open_no_block(words: str, between: str, block: str) -> None:
    (read,) = fenced_blocks(f"{words}{between}{block}\n\nDone.")
    assert (read.content, read.closed) == ("x\n", True)


@pytest.mark.parametrize("info", ["markdown", "md", ""])
@pytest.mark.parametrize("outer", ["````", "```"])
def test_a_block_around_blocks_stands_for_these(info: str, outer: str) -> None:
    if (info, outer) != ("", "```"):  # the inner fence would open nothing
        assert contents(f"{outer}{info}\n```latex\nx\n```\n{outer}") == [("latex", "x\n", True)]


@pytest.mark.parametrize(
    ("info", "name"),
    [
        ("html index.html", "index.html"),
        ("css:css/style.css", "css/style.css"),
        ('js title="a/b.js"', "a/b.js"),
        ("file=x.css", "x.css"),
        ("latex", ""),
        ("{.latex}", ""),
        ("python3.11", ""),
    ],
)
def test_the_file_name_of_an_info_string(info: str, name: str) -> None:
    assert Block(info, "x").file_name == name


def test_a_block_knows_the_lines_before_it() -> None:
    first, second = fenced_blocks("**a.css**\n```css\nx\n```\n\n**b.css**\n```css\ny\n```")
    assert (first.before, second.before) == ("**a.css**", "\n**b.css**")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("```markdown\n# A\n\n```py\nx\n```\n\nB\n```", "# A\n\n```py\nx\n```\n\nB"),
        ("~~~md\n# A\n~~~", "# A"),
        ("```markdown\n# A, cut", "# A, cut"),
        ("# A\n\n```py\nx\n```", "# A\n\n```py\nx\n```"),
        ("```py\nx\n```", "```py\nx\n```"),
    ],
)
def test_a_fence_around_a_markdown_document_is_taken_off(text: str, expected: str) -> None:
    assert unwrapped_markdown(text) == expected


@given(st.text(alphabet="abc\\{} \n$", max_size=60), st.sampled_from(["", "latex", "tex", "LaTeX a b"]))
def test_content_of_a_block_is_verbatim(code: str, info: str) -> None:
    blocks = fenced_blocks(f"prose\n```{info}\n{code}\n```\nprose")
    assert [block.content for block in blocks] == ([f"{code}\n"] if code.strip() else [])


@given(st.text(alphabet="`~>- \r\nal\\{}1.", max_size=60))
def test_every_answer_has_blocks_that_hold_something(text: str) -> None:
    assert all(not block.is_empty for block in fenced_blocks(text))
