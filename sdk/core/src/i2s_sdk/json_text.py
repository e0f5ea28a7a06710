"""JSON and TOML of others, every fault of it a ValueError; the fields of objects by their types."""

from __future__ import annotations

import enum
import json
import math
import tomllib
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import MISSING, dataclass, fields
from functools import cache
from types import UnionType
from typing import Any, ClassVar, Protocol, TypeGuard, TypeVar, get_args, get_origin, get_type_hints

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


class _HasFields(Protocol):
    __dataclass_fields__: ClassVar[dict[str, Any]]


def plain_fields(instance: _HasFields) -> dict[str, Any]:
    """Return the fields of a dataclass by name, those of dataclasses in it likewise.

    As ``dataclasses.asdict``, which copies every value deeply and takes four times as long. Here nothing but
    dataclasses, mappings, lists and tuples is copied: texts, numbers and members of enums cannot change.
    """
    return {name: _plain(getattr(instance, name)) for name in instance.__dataclass_fields__}


def _plain(value: Any) -> Any:  # noqa: ANN401 - whatever a field holds
    kind = type(value)
    if kind is str or kind is int or kind is float or kind is bool or value is None:
        return value
    if isinstance(value, Mapping):
        return {name: _plain(one) for name, one in value.items()}
    if kind is list or kind is tuple:
        return kind(map(_plain, value))
    return plain_fields(value) if hasattr(kind, "__dataclass_fields__") else value


_SHOWN = 80

T = TypeVar("T")


class JsonFields:
    """A JSON object whose fields are read by name.

    Fields of later versions are not read. Methods raise TypeError if a field is of another type, and KeyError
    if it is missing and has no default; a field that is optional may be missing or null.

    Args:
        plain: The object as the parser returns it.

    Raises:
        TypeError: It is not an object.
    """

    __slots__ = ("_plain",)

    def __init__(self, plain: object) -> None:
        if not isinstance(plain, Mapping):
            raise TypeError("it is not an object")
        self._plain: Mapping[str, object] = plain

    def __contains__(self, name: str) -> bool:
        return name in self._plain

    def names(self) -> Set[str]:
        """Return the names of its fields."""
        return self._plain.keys()

    def read_as(self, kind: type[T], **given: object) -> T:
        """Return the dataclass whose fields these are, each read by its type.

        Types may be those that the other methods return, enums by value, dataclasses, tuples of these, and
        all of them or None. A field that is missing has the default of the dataclass.

        Args:
            kind: The dataclass.
            given: Fields that are not read, by name.

        Raises:
            KeyError, TypeError, ValueError: A field is missing, of another type, or not a member of its enum.
        """
        hashable: Any = kind  # to mypy, the type of a type variable is not
        for field in _fields_of(hashable):
            if field.name not in given and (field.name in self._plain or not field.has_default):
                given[field.name] = field.read(self, field.name)
        return kind(**given)

    def value(self, name: str) -> object:
        """Return a field of any type; None if it is missing."""
        return self._plain.get(name)

    def text(self, name: str, default: str | None = None) -> str:
        """Return a text."""
        value = self._plain[name] if default is None else self._plain.get(name, default)
        if isinstance(value, str):
            return value
        raise _fault(name, value)

    def optional_text(self, name: str) -> str | None:
        """Return a text or None."""
        value = self._plain.get(name)
        if value is None or isinstance(value, str):
            return value
        raise _fault(name, value)

    def flag(self, name: str) -> bool:
        """Return a truth value; a missing one is false."""
        value = self._plain.get(name, False)
        if isinstance(value, bool):
            return value
        raise _fault(name, value)

    def whole(self, name: str, default: int | None = None) -> int:
        """Return a whole number."""
        value = self._plain[name] if default is None else self._plain.get(name, default)
        if isinstance(value, int) and not isinstance(value, bool):
            return value
        raise _fault(name, value)

    def optional_whole(self, name: str) -> int | None:
        """Return a whole number or None."""
        value = self._plain.get(name)
        if value is None or (isinstance(value, int) and not isinstance(value, bool)):
            return value
        raise _fault(name, value)

    def number(self, name: str, default: float = 0.0) -> float:
        """Return a number."""
        value = self._plain.get(name, default)
        if _is_number(value):
            return value
        raise _fault(name, value)

    def optional_number(self, name: str) -> float | None:
        """Return a number or None."""
        value = self._plain.get(name)
        if value is None or _is_number(value):
            return value
        raise _fault(name, value)

    def items(self, name: str) -> Sequence[object]:
        """Return a list; a missing one is empty."""
        value = self._plain.get(name, ())
        if isinstance(value, list | tuple):
            return value
        raise _fault(name, value)

    def texts(self, name: str) -> tuple[str, ...]:
        """Return a list of texts; a missing one is empty."""
        texts = tuple(item for item in self.items(name) if isinstance(item, str))
        if len(texts) == len(self.items(name)):
            return texts
        raise _fault(name, self.value(name))

    def floats(self, name: str) -> tuple[float, ...]:
        """Return a list of numbers; a missing one is empty."""
        floats = tuple(item for item in self.items(name) if _is_number(item))
        if len(floats) == len(self.items(name)):
            return floats
        raise _fault(name, self.value(name))

    def wholes(self, name: str) -> tuple[int, ...]:
        """Return a list of whole numbers; a missing one is empty."""
        wholes = tuple(item for item in self.items(name) if isinstance(item, int) and item is not True)
        if len(wholes) == len(self.items(name)):
            return wholes
        raise _fault(name, self.value(name))

    def mapping(self, name: str) -> Mapping[str, object]:
        """Return an object; a missing one is empty."""
        value = self._plain.get(name, {})
        if isinstance(value, Mapping):
            return value
        raise _fault(name, value)

    def fields(self, name: str) -> JsonFields:
        """Return an object whose fields are read; it may not be missing."""
        return JsonFields(self._plain[name])

    def optional_fields(self, name: str) -> JsonFields | None:
        """Return an object whose fields are read; None if it is missing, null or empty."""
        value = self._plain.get(name)
        return JsonFields(value) if value else None

    def numbers(self, name: str) -> dict[str, float | None]:
        """Return an object of numbers, which may be null; a missing one is empty."""
        numbers: dict[str, float | None] = {}
        for key, value in self.mapping(name).items():
            if value is not None and not _is_number(value):
                raise _fault(name, self.value(name))
            numbers[key] = value
        return numbers

    def named_texts(self, name: str) -> dict[str, str]:
        """Return an object of texts; a missing one is empty."""
        texts: dict[str, str] = {}
        for key, value in self.mapping(name).items():
            if not isinstance(value, str):
                raise _fault(name, self.value(name))
            texts[key] = value
        return texts

    def pairs(self, name: str) -> dict[str, tuple[float, float]]:
        """Return an object of pairs of numbers; a missing one is empty."""
        pairs: dict[str, tuple[float, float]] = {}
        for key, value in self.mapping(name).items():
            match value:
                case (int() | float() as first, int() | float() as second):
                    pairs[key] = (first, second)
                case _:
                    raise _fault(name, self.value(name))
        return pairs


