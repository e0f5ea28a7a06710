"""JSON and TOML of others end in a value or a ValueError."""

from __future__ import annotations

import enum
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from types import MappingProxyType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from i2s_sdk.json_text import MAX_DEPTH, JsonFields, plain_fields, read_json, read_strict_json, read_toml


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


class _Color(enum.StrEnum):
    RED = "red"


@dataclass(frozen=True, slots=True)
class _Inner:
    number: float
    name: str | None = None


@dataclass(frozen=True)
class _Outer:
    color: _Color
    one: _Inner
    several: tuple[_Inner, ...]
    named: Mapping[str, list[_Inner]] = field(default_factory=dict)


def test_dataclasses_at_any_depth_become_dictionaries() -> None:
    one = _Outer(_Color.RED, _Inner(1.5), (_Inner(2, "b"),), {"x": [_Inner(3)]})
    assert plain_fields(one) == asdict(one)
    assert plain_fields(one)["several"] == ({"number": 2, "name": "b"},)


def test_a_mapping_of_another_kind_becomes_a_dictionary() -> None:
    found = plain_fields(_Outer(_Color.RED, _Inner(1), (), MappingProxyType({"x": []})))
    assert type(found["named"]) is dict


def test_what_is_changed_in_the_copy_stays_as_it_is_in_the_dataclass() -> None:
    one = _Outer(_Color.RED, _Inner(1), (), {"x": [_Inner(3)]})
    plain_fields(one)["named"]["x"].append("more")
    assert one.named == {"x": [_Inner(3)]}


@dataclass(frozen=True)
class _Read:
    color: _Color
    inner: _Inner
    maybe: _Inner | None
    several: tuple[_Inner, ...]
    texts: tuple[str, ...] = ("default",)
    count: int = 7


def test_fields_become_a_dataclass_by_their_types() -> None:
    plain = {"color": "red", "inner": {"number": 1, "later": "version"}, "several": [{"number": 2.5}], "x": 0}
    assert JsonFields(plain).read_as(_Read) == _Read(_Color.RED, _Inner(1), None, (_Inner(2.5),))
    assert JsonFields(plain).read_as(_Read, maybe=_Inner(3)).maybe == _Inner(3)
    assert JsonFields({**plain, "texts": [], "maybe": {"number": 4}}).read_as(_Read).texts == ()


@pytest.mark.parametrize(
    ("changed", "error"),
    [
        ({"color": "blue"}, ValueError),
        ({"inner": None}, TypeError),
        ({"inner": {"number": "1"}}, TypeError),
        ({"several": [1]}, TypeError),
        ({"count": True}, TypeError),
        ({"texts": None}, TypeError),
    ],
)
def test_fields_of_other_types_are_told(changed: dict[str, object], error: type[Exception]) -> None:
    plain = {"color": "red", "inner": {"number": 1}, "several": [], **changed}
    with pytest.raises(error):
        JsonFields(plain).read_as(_Read)


def test_a_field_that_is_missing_is_told_by_its_name() -> None:
    with pytest.raises(KeyError, match="inner"):
        JsonFields({"color": "red", "several": []}).read_as(_Read)
