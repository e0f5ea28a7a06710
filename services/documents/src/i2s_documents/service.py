"""The service: opens the sandbox, passes the canary, provides its servicer."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from i2s_chassis.renderer import open_jail
from i2s_chassis.renderer.start_checks import canary_limits, canary_required
from i2s_chassis.server.service import Chassis, Register
from i2s_documents.canary import canary
from i2s_documents.convert import Converter, ConvertSettings
from i2s_documents.draw import DrawSettings, PageRenderer
from i2s_documents.installation import find_installation
from i2s_documents.servicer import DocumentsServicer
from i2s_documents.settings import DocumentsSettings


class DocumentsService:
    """Pandoc and PDFium behind the wire."""

    name = DocumentsSettings.service
    wire_names = ("i2s.documents.v1.DocumentsService",)

    def __init__(self, settings: DocumentsSettings) -> None:
        self._settings = settings

    @asynccontextmanager
    async def open(self, chassis: Chassis) -> AsyncIterator[Register]:
        """Open the sandbox, pass the canary, provide the servicer; see `i2s_chassis.server.service.Service`.

        Raises:
            StartError: Something is missing on this machine.
        """
        settings = self._settings
        installation = await asyncio.to_thread(find_installation, settings.pandoc)
        async with open_jail(settings, chassis) as jail:
            converter = Converter(
                ConvertSettings(
                    pandoc=str(installation.pandoc),
                    max_fragment_bytes=settings.max_fragment_bytes,
                    request_seconds=settings.request_seconds,
                    response_bytes=settings.response_bytes,
                ),
                jail,
                chassis.telemetry.rerun,
            )
            page_renderer = PageRenderer(
                DrawSettings(
                    max_pdf_bytes=settings.max_pdf_bytes,
                    max_pages=settings.max_pages_drawn,
                    request_seconds=settings.request_seconds,
                    response_bytes=settings.response_bytes,
                ),
                jail,
                installation,
            )
            with canary_required(chassis.telemetry):
                await canary(converter, page_renderer, canary_limits(settings.limit_table()))
            servicer = DocumentsServicer(converter, page_renderer, installation, jail, settings, chassis)
            yield servicer.registration()
