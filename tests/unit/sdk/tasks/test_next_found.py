from hypothesis import given
from hypothesis import strategies as st

from i2s_sdk.tasks.next_found import NextFound


@given(st.text(alphabet="ab", max_size=30), st.lists(st.integers(0, 30), max_size=12))
def test_it_finds_what_a_fresh_search_finds(text: str, positions: list[int]) -> None:
    finder = NextFound(text, "ab")
    for position in sorted(positions) + positions:
        found = text.find("ab", position)
        assert finder.at(position) == (len(text) if found < 0 else found)
