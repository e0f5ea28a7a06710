"""The first error that an engine reported about a source."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field

from i2s_wire.fields import ZERO_IS_DEFAULT


class ErrorKind(enum.IntEnum):
    """What an error is about. Values equal those of the wire."""

    OTHER = 1
    SYNTAX = 2
    MISSING_MATH = 3
    UNDEFINED_COMMAND = 4
    UNDEFINED_ENVIRONMENT = 5
    UNDEFINED_FILE = 6
    UNDEFINED_KEY = 7
    ALREADY_DEFINED = 8
    CONFLICT = 9
    CAPACITY = 10
    INPUT_OUTPUT = 11
    UNDEFINED_COLOR = 12


class ProviderKind(enum.IntEnum):
    """How a provider is loaded. Values equal those of the wire."""

    PACKAGE = 1
    CLASS = 2
    TIKZ_LIBRARY = 3
    PGFPLOTS_LIBRARY = 4
    MODULE = 5
    RESTORED_NAME = 6


@dataclass(frozen=True, slots=True, order=True)
class Provider:
    """A package, class or library of the renderer's installation that defines a name."""

    #: How it is loaded.
    kind: ProviderKind
    #: Name, such as "booktabs" or "positioning".
    name: str


@dataclass(frozen=True, slots=True)
class Undefined:
    """A name that the source uses and nothing defines, without backslash or braces."""

    #: Name, such as "toprule", "tabularx" or "fill between".
    name: str
    #: What would define it, best first; empty if nothing installed would.
    providers: tuple[Provider, ...] = ()


@dataclass(frozen=True, slots=True)
class SourceError:
    """The first error that an engine reported about a source."""

    #: The engine's own words, without its decoration.
    message: str
    #: What the error is about.
    kind: ErrorKind = field(default=ErrorKind.OTHER, metadata=ZERO_IS_DEFAULT)
    #: Line of the source, counted from 1; 0 if the engine named none.
    line: int = 0
    #: File of the source that the line is in; empty for the document itself.
    file: str = ""
    #: What was missing, if kind is one of UNDEFINED_*.
    undefined: Undefined | None = None
    #: The line of the source up to the point where the engine stopped.
    context: str = ""
