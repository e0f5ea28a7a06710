"""The text of a page as poppler prints it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from i2s_chassis.jail import Usage
from i2s_chassis.limits import Limits
from i2s_render_latex.raster import (
    MAX_BYTES,
    Inspection,
    Page,
    drawing_command,
    inspection_command,
    limits_of_raster,
    output_bytes,
    read_drawing,
    read_inspection,
    read_plain,
    read_text,
    text_command,
)


def test_a_side_may_be_off_by_one():
    pixmap = read_drawing(b"P6\n2 1\n255\n" + bytes(6), (3, 2))
    assert (pixmap.width, pixmap.height) == (2, 1)


def test_the_page_alone_is_drawn_at_the_resolution():
    line = drawing_command(3, 144.5, (100, 200))
    assert line[:3] == ["pdftoppm", "-r", "144.5"]
    assert line[3:7] == ["-f", "3", "-l", "3"]


def test_there_is_room_for_the_greatest_drawing_and_time_that_is_left():
    limits = Limits(pixels=1000, disk_bytes=10, file_bytes=10, cpu_seconds=5, wall_seconds=15)
    chosen = limits_of_raster(limits, 77, Usage(2.0, 1.0))
    assert chosen.file_bytes >= output_bytes((1000, 1)) > 3000
    assert chosen.disk_bytes >= chosen.file_bytes + 77
    assert (chosen.cpu_seconds, chosen.wall_seconds) == (4.0, 13.0)


def test_spent_time_leaves_enough_to_say_so():
    assert limits_of_raster(Limits(), 0, Usage(1e9, 1e9)).cpu_seconds > 0


OUTPUT = """Title:
Pages:           3
Encrypted:       no
Page    1 size:  612 x 792 pts (letter)
Page    1 rot:   0
Page    2 size:  100 x 200 pts
Page    2 rot:   90
Page    1 MediaBox:      0.00     0.00   612.00   792.00
Page    1 CropBox:       0.00     0.00   300.00   400.00
Page    2 MediaBox:    100.00    50.00   200.00   250.00
Page    2 CropBox:     100.00    50.00   300.00   400.00
File size:       9057 bytes
"""


PLAIN = b"""%PDF-1.5
4 0 obj
<<
/Type /Page
/MediaBox [0 0 612 792.5]
/Parent 8 0 R
>>
endobj
8 0 obj
<<
/Type /Pages
/Count 1
/Kids [4 0 R]
>>
endobj
"""


def test_a_plain_page_is_as_large_as_its_media_box():
    assert read_plain(PLAIN) == Inspection(1, (Page(1, 612.0, 792.5),))


@pytest.mark.parametrize(
    ("words", "others"),
    [
        (b"/Parent", b"/Rotate 90\n/Parent"),
        (b"/Parent", b"/CropBox [0 0 1 1]\n/Parent"),
        (b"/Parent", b"/MediaBox [0 0 1 1]\n/Parent"),
        (b"/Count 1", b"/Count 2"),
        (b"[0 0 612", b"[0 1 612"),
        (b"612", b"1e9"),
        (b"612", b"0"),
        (b"612", b"0.5"),
        (b"612", b"6123456"),
        (b"endobj\n8", b"endobj\n<<\n/Type /Page\n>>\n8"),
        (b"%PDF", b"<</Type /ObjStm>>%PDF"),
    ],
)
def test_a_page_that_may_be_read_in_another_way_is_not_plain(words, others):
    assert words in PLAIN
    assert read_plain(PLAIN.replace(words, others, 1)) is None


def test_pages_are_as_large_as_their_media_boxes():
    assert read_inspection(OUTPUT).pages[0] == Page(1, 612.0, 792.0)
    assert read_inspection(OUTPUT).total_pages == 3


def test_a_page_turned_by_a_quarter_has_its_sides_swapped():
    assert read_inspection(OUTPUT).pages[1] == Page(2, 200.0, 100.0)


def test_a_letter_page_at_200_dpi_has_1700_by_2200_pixels():
    assert Page(1, 612.0, 792.0).size_at(200) == (1700, 2200)


def test_pixels_are_rounded_up():
    assert Page(1, 595.28, 841.89).size_at(200) == (1654, 2339)
    assert Page(1, 0.1, 0.1).size_at(1) == (1, 1)


def test_the_largest_page_at_a_high_resolution_is_counted_and_not_overflowed():
    assert Page(1, 14400.0, 14400.0).size_at(720) == (144_000, 144_000)


def test_pages_without_area_are_not_drawable():
    assert not Page(1, 0.0, 10.0).is_drawable
    assert not Page(1, -3.0, 10.0).is_drawable
    assert not Page(1, float("inf"), 10.0).is_drawable
    assert Page(1, 1.0, 1.0).is_drawable


def test_output_without_a_number_of_pages_is_no_pdf():
    assert read_inspection("Syntax Error: Couldn't read xref table\n") is None


def test_a_title_cannot_imitate_the_lines_that_count():
    forged = "Title: x\nPages:   1\nPage    1 MediaBox:   0.00 0.00 1.00 1.00\n" + OUTPUT
    assert read_inspection(forged) == read_inspection(OUTPUT)


def test_pages_after_the_last_wanted_are_not_looked_at():
    assert inspection_command(5) == ["pdfinfo", "-box", "-f", "1", "-l", "5", "document.pdf"]


@given(st.text(max_size=300))
def test_any_output_can_be_read(text):
    found = read_inspection(text)
    assert found is None or isinstance(found, Inspection)


def test_one_page_is_read():
    assert text_command(7) == [
        "pdftotext",
        "-f",
        "7",
        "-l",
        "7",
        "-enc",
        "UTF-8",
        "-nopgbrk",
        "-q",
        "document.pdf",
        "-",
    ]


def test_the_text_is_printable_and_bounded():
    assert read_text(b"a\n\x1b[1mb \xe4\xb8\xad\n") == "a\n␛[1mb 中"
    assert read_text(b"\xff\xfe") == ""
    for sign in ("a", "中", "\x01"):
        assert 0 < len(read_text(sign.encode() * MAX_BYTES).encode()) <= MAX_BYTES
