"""JSON as models write it."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from i2s_sdk.reading.json_values import json_values

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**9), 10**9) | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
).filter(lambda value: isinstance(value, list | dict))


@pytest.mark.parametrize(
    ("text", "value", "mends"),
    [
        (r'["/\d+/"]', r"/\d+/", ("escapes that JSON lacks",)),
        (r'["\u12"]', r"\u12", ("escapes that JSON lacks",)),
        (r'["it\'s"]', "it's", ("escapes that JSON lacks",)),
        (r'["\n\\d"]', "\n\\d", ()),
        ('["a",]', "a", ("trailing commas",)),
        ('["a", // the first\n]', "a", ("trailing commas", "comments")),
        ('["// a,]"]', "// a,]", ()),
        ('["a\nb"]', "a\nb", ("raw control characters in texts",)),
        (
            '["a\nb\\d",]',
            "a\nb\\d",
            ("escapes that JSON lacks", "raw control characters in texts", "trailing commas"),
        ),
        ('[`a\n"b"`]', 'a\n"b"', ("texts in backticks",)),
    ],
)
def test_faults_with_one_reading_are_read_and_named(text: str, value: str, mends: tuple[str, ...]) -> None:
    read = json_values(text)
    assert (read.values, read.mends, read.fault) == (([value],), mends, "")


def test_values_that_follow_one_another_are_all_read() -> None:
    assert json_values('{"a": 1}\n{"b": 2}, [3] and more').values == ({"a": 1}, {"b": 2}, [3])


def test_the_last_of_several_values_may_be_cut_off() -> None:
    read = json_values('{"a": "x"}\n{"b": "y')
    assert (read.values, read.cut) == (({"a": "x"}, {"b": "y"}), "to its end")


@pytest.mark.parametrize("text", ['{"a" "b"}', "[1 2]", "[" * 100_000, "{a: 1}", "[" + "9" * 10_000 + "]"])
def test_other_faults_are_said(text: str) -> None:
    read = json_values(text)
    assert not read.values
    assert read.fault


@given(VALUES)
def test_json_is_read_as_it_is(value: object) -> None:
    for text in (json.dumps(value), json.dumps(value, ensure_ascii=False, indent=1)):
        read = json_values(text)
        assert (read.values, read.mends, read.cut, read.end) == ((value,), (), "", len(text))


@given(st.text(alphabet='[]{}",:\\ `\n/a1*', max_size=60).map(lambda rest: f"[{rest}"))
def test_every_text_has_values_or_a_fault(text: str) -> None:
    read = json_values(text)
    assert read.values or read.fault
