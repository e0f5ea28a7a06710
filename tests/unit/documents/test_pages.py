"""The report of the program that draws, which has read a hostile document."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from i2s_chassis.limits import DEFAULT_LIMITS
from i2s_documents.model import limits_of_drawing
from i2s_documents.pages import DrawingReport, drawing_command, read_report
from i2s_wire.documents import DocumentDefect


@pytest.mark.parametrize(
    ("content", "report"),
    [
        (b"defect 4\n", DrawingReport(DocumentDefect.ENCRYPTED)),
        (b"defect 5\n", DrawingReport(DocumentDefect.ENCRYPTED)),
        (b"defect 3\n", DrawingReport(DocumentDefect.BROKEN)),
        (b"pages 12\n", DrawingReport(pages=12)),
        (b"pages 12\nunreadable\n", DrawingReport(pages=12, is_unreadable=True)),
        (b"pages 12\nsize 10 20\n", DrawingReport(pages=12, size=(10, 20))),
        (b"", None),
        (b"pages -1\n", None),
        (b"pages 1\nsize 1\n", None),
        (b"pages 1\nsize 1 99999999999\n", None),
        (b"pages 1\nsize 1 1\nsize 2 2\n", None),
        ("pages \N{ARABIC-INDIC DIGIT ONE}\n".encode(), None),
    ],
)
def test_a_report_has_one_meaning_or_none(content: bytes, report: DrawingReport | None) -> None:
    assert read_report(content) == report


@given(st.binary(max_size=100))
def test_any_bytes_are_a_report_or_none(content: bytes) -> None:
    report = read_report(content)
    assert report is None or report.pages >= 0


def test_the_program_is_isolated_from_site_packages_and_environment() -> None:
    program = drawing_command(Path("/inside"), Path("/pdfium"), 3, 216.0, DEFAULT_LIMITS)
    assert Path(program[0]) == Path(sys.executable).resolve()
    assert program[1:5] == ["-I", "-S", "/inside/draw_page.py", "/pdfium"]
    assert program[5:] == ["document.pdf", "3", "216.0", "50", "25000000", "page.ppm", "page.report"]


def test_a_cell_has_room_for_one_drawing_and_time_for_each_page() -> None:
    limits = limits_of_drawing(replace(DEFAULT_LIMITS, pixels=100), 5_000, 4)
    assert limits.file_bytes == 5_000
    assert limits.disk_bytes == 100 * 3 + 64 + 5_000 + (1 << 20)
    assert limits.cpu_seconds == 4 * DEFAULT_LIMITS.cpu_seconds
    assert limits.wall_seconds == 4 * DEFAULT_LIMITS.wall_seconds
