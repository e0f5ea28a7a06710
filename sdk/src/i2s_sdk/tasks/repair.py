"""Repairs: small recorded changes to a structure that a renderer refused."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import Generic, TypeVar

Document = TypeVar("Document")


class RepairKind(enum.StrEnum):
    """What a repair did.

    WRAP_MATH put the body in math mode. ADD_PACKAGE and ADD_LIBRARY loaded what defines a name that was
    undefined; DROP_PACKAGE and DROP_LIBRARY removed one that is not installed or clashes. SWAP_ALGORITHM
    replaced the fixed algorithm packages by algorithm2e. FREE_NAME let the document define a name that the
    fixed preamble has taken. ADD_NAMESAKE is the package injection of profile ``helm``, which never helps.
    """

    WRAP_MATH = "wrap_math"
    ADD_PACKAGE = "add_package"
    ADD_LIBRARY = "add_library"
    DROP_PACKAGE = "drop_package"
    DROP_LIBRARY = "drop_library"
    SWAP_ALGORITHM = "swap_algorithm"
    FREE_NAME = "free_name"
    ADD_NAMESAKE = "add_namesake"


@dataclass(frozen=True, slots=True)
class Repair:
    """One repair as it is recorded.

    Attributes:
        kind: What was done.
        detail: To what: a package, a library, a name.
        error: The message of the error it answers.
    """

    kind: RepairKind
    detail: str
    error: str


@dataclass(frozen=True, slots=True)
class Repaired(Generic[Document]):
    """The document after a repair, and the record of it."""

    document: Document
    repair: Repair
