"""What the documents service says of itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from i2s_wire.render.isolation import Isolation
from i2s_wire.render.rendering import Engine
from i2s_wire.render.resources import Limits


@dataclass(frozen=True, slots=True)
class DocumentsDescription:
    """The documents service."""

    #: "documents".
    service: str
    #: Version of the service.
    version: str
    #: The programs "pandoc" and "pdfium", each with the digest of everything that decides its results.
    engines: tuple[Engine, ...]
    #: Everything that the digests are made of, by name.
    versions: Mapping[str, str]
    #: SHA-256 over the installed fonts.
    fonts_digest: str
    #: The sandbox that jobs run in.
    isolation: Isolation
    #: Limits of a fragment or a page if none are asked for.
    default_limits: Limits
    #: Limits that no request gets beyond.
    max_limits: Limits
    #: Size of the largest request.
    max_request_bytes: int
    #: The most fragments of a request.
    max_fragments: int
    #: Size of the largest fragment that is converted.
    max_fragment_bytes: int
    #: The most pages that one response has.
    max_pages_drawn: int
    #: Jobs at the same time.
    slots: int
    #: Jobs that may wait.
    queue: int
