"""What Ghostscript is asked, and on which device it draws."""

import io
from dataclasses import replace

import pytest
from PIL import Image

from i2s_chassis.errors import RasterError
from i2s_chassis.limits import Limits
from i2s_render_lilypond.raster import (
    BACKENDS,
    PNG_DEVICES,
    RAW_BYTES,
    RAW_DEVICE,
    PaperSize,
    chosen_device,
    count_pages,
    drawing,
    drawn_size,
    program,
    read_count,
    read_drawn,
    read_paper,
)
from i2s_render_lilypond.score import NAMED_BOOK, OWN_BOOK
from i2s_wire.render.options import LilypondBackend

A4 = drawing(PaperSize(595.2755905511812, 841.8897637795277), (835, 1181), 101.0, 1, 1, OWN_BOOK)
ALL = (RAW_DEVICE, *PNG_DEVICES)
LIMITS = Limits()


def test_the_size_of_the_paper_reaches_ghostscript_unrounded():
    asked = program(A4, "fpng").decode()
    assert "/PageSize [595.2755905511812 841.8897637795277]" in asked
    assert "/HWResolution [101.0 101.0]" in asked
    assert ".setsafe run" in asked


def test_only_the_wanted_pages_are_drawn():
    asked = drawing(PaperSize(10, 10), (1, 1), 101.0, 2, 3, OWN_BOOK)
    assert b"/FirstPage 2 /LastPage 3" in program(asked, "fpng")


def test_the_pages_of_the_book_are_drawn_that_was_asked_for():
    asked = drawing(PaperSize(10, 10), (1, 1), 101.0, 1, 1, NAMED_BOOK)
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


GHOSTSCRIPT, CAIRO = BACKENDS[LilypondBackend.GHOSTSCRIPT], BACKENDS[LilypondBackend.CAIRO]


def test_a4_at_the_default_resolution_has_lilyponds_own_pixels():
    paper = read_paper(b"595.2755905511812 841.8897637795277\n")
    assert GHOSTSCRIPT.size(paper, 101) == (835, 1181)


def test_cairo_begins_a_pixel_that_ghostscript_rounds_away():
    assert CAIRO.size(read_paper(b"595.2755905511812 841.8897637795277\n"), 101) == (836, 1181)


def test_enormous_paper_is_computed_and_not_made():
    assert GHOSTSCRIPT.size(PaperSize(1e6, 1e6), 101) == (1402778, 1402778)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"1 2",
        b"1 2 3\n",
        b"-1 2\n",
        b"nan 2\n",
        b"inf 1\n",
        b"1e999 1\n",
        b"0x10 1\n",
        b"1 1\n\n",
        b"a b\n",
    ],
)
def test_what_is_no_size_is_none(content):
    assert read_paper(content) is None


def test_pages_are_counted_from_the_header():
    assert (
        count_pages(b"%!PS-Adobe-3.0\n%%Creator: LilyPond 2.24.3\n%%Pages: 12\n%%PageOrder: Ascend\n") == 12
    )


@pytest.mark.parametrize(
    "header", [b"", b"%!PS\n%%Pages: (atend)\n", b"x %%Pages: 3\n", b"\n" * 20_000 + b"%%Pages: 3\n"]
)
def test_without_a_header_there_are_no_pages(header):
    assert count_pages(header) == 0


def test_the_number_of_pages_is_read_from_its_own_file():
    assert read_count(b"12\n") == 12


@pytest.mark.parametrize("content", [b"", b"12", b"-1\n", b"1\n2\n", b"1e3\n", b"9999999999\n"])
def test_what_is_no_number_of_pages_is_none(content):
    assert read_count(content) == 0


PIXELS = bytes(range(6))
HEAD = (
    b"%PDF-1.3\n%\xc7\xec\x8f\xa2\n%%Invocation: gs -q ?\n4 0 obj\n<<\n/Length 5 0 R\n/Subtype /Image\n"
    b"/Width 2\n/Height 1\n/ColorSpace /DeviceRGB\n/BitsPerComponent 8\n>>\nstream\n"
)
RAW = HEAD + PIXELS + b"\nendstream\nendobj\n"


def png(mode):
    output = io.BytesIO()
    Image.frombytes(mode, (2, 1), (PIXELS * 2)[: 2 * len(mode)]).save(output, "PNG")
    return output.getvalue()


def test_pixels_in_the_frame_of_a_pdf_file_are_read():
    page = read_drawn(RAW, alpha=False)
    assert drawn_size(RAW, alpha=False) == (page.width, page.height) == (2, 1)
    assert page.rows(0, 1) == PIXELS


def test_png_gives_the_same_pixels():
    assert read_drawn(png("RGB"), alpha=False).rows(0, 1) == PIXELS
    assert drawn_size(png("RGB"), alpha=False) == (2, 1)


def test_the_size_is_known_before_the_pixels_are_there():
    assert drawn_size(HEAD.replace(b"/Width 2", b"/Width 999999"), alpha=False) == (999_999, 1)


@pytest.mark.parametrize(
    "broken",
    [
        b"",
        HEAD,
        HEAD + PIXELS,
        HEAD + PIXELS + b"x" + RAW[len(HEAD) + 6 :],
        b"x" + RAW,
        RAW.replace(b"/Width 2", b"/Width 3"),
        RAW.replace(b"/Width 2", b"/Width 0"),
        RAW.replace(b"/Width 2", b"/Width -2"),
        RAW.replace(b"/DeviceRGB", b"/DeviceGray"),
        RAW.replace(b">>\nstream", b"/Filter /FlateDecode\n>>\nstream"),
        RAW.replace(b"gs -q", b"gs -q" * 1000),
    ],
)
def test_what_is_no_such_file_is_no_drawing(broken):
    with pytest.raises(RasterError):
        read_drawn(broken, alpha=False)


def test_cairo_draws_with_an_alpha_channel_and_ghostscript_without():
    assert drawn_size(png("RGBA"), alpha=True) == (2, 1)
    for drawn, alpha in ((png("RGBA"), False), (png("RGB"), True), (RAW, True)):
        with pytest.raises(RasterError):
            drawn_size(drawn, alpha=alpha)
        with pytest.raises(RasterError):
            read_drawn(drawn, alpha=alpha)
