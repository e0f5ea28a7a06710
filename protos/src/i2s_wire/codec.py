"""Values of the types of this package as messages of the contract, and back.

No conversion is written by hand: there is one rule for each kind of field. A field of a type is the field of
the same name in the message:

=============================  ===============================================================================
field of the type              field of the message
=============================  ===============================================================================
number, text, bytes            the same; a text that is bytes on the wire may hold lone surrogates
enum                           the number of the value whose name ends with that of the member
another type                   a message
tuple                          a repeated field, or a message whose only field is repeated
mapping                        a map, or repeated messages of a key and a value
``X | None``                   as X, absent if None
union of types                 the member of the oneof of this name whose message has the name of the type
=============================  ===============================================================================

The metadata of a field says where it differs (``i2s_wire.fields``). Fields of the message that the type does
not have are given beside the value.
"""

from __future__ import annotations

import enum
import functools
import types
from collections.abc import Callable, Mapping
from dataclasses import Field, dataclass, fields, is_dataclass
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.message import DecodeError, Message

from i2s_wire.errors import ContractError, UnknownValueError
from i2s_wire.fields import Checked

T = TypeVar("T")
M = TypeVar("M", bound=Message)


def encode(value: object, message: type[M], kind: type | None = None, **others: object) -> M:
    """Return a value as a message.

    Args:
        value: A value of a type of this package.
        message: Class of the message.
        kind: The type whose fields are taken; None takes that of the value.
        others: Fields of the message that the type does not have.

    Raises:
        ValueError: A text holds a lone surrogate.
    """
    content = _plan(kind or type(value), message.DESCRIPTOR).encode(value)
    return message(**content, **others)


def decode(message: Message, kind: type[T]) -> T:
    """Return what a message says.

    Args:
        message: The message. Numbers are not checked: floats may be negative or not finite.
        kind: A type of this package.

    Raises:
        ContractError: The message holds something that the contract does not allow.
    """
    value = _plan(kind, message.DESCRIPTOR).decode(message)
    assert isinstance(value, kind)
    return value


def decode_bytes(content: bytes, message: type[Message], kind: type[T]) -> T:
    """Return what the bytes of a message say.

    Raises:
        ContractError: The bytes are not such a message, or one that the contract does not allow.
    """
    try:
        return decode(message.FromString(content), kind)
    except DecodeError as error:
        raise ContractError(f"bytes that are not a {message.DESCRIPTOR.name}: {error}") from None


@dataclass(frozen=True, slots=True)
class _Conversion:
    """Both directions of one kind of value. A message is the keyword arguments of its class when encoded."""

    encode: Callable[[Any], object]
    decode: Callable[[Any], object]


@dataclass(frozen=True, slots=True)
class _FieldPlan:
    """The conversion of one field."""

    name: str  # of the type
    wire: str  # of the message
    conversion: _Conversion
    optional: bool  # None is a value
    presence: bool  # the message can say that the field is absent
    absent: Callable[[object], bool]  # whether a value is left out of the message
    zero_is_default: bool

    @property
    def is_unchanged(self) -> bool:
        """Whether the value of the message is that of the type, whatever it is."""
        return self.conversion is _UNCHANGED and not self.optional and not self.zero_is_default

    def decode(self, message: Message) -> dict[str, object]:
        """Return the argument for the type; none if it is to have its default."""
        raw = getattr(message, self.wire)
        if self.zero_is_default and not raw:
            return {}
        if self.optional and not (message.HasField(self.wire) if self.presence else raw):
            return {self.name: None}
        try:
            return {self.name: self.conversion.decode(raw)}
        except UnknownValueError as error:
            raise UnknownValueError(".".join(filter(None, (self.wire, error.field))), error.number) from None


@dataclass(frozen=True, slots=True)
class _Plan:
    """The conversion of a type."""

    kind: type
    fields: tuple[_FieldPlan, ...]
    #: Those of them that are read as they are: name in the type and in the message.
    unchanged: tuple[tuple[str, str], ...]
    #: The others.
    changed: tuple[_FieldPlan, ...]
    #: The fields for each member of a union of types: name, type, and plan.
    alternatives: Mapping[str, Mapping[type, _FieldPlan]]

    def encode(self, value: object) -> dict[str, object]:
        """Return the arguments for the class of the message."""
        chosen = [plans[type(getattr(value, name))] for name, plans in self.alternatives.items()]
        contents = ((field, getattr(value, field.name)) for field in (*self.fields, *chosen))
        return {
            field.wire: field.conversion.encode(content)
            for field, content in contents
            if not field.absent(content)
        }

    def decode(self, message: Message) -> object:
        """Return the value that a message describes."""
        arguments = {name: getattr(message, wire) for name, wire in self.unchanged}
        for field in self.changed:
            arguments |= field.decode(message)
        value = self.kind(**arguments)
        if isinstance(value, Checked) and (problem := value.problem()):
            raise ContractError(problem)
        return value


