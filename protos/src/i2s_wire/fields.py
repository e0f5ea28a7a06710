"""The metadata of fields and the check of values that ``i2s_wire.codec`` obeys."""

from __future__ import annotations

from collections.abc import Mapping

#: Metadata of a field of which a zero in the message says nothing: the field has its default then.
ZERO_IS_DEFAULT: Mapping[str, object] = {"zero": "default"}
#: Metadata of a field that is absent from the message if it has its default.
DEFAULT_IS_ABSENT: Mapping[str, object] = {"default": "absent"}


def wire_name(name: str) -> Mapping[str, object]:
    """Return the metadata of a field that has another name in the message."""
    return {"name": name}


class Checked:
    """A type some of whose values the contract does not allow."""

    __slots__ = ()

    def problem(self) -> str:
        """Return what the contract does not allow in this value; empty if there is nothing."""
        return ""
