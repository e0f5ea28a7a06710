"""The validator of profile ``paper``: patterns of ECMA 262, and multiples of decimal numbers as written.

The validator of the package ``jsonschema`` reads patterns with Python's re module and divides numbers in
binary, where 0.3 is no multiple of 0.1. ``unevaluatedProperties`` alone is left to it as it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from decimal import Decimal
from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING, Any, Protocol

from i2s_sdk.tasks.sobench.ecma_patterns import PatternError, occurs, require_pattern

if TYPE_CHECKING:  # importing it takes a tenth of a second
    from jsonschema import FormatChecker
    from jsonschema.exceptions import ValidationError
    from jsonschema.protocols import Validator

_Errors = Iterator["ValidationError"]


class _Descending(Protocol):
    """What the checks of keywords need of a validator of ``jsonschema``."""

    def is_type(self, instance: Any, type: str) -> bool:  # noqa: ANN401 - JSON values
        """Return whether a value is of a type of JSON Schema."""

    def descend(
        self,
        instance: Any,  # noqa: ANN401
        schema: Any,  # noqa: ANN401
        path: str | None = None,
        schema_path: str | None = None,
    ) -> _Errors:
        """Yield the faults of a part of the value under a part of the schema."""


@cache
def paper_validator(draft: type[Validator]) -> type[Validator]:
    """Return the validator of a draft by the rules of profile ``paper``."""
    from jsonschema.validators import extend

    replaced = {
        "pattern": _pattern,
        "patternProperties": _pattern_properties,
        "additionalProperties": _additional_properties,
        "multipleOf": _multiple_of,
        "divisibleBy": _multiple_of,
    }
    known = {name: check for name, check in replaced.items() if name in draft.VALIDATORS}
    extended: type[Validator] = extend(draft, known)  # type: ignore[no-untyped-call]
    return extended


def require_schema(schema: Any, draft: type[Validator]) -> None:  # noqa: ANN401
    """Check that a value is a schema of a draft whose patterns are those that ``occurs`` takes.

    Raises:
        SchemaError: It is none.
    """
    from jsonschema.exceptions import SchemaError

    for error in draft(draft.META_SCHEMA, format_checker=_formats(draft)).iter_errors(schema):
        raise SchemaError.create_from(error)


@cache
def _formats(draft: type[Validator]) -> FormatChecker:
    from jsonschema import FormatChecker

    checker = FormatChecker(formats=())
    checker.checkers = {**draft.FORMAT_CHECKER.checkers, "regex": (_is_pattern, PatternError)}
    return checker


def _is_pattern(value: object) -> bool:
    if isinstance(value, str):
        require_pattern(value)
    return True


def _pattern(validator: _Descending, pattern: str, value: Any, schema: Any) -> _Errors:  # noqa: ANN401 - JSON
    del schema
    if validator.is_type(value, "string") and not occurs(pattern, value):
        yield _error("a text does not match a pattern")


def _pattern_properties(
    validator: _Descending,
    patterns: Mapping[str, Any],
    value: Any,  # noqa: ANN401
    schema: Any,  # noqa: ANN401
) -> _Errors:
    del schema
    if not validator.is_type(value, "object"):
        return
    for pattern, inner in patterns.items():
        for name, field in value.items():
            if occurs(pattern, name):
                yield from validator.descend(field, inner, path=name, schema_path=pattern)


def _additional_properties(
    validator: _Descending,
    allowed: Any,  # noqa: ANN401
    value: Any,  # noqa: ANN401
    schema: Mapping[str, Any],
) -> _Errors:
    if not validator.is_type(value, "object"):
        return
    named, patterns = schema.get("properties", {}), schema.get("patternProperties", {})
    for name, field in value.items():
        if name not in named and not any(occurs(pattern, name) for pattern in patterns):
            yield from validator.descend(field, allowed, path=name)


def _multiple_of(validator: _Descending, unit: Any, value: Any, schema: Any) -> _Errors:  # noqa: ANN401
    del schema
    if validator.is_type(value, "number") and (_exact(value) / _exact(unit)).denominator != 1:
        yield _error("a number is no multiple")


def _exact(number: float) -> Fraction:
    """Return a number as its shortest decimal digits say; an integer as it is."""
    return Fraction(number) if isinstance(number, int) else Fraction(Decimal(repr(number)))


def _error(message: str) -> ValidationError:
    from jsonschema.exceptions import ValidationError

    return ValidationError(message)
