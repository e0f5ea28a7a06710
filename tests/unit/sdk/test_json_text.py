"""JSON and TOML of others end in a value or a ValueError."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from i2s_sdk.json_text import MAX_DEPTH, read_json, read_strict_json, read_toml


@pytest.mark.parametrize("depth", [MAX_DEPTH + 1, 900, 200_000])
@pytest.mark.parametrize(("opening", "closing"), [("[", "]"), ('{"a":', "}")])
def test_deep_nesting_is_a_value_error(depth: int, opening: str, closing: str) -> None:
    text = opening * depth + "1" + closing * depth
    for raw in (text, text.encode(), opening * depth):
        with pytest.raises(ValueError, match=r"nested deeper than|Expecting"):
            read_json(raw)


def test_what_is_nested_as_deep_as_allowed_is_read() -> None:
    text = "[" * MAX_DEPTH + "]" * MAX_DEPTH
    assert read_json(text) == eval(text)


def test_many_brackets_are_not_deep() -> None:
    assert read_json("[" + ",".join(["[1]"] * 1000) + "]") == [[1]] * 1000
    assert read_json('["' + "[" * 1000 + '"]') == ["[" * 1000]


@pytest.mark.parametrize(
    "text", ["a = " + "[" * 200_000, "a = " + "[" * 300 + "]" * 300, "[" + "a." * 500 + "a]"]
)
def test_deep_tables_are_a_value_error(text: str) -> None:
    with pytest.raises(ValueError, match=r"nested deeper|\(at"):
        read_toml(text)


@given(st.binary(max_size=40) | st.text('[]{}",:1e\\u0', max_size=40).map(str.encode))
def test_any_bytes_give_a_value_or_a_value_error(raw: bytes) -> None:
    try:
        read_json(raw)
        read_toml(raw.decode())
    except ValueError:
        pass


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        ("NaN", "NaN is not a number"),
        ('{"a": -Infinity}', "-Infinity is not a number"),
        ("[1e999]", "beyond the range"),
        ('[{"a": {"b": 1, "b": 1}}]', "the name 'b' twice"),
        ("[" * 200 + "]" * 200, "nested deeper"),
        ("{", "Expecting"),
    ],
)
def test_strict_json_is_that_of_its_standard(raw: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        read_strict_json(raw)


def test_strict_json_has_the_values_of_json() -> None:
    raw = '{"a": [1, -0.5, 1e3, null, true, "\\u00e9"], "b": {"a": 12345678901234567890}}'
    assert read_strict_json(raw) == json.loads(raw)
