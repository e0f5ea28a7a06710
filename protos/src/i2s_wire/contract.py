"""The contract as data, for programs that translate any of its messages: descriptors, classes, comments."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from google.protobuf.descriptor import Descriptor, ServiceDescriptor
from google.protobuf.descriptor_pb2 import FileDescriptorProto, FileDescriptorSet
from google.protobuf.descriptor_pool import DescriptorPool
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

# Numbers of fields in google/protobuf/descriptor.proto, of which the paths of source locations are made.
_MESSAGES, _ENUMS, _SERVICES = 4, 5, 6
_FIELDS, _NESTED, _NESTED_ENUMS, _VALUES, _METHODS = 2, 3, 4, 2, 2


@dataclass(frozen=True, slots=True)
class Method:
    """A method that takes one message and returns one."""

    #: Path of the call, such as "/i2s.render.v1.RenderService/Render".
    path: str
    #: Class of the messages that it takes.
    request: type[Message]
    #: Class of the messages that it returns.
    response: type[Message]


@dataclass(frozen=True, slots=True)
class Contract:
    """All files of the contract."""

    #: Descriptors of all messages.
    pool: DescriptorPool
    #: What the files say of a message, field, enum, value, service or method, by its full name, such as
    #: "i2s.render.v1.RenderRequest.id". Lines are joined; paragraphs are not.
    comments: Mapping[str, str]

    def service(self, name: str) -> ServiceDescriptor:
        """Return a service.

        Args:
            name: Full name, such as "i2s.render.v1.RenderService".

        Raises:
            KeyError: There is no such service.
        """
        return self.pool.FindServiceByName(name)

    def message(self, name: str) -> Descriptor:
        """Return a message.

        Args:
            name: Full name, such as "i2s.render.v1.RenderRequest".

        Raises:
            KeyError: There is no such message.
        """
        return self.pool.FindMessageTypeByName(name)

    def method(self, service: str, name: str) -> Method:
        """Return a method that takes one message and returns one.

        Args:
            service: Full name of its service.
            name: Name, such as "Render".

        Raises:
            KeyError: There is no such method.
        """
        found = self.service(service).methods_by_name[name]
        return Method(
            f"/{service}/{name}", GetMessageClass(found.input_type), GetMessageClass(found.output_type)
        )


@functools.cache
def contract() -> Contract:
    """Return the contract that this package was built with."""
    raw = files("i2s").joinpath("contract.binpb").read_bytes()
    known, pool = FileDescriptorSet.FromString(raw), DescriptorPool()
    comments: dict[str, str] = {}
    for file in known.file:
        pool.Add(file)
        names = dict(_names(file))
        for location in file.source_code_info.location:
            said = location.leading_comments or location.trailing_comments
            if said and (name := names.get(tuple(location.path))) is not None:
                comments[name] = _joined(said)
    return Contract(pool, comments)


def _joined(comment: str) -> str:
    paragraphs = comment.strip().split("\n\n")
    return "\n\n".join(" ".join(line.strip() for line in paragraph.splitlines()) for paragraph in paragraphs)


def _names(file: FileDescriptorProto) -> Iterator[tuple[tuple[int, ...], str]]:
    """Yield the path and the full name of everything in a file."""
    yield from _of_messages(file.message_type, (_MESSAGES,), file.package)
    yield from _of_enums(file.enum_type, (_ENUMS,), file.package)
    for number, service in enumerate(file.service):
        name = f"{file.package}.{service.name}"
        yield (_SERVICES, number), name
        for place, method in enumerate(service.method):
            yield (_SERVICES, number, _METHODS, place), f"{name}.{method.name}"


def _of_messages(messages: Any, path: tuple[int, ...], scope: str) -> Iterator[tuple[tuple[int, ...], str]]:  # noqa: ANN401
    for number, message in enumerate(messages):
        here, name = (*path, number), f"{scope}.{message.name}"
        yield here, name
        for place, field in enumerate(message.field):
            yield (*here, _FIELDS, place), f"{name}.{field.name}"
        yield from _of_messages(message.nested_type, (*here, _NESTED), name)
        yield from _of_enums(message.enum_type, (*here, _NESTED_ENUMS), name)


def _of_enums(enums: Any, path: tuple[int, ...], scope: str) -> Iterator[tuple[tuple[int, ...], str]]:  # noqa: ANN401
    for number, enum in enumerate(enums):
        here, name = (*path, number), f"{scope}.{enum.name}"
        yield here, name
        for place, value in enumerate(enum.value):
            yield (*here, _VALUES, place), f"{name}.{value.name}"
