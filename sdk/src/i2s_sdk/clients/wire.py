"""Numbers of the wire and members of our enums."""

from __future__ import annotations

import enum
from typing import TypeVar

from i2s_sdk.errors import ProtocolError

E = TypeVar("E", bound=enum.IntEnum)


def member(kind: type[E], number: int, field: str) -> E:
    """Return the member of ``kind`` with this number.

    Raises:
        ProtocolError: There is none: the service is newer than this package.
    """
    try:
        return kind(number)
    except ValueError:
        raise ProtocolError(
            f"the service answered {field} = {number}, which i2s-sdk does not know; "
            "install versions of the service and of i2s-sdk that belong together"
        ) from None
