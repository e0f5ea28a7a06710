"""Dataclasses made of JSON: whether each field holds what its annotation says."""

from __future__ import annotations

import types
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

D = TypeVar("D")

_SHOWN = 80
_Test = Callable[[object], bool]


def with_checked_fields(value: D) -> D:
    """Return a dataclass whose fields are as they are annotated.

    Known are str, int, float (whole numbers too), bool, None, Any, unions, mappings of texts, tuples of one
    type, and classes.

    Raises:
        TypeError: One is not; names it.
    """
    kind: Any = type(value)
    for name, test in _tests(kind).items():
        found = getattr(value, name)
        if not test(found):
            raise TypeError(f"field {name!r} cannot be {repr(found)[:_SHOWN]}")
    return value


@cache
def _tests(kind: type) -> Mapping[str, _Test]:
    assert is_dataclass(kind)
    hints = get_type_hints(kind)
    return {one.name: _test(hints[one.name]) for one in fields(kind)}


def _test(hint: Any) -> _Test:  # noqa: ANN401 - an annotation
    origin, arguments = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        tests = [_test(one) for one in arguments]
        return lambda value: any(test(value) for test in tests)
    if origin is tuple:
        inner = _test(arguments[0])
        return lambda value: isinstance(value, tuple) and all(inner(one) for one in value)
    if isinstance(origin, type) and issubclass(origin, Mapping):
        content = _test(arguments[1])
        return lambda value: (
            isinstance(value, Mapping)
            and all(isinstance(name, str) and content(one) for name, one in value.items())
        )
    if hint is Any:
        return lambda value: True
    if hint is float:
        return lambda value: isinstance(value, float | int) and not isinstance(value, bool)
    if hint is int:
        return lambda value: isinstance(value, int) and not isinstance(value, bool)
    kind: type = types.NoneType if hint is None else hint
    return lambda value: isinstance(value, kind)
