"""Which files are drawings of a back end, and which are not."""

import io

import pytest
from PIL import Image

from i2s_chassis.errors import RasterError
from i2s_render_lilypond.drawn import drawn_size, read_drawn

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
    for drawing, alpha in ((png("RGBA"), False), (png("RGB"), True), (RAW, True)):
        with pytest.raises(RasterError):
            drawn_size(drawing, alpha=alpha)
        with pytest.raises(RasterError):
            read_drawn(drawing, alpha=alpha)
