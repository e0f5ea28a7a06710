"""Answers of services, read as the types of ``i2s_wire``."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from i2s_sdk.errors import ProtocolError
from i2s_wire.errors import ContractError, UnknownValueError

M = TypeVar("M")
A = TypeVar("A")


def read(convert: Callable[[M], A], answer: M) -> A:
    """Return an answer as ``convert`` reads it.

    Raises:
        ProtocolError: It is outside the contract, such as that of a service which is newer than this package.
    """
    try:
        return convert(answer)
    except UnknownValueError as error:
        raise ProtocolError(
            f"the service answered {error.field} = {error.number}, which i2s-sdk does not know; "
            "install versions of the service and of i2s-sdk that belong together"
        ) from None
    except ContractError as error:
        raise ProtocolError(f"the metric service answered {error}") from None
