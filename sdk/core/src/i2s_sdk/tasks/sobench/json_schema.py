"""Whether an answer is valid under a JSON Schema, and what is wrong with a schema.

Nothing is ever fetched: a reference that leads out of the schema, other than to the metaschemas of JSON
Schema, cannot be resolved. Each reference has to lead somewhere, and none back to itself. Formats are not
checked.

The validator of the package ``jsonschema`` reads patterns with Python's re module and divides numbers in
binary, where 0.3 is not a multiple of 0.1. That of profile ``paper`` reads patterns as ECMA 262 does,
and takes multiples of decimal numbers as written. ``unevaluatedProperties`` alone is left to the package
as it is.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator, Mapping
from decimal import Decimal
from fractions import Fraction
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, Protocol

from i2s_wire.metrics.profile import Profile

if TYPE_CHECKING:  # importing each of them takes a tenth of a second
    from jsonschema import FormatChecker
    from jsonschema.exceptions import ValidationError
    from jsonschema.protocols import Validator
    from referencing.jsonschema import SchemaResource


#: The longest pattern that the engine of ECMA 262 is given: it calls itself for each alternative, and one of
#: 50,000 alternatives ends the process.
MAX_ECMA_LENGTH = 10_000

#: An escape that ECMA 262 does not know, such as \A and \Z of Python.
_FOREIGN_ESCAPE = re.compile(r"\\(?:[^\W\d_bBdDwWsSfnrtvcxukpP]|$)", re.ASCII)
_ESCAPE = re.compile(r"\\.", re.DOTALL)


class PatternError(ValueError):
    """A text is not a regular expression; the message says why."""


class _Compiled(Protocol):
    def matches(self, text: str) -> bool:
        """Return whether the pattern occurs in a text."""


class _Ecma:
    def __init__(self, pattern: str, flags: str) -> None:
        from regress import Regex

        self._regex = Regex(pattern, flags)

    def matches(self, text: str) -> bool:
        # A lone surrogate, which JSON can hold, counts as the character that stands for invalid ones.
        whole = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        return self._regex.find(whole) is not None


class _Python:
    def __init__(self, pattern: str) -> None:
        self._regex = re.compile(pattern)

    def matches(self, text: str) -> bool:
        return self._regex.search(text) is not None


def occurs(pattern: str, text: str) -> bool:
    r"""Return whether a pattern occurs in a text.

    A pattern is read by ECMA 262 with its flag u, as JSON Schema recommends; if it is none, by ECMA 262
    without the flag, which permits escapes such as ``\-``; and if it is none, or has escapes of letters that
    only other dialects know, such as ``\A``, by Python's re module.

    Raises:
        PatternError: It is none of these.
    """
    return _compiled(pattern).matches(text)


def require_pattern(pattern: str) -> None:
    """Check that a text is a pattern that ``occurs`` takes.

    Raises:
        PatternError: It is none.
    """
    _compiled(pattern)


def is_python_pattern(pattern: str) -> bool:
    """Return whether Python's re module takes a pattern as well."""
    try:
        with warnings.catch_warnings(action="ignore"):  # of what will mean another thing some day
            re.compile(pattern)
    except (re.error, OverflowError, RecursionError):
        return False
    return True


@lru_cache(maxsize=256)
def _compiled(pattern: str) -> _Compiled:
    from regress import RegressError

    reason = f"it has more than {MAX_ECMA_LENGTH} characters"
    if len(pattern) <= MAX_ECMA_LENGTH:
        for flags in ("u", "") if not _has_foreign_escape(pattern) else ("u",):
            try:
                return _Ecma(pattern, flags)
            except (RegressError, UnicodeEncodeError) as error:
                reason = str(error)
    if is_python_pattern(pattern):
        return _Python(pattern)
    raise PatternError(f"{pattern[:200]!r} is no regular expression of ECMA 262: {reason[:200]}")


def _has_foreign_escape(pattern: str) -> bool:
    return any(_FOREIGN_ESCAPE.match(one) for one in _ESCAPE.findall(pattern))


_Errors = Iterator["ValidationError"]


class _Descending(Protocol):
    """The methods of a validator of ``jsonschema`` that the checks of keywords call."""

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


#: Keywords whose subschemas apply to the same value as the schema around them.
_IN_PLACE_LISTS = ("allOf", "anyOf", "oneOf")
_IN_PLACE = ("not", "if", "then", "else")
_IN_PLACE_MAPS = ("dependentSchemas",)
_REFERENCES = ("$ref", "$dynamicRef", "$recursiveRef")


def reference_fault(schema: dict[str, Any], dialect: str) -> str:
    """Return what is wrong with the references and patterns of a schema, empty for nothing.

    Args:
        schema: Valid under the metaschema of its draft.
        dialect: URI of that metaschema.

    Raises:
        RecursionError: It is nested too deeply.
    """
    return _Walk(dialect).fault(schema)