def _new_plan(kind: type, message: Descriptor) -> _Plan:
    """Return the conversion of a type to a message, which has a field for each of the type's."""
    hints = get_type_hints(kind)
    plain, alternatives = [], {}
    for field in fields(kind):
        if oneof := message.oneofs_by_name.get(field.name):
            members = {_message(member).name: member for member in oneof.fields}
            alternatives[field.name] = {
                each: _field_plan(field, each, members[each.__name__]) for each in get_args(hints[field.name])
            }
        else:
            wire = message.fields_by_name[field.metadata.get("name", field.name)]
            plain.append(_field_plan(field, hints[field.name], wire))
    unchanged = tuple((field.name, field.wire) for field in plain if field.is_unchanged)
    changed = tuple(field for field in plain if not field.is_unchanged)
    return _Plan(kind, tuple(plain), unchanged, changed, alternatives)


_plan: Callable[[type, Any], _Plan] = functools.cache(_new_plan)


def _field_plan(field: Field[Any], hint: Any, wire: FieldDescriptor) -> _FieldPlan:  # noqa: ANN401 - a type
    optional = get_origin(hint) is types.UnionType
    if optional:
        hint, _ = get_args(hint)  # X | None
    is_flag = hint is bool and wire.has_presence and not optional  # false says the same as nothing
    default = field.default_factory() if callable(field.default_factory) else field.default

    def is_absent(value: object) -> bool:
        if "default" in field.metadata:
            return value == default
        return value is None or (is_flag and not value)

    conversion = _of_several(hint, wire) or _of_one(hint, wire)
    zero = "zero" in field.metadata
    return _FieldPlan(field.name, wire.name, conversion, optional, wire.has_presence, is_absent, zero)


def _of_several(hint: Any, wire: FieldDescriptor) -> _Conversion | None:  # noqa: ANN401 - a type
    """Return the conversion of a tuple or a mapping; None if the type is another one."""
    if get_origin(hint) is Mapping:
        if _message(wire).GetOptions().map_entry:
            return _Conversion(dict, lambda raw: dict(sorted(raw.items())))
        key, value = (field.name for field in _message(wire).fields)
        return _Conversion(
            lambda mapping: [{key: name, value: content} for name, content in mapping.items()],
            lambda raw: {getattr(entry, key): getattr(entry, value) for entry in raw},
        )
    if get_origin(hint) is not tuple:
        return None
    if not wire.is_repeated:
        (inner,) = _message(wire).fields
        items = _of_several(hint, inner)
        assert items is not None
        return _Conversion(
            lambda values: {inner.name: items.encode(values)},
            lambda raw: items.decode(getattr(raw, inner.name)),
        )
    item = _of_one(get_args(hint)[0], wire)
    if item is _UNCHANGED:
        return _Conversion(_unchanged, tuple)
    return _Conversion(lambda values: [*map(item.encode, values)], lambda raw: tuple(map(item.decode, raw)))


def _message(wire: FieldDescriptor) -> Descriptor:
    assert wire.message_type is not None
    return wire.message_type


def _unchanged(value: object) -> object:
    return value


_UNCHANGED = _Conversion(_unchanged, _unchanged)
_TEXT_AS_BYTES = _Conversion(
    lambda text: text.encode("utf-8", "surrogatepass"), lambda raw: raw.decode("utf-8", "surrogatepass")
)


def _of_one(hint: Any, wire: FieldDescriptor) -> _Conversion:  # noqa: ANN401 - a type
    if isinstance(hint, type) and is_dataclass(hint):
        plan = _plan(hint, _message(wire))
        return _Conversion(plan.encode, plan.decode)
    if issubclass(hint, enum.Enum):
        return _of_enum(hint, wire)
    return _TEXT_AS_BYTES if hint is str and wire.type == FieldDescriptor.TYPE_BYTES else _UNCHANGED


def _of_enum(kind: type[enum.Enum], wire: FieldDescriptor) -> _Conversion:
    """Return the conversion of an enum; the value 0 of the message is none of its members."""
    assert wire.enum_type is not None
    unspecified, *values = wire.enum_type.values
    prefix = unspecified.name.removesuffix("UNSPECIFIED")
    members = {value.number: kind[value.name.removeprefix(prefix)] for value in values}
    numbers = {member: number for number, member in members.items()}

    def decode_number(number: int) -> enum.Enum:
        if number not in members:
            raise UnknownValueError("", number)
        return members[number]

    return _Conversion(numbers.__getitem__, decode_number)
