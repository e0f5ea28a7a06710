"""The settings of the service fit together."""

from __future__ import annotations

import pytest

from i2s_chassis.errors import ServiceSettingsError
from i2s_documents.conversion import limits_of_conversion
from i2s_documents.installation import INSIDE
from i2s_documents.pages import limits_of_drawing
from i2s_documents.settings import DocumentsSettings


def test_cells_of_every_job_are_below_the_ceilings() -> None:
    settings = DocumentsSettings()
    ceilings = settings.cell_ceilings()
    for limits in (settings.limit, settings.max):
        for pages in (1, settings.max_pages_drawn):
            drawing = limits_of_drawing(limits, settings.max_pdf_bytes, pages)
            assert drawing.disk_bytes <= ceilings.disk_bytes
            assert drawing.file_bytes <= ceilings.file_bytes
            assert drawing.log_bytes <= ceilings.log_bytes
        assert limits_of_conversion(limits).log_bytes <= ceilings.log_bytes


def test_jobs_may_read_the_program_and_the_library_and_nothing_else_of_the_packages() -> None:
    names = {path.name for path in DocumentsSettings().readable_by_jobs()}
    assert {INSIDE.name, "pypdfium2_raw"} <= names
    assert "site-packages" not in names


def test_a_request_must_hold_the_greatest_document() -> None:
    with pytest.raises(ServiceSettingsError, match="--max-request-bytes 1048576 does not hold a document"):
        DocumentsSettings.load({"max_request_bytes": "1MiB"})