class _Walk:
    """Goes through a schema and everything that it refers to."""

    def __init__(self, dialect: str) -> None:
        from referencing.jsonschema import specification_with

        self._specification = specification_with(dialect)
        self._seen: set[int] = set()
        self._unevaluated = False
        self._ecma_names: list[str] = []
        self._targets: dict[int, list[Any]] = {}  # of a schema: those that apply to the same value

    def fault(self, schema: dict[str, Any]) -> str:
        from jsonschema_specifications import REGISTRY

        resource: SchemaResource = self._specification.create_resource(schema)
        registry = REGISTRY.with_resource(resource.id() or "", resource)
        try:
            registry = registry.crawl()
        except Exception as error:  # anchors and identifiers of any form are accepted by the metaschema
            return f"its identifiers cannot be read: {type(error).__name__}: {str(error)[:200]}"
        resolver = registry.resolver(resource.id() or "")
        said = self._visit(resource, resolver) or self._loop(schema)
        if not said and self._unevaluated and self._ecma_names:
            name = self._ecma_names[0][:200]
            return f"the pattern {name!r} is not one of Python's re module, as unevaluatedProperties needs"
        return said

    def _visit(self, resource: SchemaResource, resolver: Any) -> str:  # noqa: ANN401 - its type is private
        from referencing import Resource
        from referencing.exceptions import Unresolvable

        schema = resource.contents
        if not isinstance(schema, dict) or id(schema) in self._seen:
            return ""
        self._seen.add(id(schema))
        if said := next(filter(None, map(_pattern_fault, _patterns(schema))), ""):
            return said
        self._unevaluated |= "unevaluatedProperties" in schema
        self._ecma_names += (
            pattern for pattern in schema.get("patternProperties", ()) if not is_python_pattern(pattern)
        )
        targets = list(_in_place(schema))
        for keyword in _REFERENCES:
            if not isinstance(schema.get(keyword), str):
                continue
            try:
                resolved = resolver.lookup(schema[keyword])
            except (Unresolvable, ValueError):
                named = schema[keyword][:200]
                return f"the reference {named!r} leads to nothing in the schema, and nothing is fetched"
            targets.append(resolved.contents)
            inner = Resource.from_contents(resolved.contents, default_specification=self._specification)
            if said := self._visit(inner, resolved.resolver):
                return said
        self._targets[id(schema)] = targets
        for inner in resource.subresources():
            if said := self._visit(inner, resolver.in_subresource(inner)):
                return said
        return ""

    def _loop(self, schema: dict[str, Any]) -> str:
        """Return whether a schema applies to a value only if it applies to the same value."""
        done: set[int] = set()
        for start in self._targets:
            open_ids: set[int] = set()
            stack: list[tuple[int, Iterator[Any]]] = [(start, iter(self._targets[start]))]
            open_ids.add(start)
            while stack:
                node, targets = stack[-1]
                target = next(targets, None)
                if target is None:
                    stack.pop()
                    open_ids.discard(node)
                    done.add(node)
                    continue
                key = id(target)
                if key in open_ids:
                    return "a reference leads back to itself without an object or a list between"
                if key in self._targets and key not in done:
                    open_ids.add(key)
                    stack.append((key, iter(self._targets[key])))
        return ""


def _in_place(schema: dict[str, Any]) -> Iterator[Any]:
    for keyword in _IN_PLACE_LISTS:
        if isinstance(schema.get(keyword), list):
            yield from schema[keyword]
    yield from (schema[keyword] for keyword in _IN_PLACE if keyword in schema)
    for keyword in _IN_PLACE_MAPS:
        if isinstance(schema.get(keyword), dict):
            yield from schema[keyword].values()


def _patterns(schema: dict[str, Any]) -> Iterator[str]:
    if isinstance(schema.get("pattern"), str):
        yield schema["pattern"]
    if isinstance(schema.get("patternProperties"), dict):
        yield from schema["patternProperties"]


def _pattern_fault(pattern: str) -> str:
    try:
        require_pattern(pattern)
    except PatternError as error:
        return f"the pattern {error}"
    return ""


def follows_schema(answer: Any, schema: Any, profile: Profile = Profile.PAPER) -> bool:  # noqa: ANN401 - JSON
    """Return whether a value is valid under a schema, by the draft that ``$schema`` names, else 2020-12.

    As in the released code it is not valid if the validator raises anything: a schema that is none, a
    reference that cannot be resolved or leads back to itself, a pattern that is none, or nesting that is too
    deep for the validator. In profile ``helm`` patterns are those of Python's re module, and numbers are
    divided in binary; in profile ``paper`` patterns are those of ECMA 262, and decimal numbers are multiples
    as they are written.
    """
    from jsonschema_specifications import REGISTRY

    try:
        validator = _class_of(schema)
        if profile is Profile.PAPER:
            require_schema(schema, validator)
            validator = paper_validator(validator)
            if isinstance(schema, dict):
                # By its name jsonschema would find its own validator again, wherever a reference leads here.
                schema = {key: value for key, value in schema.items() if key != "$schema"}
        else:
            validator.check_schema(schema)
        # The registry has the metaschemas alone; the default one of jsonschema fetches what it does not have.
        return bool(validator(schema, registry=REGISTRY).is_valid(answer))
    except MemoryError:
        raise
    except Exception:
        return False


def schema_fault(schema: Any) -> str:  # noqa: ANN401 - JSON values
    """Return why a schema cannot be used in profile ``paper``, empty for nothing."""
    from jsonschema.exceptions import SchemaError

    if isinstance(schema, bool):
        return ""
    if not isinstance(schema, dict):
        return f"a JSON Schema is an object or a boolean, not {type(schema).__name__}"
    try:
        validator = _class_of(schema)
        require_schema(schema, validator)
        return reference_fault(schema, validator.META_SCHEMA["$schema"])
    except SchemaError as error:
        where = "/".join(("#", *map(str, error.absolute_path)))
        return f"{where[:200]}: {error.message[:300]}"
    except RecursionError:
        return "it is nested too deeply"
    except Exception as error:  # patterns and identifiers can hold what the validator's libraries refuse
        return f"the validator refuses it: {type(error).__name__}: {str(error)[:200]}"


def _class_of(schema: Any) -> type[Validator]:  # noqa: ANN401
    """Return the validator of the draft that a schema names."""
    from jsonschema.validators import Draft202012Validator, validator_for

    named = schema.get("$schema") if isinstance(schema, dict) else None
    validator: type[Validator] = (
        validator_for(schema, default=Draft202012Validator)
        if isinstance(named, str)
        else Draft202012Validator
    )
    return validator
