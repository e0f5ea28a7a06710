"""The settings of this service."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import ClassVar, Self

from pydantic import ByteSize, Field, model_validator

from i2s_chassis.limits import DEFAULT_LIMITS, MAX_LIMITS, Limits
from i2s_chassis.renderer import RendererSettings
from i2s_wire.bounds import DOCUMENT_BYTES

_KIB = 1024
_MIB = 1024 * 1024
#: Size of a request without its PDF document.
_OTHER_BYTES = 64 * _KIB


class DocumentsSettings(RendererSettings):
    """The settings of the documents service."""

    service: ClassVar[str] = "documents"
    port: ClassVar[int] = 7760

    # The kernel counts processes by user: no other service's jobs should be the same users.
    jail_uid_base: int = Field(
        53_024, ge=1, le=2**31, description="Started as root: first of the user ids that jobs run as."
    )
    limit: Limits = Field(
        replace(DEFAULT_LIMITS, processes=16, file_bytes=8 * _MIB, pages=1000),
        description="Default of a fragment or a page.",
    )
    max: Limits = Field(
        replace(MAX_LIMITS, file_bytes=64 * _MIB, pages=20_000),
        description="Most that a fragment or a page may ask for.",
    )
    max_request_bytes: ByteSize = Field(
        ByteSize(64 * _MIB), ge=1024, le=1024 * _MIB, description="Greatest request message, such as 64MiB."
    )
    pandoc: str = Field("pandoc", description="Pandoc, by name or path.")
    max_fragments: int = Field(256, ge=1, le=10_000, description="Most fragments of one request.")
    max_fragment_bytes: ByteSize = Field(
        ByteSize(1 * _MIB), ge=1, le=64 * _MIB, description="Greatest fragment that is converted."
    )
    max_pdf_bytes: ByteSize = Field(
        ByteSize(DOCUMENT_BYTES),
        ge=1 * _KIB,
        le=1023 * _MIB,
        description="Greatest PDF document that is drawn.",
    )
    max_pages_drawn: int = Field(16, ge=1, le=1000, description="Most pages of one response.")
    response_bytes: ByteSize = Field(
        ByteSize(32 * _MIB),
        ge=1 * _KIB,
        le=100 * _MIB,
        description="Size of a response after which no further fragment or page is begun.",
    )
    request_seconds: float = Field(
        20.0,
        gt=0,
        le=3600,
        description="Time after which a request begins no further fragment or page; callers ask again for "
        "the rest.",
    )

    def readable_by_jobs(self) -> tuple[Path, ...]:
        """Return the folders of PDFium and of the program that calls it."""
        from i2s_documents.installation import readable_folders

        return readable_folders()

    def cells(self) -> tuple[Limits, ...]:
        """Return the limits of the cells in which pages are drawn and fragments converted."""
        from i2s_documents.model import limits_of_conversion, limits_of_drawing

        drawing = limits_of_drawing(self.max, self.max_pdf_bytes, self.max_pages_drawn)
        return (drawing, limits_of_conversion(self.max))

    @model_validator(mode="after")
    def _check_request(self) -> Self:
        least = self.max_pdf_bytes + _OTHER_BYTES
        if self.max_request_bytes < least:
            raise ValueError(
                f"--max-request-bytes {int(self.max_request_bytes)} does not hold a document of "
                f"--max-pdf-bytes {int(self.max_pdf_bytes)}; give at least {least}"
            )
        return self
