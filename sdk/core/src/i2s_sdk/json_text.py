"""JSON and TOML of others, every fault of it a ValueError; and fields of dataclasses as JSON has them."""

from __future__ import annotations

import json
import math
import tomllib
from collections.abc import Mapping
from typing import Any, ClassVar, Protocol

#: The deepest nesting of objects and lists that is read.
MAX_DEPTH = 100


def read_json(raw: str | bytes) -> Any:  # noqa: ANN401 - what JSON holds
    """Return the value of a JSON text.

    Raises:
        ValueError: It is not JSON in UTF-8, or nested deeper than MAX_DEPTH; json.JSONDecodeError and
            UnicodeDecodeError among them.
    """
    try:
        value = json.loads(raw)
    except RecursionError:
        raise ValueError(_too_deep()) from None
    brackets = raw.count("[") + raw.count("{") if isinstance(raw, str) else raw.count(b"[") + raw.count(b"{")
    if brackets > MAX_DEPTH and _is_deeper(value, MAX_DEPTH):
        raise ValueError(_too_deep())
    return value


def read_strict_json(raw: str) -> Any:  # noqa: ANN401
    """Return the value of a JSON text by RFC 8259: without NaN and Infinity, and with names that are unique.

    Raises:
        ValueError: As ``read_json``; or an object has a name twice, or a number is beyond the range of
            floating point numbers.
    """
    value = read_json(raw)
    json.loads(raw, object_pairs_hook=_unique, parse_constant=_no_constant, parse_float=_finite)
    return value


def _unique(pairs: list[tuple[str, Any]]) -> None:
    names: set[str] = set()
    for name, _ in pairs:
        if name in names:
            raise ValueError(f"an object has the name {name[:40]!r} twice")
        names.add(name)


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is not a number of JSON")


def _finite(digits: str) -> float:
    value = float(digits)
    if not math.isfinite(value):
        raise ValueError("a number is beyond the range of floating point numbers")
    return value


def read_toml(text: str) -> dict[str, Any]:
    """Return the tables of a TOML text.

    Raises:
        ValueError: It is not TOML, or nested too deeply; tomllib.TOMLDecodeError among them.
    """
    try:
        value = tomllib.loads(text)
    except RecursionError:
        raise ValueError(_too_deep()) from None
    if _is_deeper(value, MAX_DEPTH):
        raise ValueError(_too_deep())
    return value


def _too_deep() -> str:
    return f"lists and objects are nested deeper than {MAX_DEPTH}"


def _is_deeper(value: object, depth: int) -> bool:
    level = [value]
    for _ in range(depth):
        level = [
            inner
            for one in level
            if isinstance(one, dict | list)
            for inner in (one.values() if isinstance(one, dict) else one)
            if isinstance(inner, dict | list)
        ]
        if not level:
            return False
    return True


class _Dataclass(Protocol):
    __dataclass_fields__: ClassVar[dict[str, Any]]


def plain_fields(one: _Dataclass) -> dict[str, Any]:
    """Return the fields of a dataclass by name, those of dataclasses in it likewise.

    As ``dataclasses.asdict``, which copies every value deeply and takes four times as long. Here nothing but
    dataclasses, mappings, lists and tuples is copied: texts, numbers and members of enums cannot change.
    """
    return {name: _plain(getattr(one, name)) for name in one.__dataclass_fields__}


def _plain(value: Any) -> Any:  # noqa: ANN401 - whatever a field holds
    kind = type(value)
    if kind is str or kind is int or kind is float or kind is bool or value is None:
        return value
    if isinstance(value, Mapping):
        return {name: _plain(one) for name, one in value.items()}
    if kind is list or kind is tuple:
        return kind(map(_plain, value))
    return plain_fields(value) if hasattr(kind, "__dataclass_fields__") else value
