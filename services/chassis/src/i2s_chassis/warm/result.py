"""What the process of a job delivered, read strictly: a hostile source may have taken it over.

Results are JSON of bounded length, numbers and texts; what is not as it should be is no result.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, PlainValidator, ValidationError

from i2s_chassis.jail import PolicyEvent, PolicyKind
from i2s_wire.render.rendering import Verdict
from i2s_wire.render.source_error import ErrorKind, SourceError, Undefined

#: The most bytes of the JSON of a result.
MAX_RESULT_BYTES = 256 * 1024
_MAX_ITEMS = 10_000
#: The most letters of the path of a field, or of what is wrong with it, in an error.
_MAX_PLACE = 200

Text = Annotated[str, Field(max_length=4000)]
Number = Annotated[int, Field(ge=0, le=10**9)]
Page = Annotated[int, Field(ge=1, le=10**6)]

E = TypeVar("E", bound=enum.Enum)
P = TypeVar("P", bound="Part")


class ResultError(ValueError):
    """The bytes are not the result of a job."""


class Part(BaseModel):
    """A part of a result; fields that it does not know are passed over."""

    model_config = ConfigDict(strict=True, frozen=True, extra="ignore", allow_inf_nan=False)


def read_head(kind: type[P], content: bytes) -> P:
    """Return the JSON of a result.

    Raises:
        ResultError: It is none, says why.
    """
    if len(content) > MAX_RESULT_BYTES:
        raise ResultError(f"its head has {len(content)} bytes, more than {MAX_RESULT_BYTES}")
    try:
        return kind.model_validate_json(content)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        place = ".".join(map(str, first["loc"])) or "its head"
        raise ResultError(f"{place[:_MAX_PLACE]}: {first['msg'][:_MAX_PLACE]}") from None
    except RecursionError:
        raise ResultError("its head is nested too deeply") from None


def cut(content: bytes, sizes: Iterable[int]) -> list[bytes]:
    """Return the parts of what follows the JSON.

    Args:
        content: All of them, one after the other.
        sizes: The bytes of each.

    Raises:
        ResultError: They are more or fewer bytes.
    """
    sizes = list(sizes)
    if sum(sizes) != len(content):
        raise ResultError("the delivery is not complete")
    parts, at = [], 0
    for size in sizes:
        parts.append(content[at : at + size])
        at += size
    return parts


def _named(kind: type[E]) -> PlainValidator:
    def named(name: object) -> E:
        if not isinstance(name, str) or name not in kind.__members__:
            raise ValueError(f"it is no name of {kind.__name__}")
        return kind[name]

    return PlainValidator(named)


class _Fault(Part):
    """Fields of ``SourceError``; "missing" is the name of what is not defined."""

    message: Text
    kind: Annotated[ErrorKind, _named(ErrorKind)] = ErrorKind.OTHER
    line: Number = 0
    file: Text = ""
    context: Text = ""
    missing: Text = ""


class WorkerResult(Part):
    """What a worker says of its job, see ``worker_engine``."""

    verdict: Annotated[Verdict, _named(Verdict)]
    message: Text = ""
    total: Number = 0
    pages: Annotated[tuple[Page, ...], Field(max_length=_MAX_ITEMS, strict=False)] = ()
    fault: _Fault | None = Field(None, alias="error")
    told: Annotated[
        tuple[tuple[Annotated[PolicyKind, _named(PolicyKind)], Text], ...],
        Field(max_length=100, strict=False, alias="events"),
    ] = ()
    sizes: Annotated[tuple[Number, ...], Field(max_length=_MAX_ITEMS, strict=False)]

    @property
    def error(self) -> SourceError | None:
        """The error in the source."""
        if self.fault is None:
            return None
        about: dict[str, Any] = self.fault.model_dump(exclude={"missing"})
        return SourceError(**about, undefined=Undefined(self.fault.missing) if self.fault.missing else None)

    @property
    def events(self) -> tuple[PolicyEvent, ...]:
        """What was tried and prevented."""
        return tuple(PolicyEvent(kind, detail) for kind, detail in self.told)


def read_result(content: bytes) -> tuple[WorkerResult, list[bytes]]:
    """Return what a worker delivered: what it says, and the images.

    Raises:
        ResultError: It is none, says why.
    """
    line, _, images = content.partition(b"\n")
    said = read_head(WorkerResult, line)
    return said, cut(images, said.sizes)
