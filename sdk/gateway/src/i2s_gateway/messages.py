"""JSON to messages of the contract and back, by the JSON mapping of Protocol Buffers with one addition.

Names of fields are those of the .proto files (lowerCamelCase is understood as well), enums are written by
name, 64-bit integers are strings in answers, and bytes are base64. The addition: for every field of bytes
in a request, such as ``document``, there is one of text, ``document_text``, that is encoded in UTF-8.
"""

from __future__ import annotations

import base64
import difflib
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeVar, cast

from google.protobuf import json_format
from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.message import Message

from i2s_gateway.guard import GatewayError, invalid, read_body
from i2s_sdk.json_text import MAX_DEPTH

#: Ending of the names of fields of text beside those of bytes.
TEXT = "_text"

_BASE64 = re.compile(r"[A-Za-z0-9+/_-]*={0,2}")

M = TypeVar("M", bound=Message)


def parse_request(raw: bytes | bytearray, kind: type[M]) -> M:
    """Return the message that a JSON text says.

    Args:
        raw: UTF-8.
        kind: Class of the message.

    Raises:
        GatewayError: It is not JSON, or no such message; names the field.
    """
    prepared = _message(read_body(raw), descriptor_of(kind), "")
    try:
        return json_format.ParseDict(prepared, kind(), max_recursion_depth=MAX_DEPTH)
    except (json_format.ParseError, ValueError, TypeError, OverflowError) as error:
        raise invalid(str(error).strip(".\n")) from None


def to_json(message: Message) -> dict[str, Any]:
    """Return what a message says, as JSON has it, with fields that have their default."""
    said: dict[str, Any] = json_format.MessageToDict(
        message, preserving_proto_field_name=True, always_print_fields_with_no_presence=True
    )
    return said


def descriptor_of(kind: type[Message]) -> Descriptor:
    """Return the descriptor of a class of messages."""
    return cast("Descriptor", kind.DESCRIPTOR)


def is_text_for(field: FieldDescriptor) -> bool:
    """Return whether a field may be given as text."""
    return field.type == FieldDescriptor.TYPE_BYTES and not field.is_repeated


def _message(value: object, kind: Descriptor, path: str) -> dict[str, Any]:
    """Return an object for ``json_format``: with known names, and bytes in strict base64."""
    if not isinstance(value, Mapping):
        raise invalid(f"{path or 'the body'} is no object")
    known = {name: field for field in kind.fields for name in (field.name, field.json_name)}
    texts = {field.name + TEXT: field for field in kind.fields if is_text_for(field)}
    prepared: dict[str, Any] = {}
    for name, inner in value.items():
        here = f"{path}.{name}" if path else name
        if name in known:
            field, read = known[name], _field(inner, known[name], here)
        elif name in texts:
            field, read = texts[name], _text(inner, here)
        else:
            raise _unknown(here, name, [field.name for field in kind.fields] + list(texts))
        if field.name in prepared:
            raise invalid(f"{here} is given twice: as {field.name} and in another form")
        prepared[field.name] = read
    return prepared


def _field(value: object, field: FieldDescriptor, path: str) -> object:
    if value is None:  # JSON's way to leave a field out
        return None
    if field.message_type is not None and field.message_type.GetOptions().map_entry:
        return value
    if not field.is_repeated:
        return _single(value, field, path)
    if not isinstance(value, list):
        raise invalid(f"{path} is no list")
    return [_single(one, field, f"{path}[{number}]") for number, one in enumerate(value)]


def _single(value: object, field: FieldDescriptor, path: str) -> object:
    if field.message_type is not None:
        return _message(value, field.message_type, path)
    if field.type == FieldDescriptor.TYPE_BYTES and not _is_base64(value):
        raise invalid(f"{path} is not base64; text goes into {path}{TEXT}")
    return value


def _is_base64(value: object) -> bool:
    """Return whether a value is base64 without spaces; "=" at the end may be left out."""
    return isinstance(value, str) and bool(_BASE64.fullmatch(value)) and len(value.rstrip("=")) % 4 != 1


def _text(value: object, path: str) -> str:
    if not isinstance(value, str):
        raise invalid(f"{path} is no text")
    return base64.b64encode(value.encode("utf-8", "surrogatepass")).decode()


def _unknown(path: str, name: str, known: Iterable[str]) -> GatewayError:
    names = list(known)
    close = difflib.get_close_matches(name, names, 1)
    hint = f"did you mean {close[0]}?" if close else f"there are {', '.join(names)}"
    return invalid(f"there is no field {path}; {hint}")


def messages_below(kind: Descriptor) -> Iterator[Descriptor]:
    """Yield a message and all that its fields have, each once; maps are not among them."""
    found, waiting = {kind.full_name}, [kind]
    while waiting:
        value = waiting.pop()
        yield value
        for field in value.fields:
            below = field.message_type
            if below is not None and below.full_name not in found and not below.GetOptions().map_entry:
                found.add(below.full_name)
                waiting.append(below)
