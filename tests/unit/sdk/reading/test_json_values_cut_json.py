"""JSON that was cut off."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from i2s_sdk.reading.json_values import closings

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
).filter(lambda value: isinstance(value, list | dict))


@pytest.mark.parametrize("text", ["[]", '{"a": 1}', "[1] and more", "[1}", "[<", "x", ""])
def test_what_is_complete_or_no_json_has_no_closings(text: str) -> None:
    assert closings(text) == ()


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ('["a', '["a"]'),
        ('["a\\', '["a"]'),
        ('["a\\\\', '["a\\\\"]'),
        ('["a\\u00', '["a"]'),
        ('["a\\u00e9', '["a\\u00e9"]'),
        ('{"a": [1, {"b": "c', '{"a": [1, {"b": "c"}]}'),
        ("[1, 2", "[1, 2]"),
    ],
)
def test_a_string_and_everything_around_it_is_closed(text: str, first: str) -> None:
    assert closings(text)[0] == first
    json.loads(first)


def test_the_second_guess_gives_up_the_last_item() -> None:
    assert closings('[{"a": "1"}, {"b')[1] == '[{"a": "1"}]'


@given(VALUES, st.data())
def test_a_cut_inside_of_a_string_always_has_a_closing_that_is_json(value, data) -> None:
    text = json.dumps(["x", value, "a longer text to be cut"])
    cut = text[: len(text) - data.draw(st.integers(3, 20))]
    assert json.loads(closings(cut)[0])[:2] == ["x", value]
