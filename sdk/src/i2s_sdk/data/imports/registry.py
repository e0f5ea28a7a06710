"""All kinds of import. A new one is a module and a line here."""

from __future__ import annotations

from i2s_sdk.data.imports.kind import ImportKind
from i2s_sdk.data.imports.sobench import SOBENCH
from i2s_sdk.data.imports.visualwebbench import VISUALWEBBENCH
from i2s_sdk.errors import UnknownNameError

#: By name.
KINDS: dict[str, ImportKind] = {one.name: one for one in (SOBENCH, VISUALWEBBENCH)}


def import_kind(name: str) -> ImportKind:
    """Return a kind of import.

    Raises:
        UnknownNameError: There is no such kind.
    """
    if name not in KINDS:
        raise UnknownNameError("kind of import", name, KINDS)
    return KINDS[name]