#: Reads the field of a name.
_Read = Callable[[JsonFields, str], object]

_READ_BY_TYPE: Mapping[object, _Read] = {
    str: JsonFields.text,
    str | None: JsonFields.optional_text,
    bool: JsonFields.flag,
    int: JsonFields.whole,
    int | None: JsonFields.optional_whole,
    float: JsonFields.number,
    float | None: JsonFields.optional_number,
    tuple[str, ...]: JsonFields.texts,
    tuple[int, ...]: JsonFields.wholes,
    tuple[float, ...]: JsonFields.floats,
    Mapping[str, str]: JsonFields.named_texts,
    Mapping[str, float | None]: JsonFields.numbers,
    Mapping[str, tuple[float, float]]: JsonFields.pairs,
    Mapping[str, object]: JsonFields.mapping,
    Mapping[str, Any]: JsonFields.mapping,
}


@dataclass(frozen=True, slots=True)
class _Field:
    """A field of a dataclass that is read."""

    name: str
    read: _Read
    has_default: bool


@cache
def _fields_of(kind: Any) -> tuple[_Field, ...]:  # noqa: ANN401 - a dataclass
    types = get_type_hints(kind)
    return tuple(
        _Field(
            field.name,
            _reader(types[field.name]),
            field.default is not MISSING or field.default_factory is not MISSING,
        )
        for field in fields(kind)
    )


def _reader(kind: Any) -> _Read:  # noqa: ANN401 - a type
    if kind in _READ_BY_TYPE:
        return _READ_BY_TYPE[kind]
    inner = get_args(kind)[:1]
    if get_origin(kind) is tuple:
        return lambda fields, name: tuple(JsonFields(item).read_as(inner[0]) for item in fields.items(name))
    if get_origin(kind) is UnionType:
        read = _reader(inner[0])
        return lambda fields, name: None if fields.value(name) in (None, {}, "") else read(fields, name)
    if issubclass(kind, enum.Enum):
        return lambda fields, name: kind(fields.value(name))
    return lambda fields, name: fields.fields(name).read_as(kind)


def _is_number(value: object) -> TypeGuard[float]:
    return isinstance(value, float | int) and not isinstance(value, bool)


def _fault(name: str, value: object) -> TypeError:
    return TypeError(f"field {name!r} cannot be {repr(value)[:_SHOWN]}")
