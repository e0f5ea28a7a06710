"""Fields of a dataclass as JSON has them."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from types import MappingProxyType

from i2s_sdk.plain_fields import plain_fields


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
