"""What the documents service says of itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from i2s_wire.render.isolation import Isolation
from i2s_wire.render.rendering import Engine
from i2s_wire.render.resources import Limits


@dataclass(frozen=True, slots=True)
class DocumentsDescription:
    """The documents service.

    Attributes:
        service: "documents".
        version: Version of the service.
        engines: The programs "pandoc" and "pdfium", each with the digest of everything that decides its
            results.
        versions: Everything that the digests are made of, by name.
        fonts_digest: SHA-256 over the installed fonts.
        isolation: The sandbox that jobs run in.
        default_limits: Limits of a fragment or a page if none are asked for.
        max_limits: Limits that no request gets beyond.
        max_request_bytes: Size of the largest request.
        max_fragments: The most fragments of a request.
        max_fragment_bytes: Size of the largest fragment that is converted.
        max_pages_drawn: The most pages that one response has.
        slots: Jobs at the same time.
        queue: Jobs that may wait.
    """

    service: str
    version: str
    engines: tuple[Engine, ...]
    versions: Mapping[str, str]
    fonts_digest: str
    isolation: Isolation
    default_limits: Limits
    max_limits: Limits
    max_request_bytes: int
    max_fragments: int
    max_fragment_bytes: int
    max_pages_drawn: int
    slots: int
    queue: int
