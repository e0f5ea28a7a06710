"""The fields of a JSON object, read with their types."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from typing import TypeGuard

_SHOWN = 80


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
        found: dict[str, float | None] = {}
        for key, value in self.mapping(name).items():
            if value is not None and not _is_number(value):
                raise _fault(name, self.value(name))
            found[key] = value
        return found

    def named_texts(self, name: str) -> dict[str, str]:
        """Return an object of texts; a missing one is empty."""
        found: dict[str, str] = {}
        for key, value in self.mapping(name).items():
            if not isinstance(value, str):
                raise _fault(name, self.value(name))
            found[key] = value
        return found

    def pairs(self, name: str) -> dict[str, tuple[float, float]]:
        """Return an object of pairs of numbers; a missing one is empty."""
        found: dict[str, tuple[float, float]] = {}
        for key, value in self.mapping(name).items():
            match value:
                case (int() | float() as first, int() | float() as second):
                    found[key] = (first, second)
                case _:
                    raise _fault(name, self.value(name))
        return found


def _is_number(value: object) -> TypeGuard[float]:
    return isinstance(value, float | int) and not isinstance(value, bool)


def _fault(name: str, value: object) -> TypeError:
    return TypeError(f"field {name!r} cannot be {repr(value)[:_SHOWN]}")
