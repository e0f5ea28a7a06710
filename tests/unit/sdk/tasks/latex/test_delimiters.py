"""Delimiters that belong together, against counting from each one."""

from hypothesis import given
from hypothesis import strategies as st

from i2s_sdk.tasks.latex.delimiters import Delimiters


def counted(source: str, opening: int) -> int | None:
    closing = {"{": "}", "[": "]"}[source[opening]]
    depth, index = 0, opening + 1
    while index < len(source):
        character = source[index]
        if character == closing and depth == 0:
            return index
        depth += (character == "{") - (character == "}")
        index += 2 if character == "\\" else 1
    return None


@given(st.text(alphabet="{}[]\\a", max_size=40))
def test_each_delimiter_is_closed_where_counting_says(source: str) -> None:
    delimiters = Delimiters(source)
    for index, character in enumerate(source):
        if source[max(0, index - 1)] == "\\":
            continue  # perhaps no delimiter: what is escaped is never asked for
        if character == "{":
            assert delimiters.brace(index) == counted(source, index)
        elif character == "[":
            assert delimiters.bracket(index) == counted(source, index)
