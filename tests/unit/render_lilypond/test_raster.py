"""What Ghostscript is asked, and on which device it draws."""

from dataclasses import replace

from i2s_chassis.limits import Limits
from i2s_render_lilypond.paper import Paper
from i2s_render_lilypond.raster import PNG_DEVICES, RAW_BYTES, RAW_DEVICE, chosen_device, drawing, program
from i2s_render_lilypond.score import NAMED_BOOK, OWN_BOOK

A4 = drawing(Paper(595.2755905511812, 841.8897637795277), (835, 1181), 101.0, 1, 1, OWN_BOOK)
ALL = (RAW_DEVICE, *PNG_DEVICES)
LIMITS = Limits()


def test_the_size_of_the_paper_reaches_ghostscript_unrounded():
    asked = program(A4, "fpng").decode()
    assert "/PageSize [595.2755905511812 841.8897637795277]" in asked
    assert "/HWResolution [101.0 101.0]" in asked
    assert ".setsafe run" in asked


def test_only_the_wanted_pages_are_drawn():
    asked = drawing(Paper(10, 10), (1, 1), 101.0, 2, 3, OWN_BOOK)
    assert b"/FirstPage 2 /LastPage 3" in program(asked, "fpng")


def test_the_pages_of_the_book_are_drawn_that_was_asked_for():
    asked = drawing(Paper(10, 10), (1, 1), 101.0, 1, 1, NAMED_BOOK)
    assert b"(book1.ps) (r) file" in program(asked, "fpng")


def test_pixels_of_a_page_are_written_as_they_are():
    assert chosen_device(ALL, A4, LIMITS) == RAW_DEVICE
    assert b"/Compression (None)" in program(A4, RAW_DEVICE)
    assert b"/Compression" not in program(A4, "fpng")


def test_many_pixels_are_compressed():
    assert chosen_device(ALL, replace(A4, page_bytes=RAW_BYTES), LIMITS) == "fpng"
    assert chosen_device(ALL, replace(A4, last=100), LIMITS) == "fpng"


def test_pixels_that_would_not_fit_the_limits_on_files_are_compressed():
    assert chosen_device(ALL, A4, replace(LIMITS, file_bytes=A4.page_bytes)) == "fpng"
    assert chosen_device(ALL, A4, replace(LIMITS, disk_bytes=2 * A4.page_bytes)) == "fpng"


def test_a_ghostscript_without_the_faster_devices_writes_png():
    assert chosen_device(("png16m",), A4, LIMITS) == "png16m"
