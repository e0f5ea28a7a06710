"""Each method finds what its pattern finds."""

import re

from hypothesis import given
from hypothesis import strategies as st

from i2s_sdk.tasks.latex.line_arguments import LineArguments, first, without

SOURCES = st.lists(st.sampled_from(["\\c", "{", "}", "[", "]", "]{", "\n", "a", " "]), max_size=25).map(
    "".join
)
NAME = r"\{[^\n]*?\}"
OPTION = r"(?:\[[^\n]*?\])?"
COMMAND = re.compile(r"\\c")


@given(SOURCES)
def test_removing_is_replacing_with_nothing(source: str) -> None:
    assert without(COMMAND, LineArguments.name, source) == re.sub(rf"\\c{NAME}", "", source)
    assert without(COMMAND, LineArguments.option_and_name, source) == re.sub(
        rf"\\c{OPTION}{NAME}", "", source
    )
    assert without(COMMAND, LineArguments.option_and_rest, source) == re.sub(
        rf"\\c{OPTION}\{{[^\n]*\}}", "", source
    )


@given(SOURCES)
def test_the_first_is_that_of_the_pattern(source: str) -> None:
    match = re.search(rf"\\c{OPTION}{NAME}", source)
    assert first(COMMAND, source) == (match.group() if match else None)
