"""What is taken for a drawing, and what is not."""

import io
import struct
import zlib

import pytest
from PIL import Image

from i2s_chassis.errors import RasterError
from i2s_chassis.renderer.pixmap import read_png, read_ppm
from i2s_chassis.renderer.png import png_size

PIXMAP = b"P6\n2 1\n255\n" + bytes([1, 2, 3, 4, 5, 6])


def test_a_pixmap_becomes_a_picture():
    picture = read_ppm(memoryview(PIXMAP), (2, 1)).picture(0, 1)
    assert picture.size == (2, 1)
    assert picture.getpixel((1, 0)) == (4, 5, 6)


def test_a_side_may_be_off_by_the_tolerance():
    pixmap = read_ppm(PIXMAP, (3, 2), tolerance=1)
    assert (pixmap.width, pixmap.height) == (2, 1)


@pytest.mark.parametrize(("size", "tolerance"), [((4, 1), 1), ((3, 1), 0)])
def test_another_size_is_an_error(size, tolerance):
    with pytest.raises(RasterError, match="expected"):
        read_ppm(PIXMAP, size, tolerance)


@pytest.mark.parametrize("drawing", [b"", b"P6\n", PIXMAP[:-1], b"P6\nx y\n255\n", PIXMAP + PIXMAP])
def test_a_damaged_pixmap_is_an_error(drawing):
    with pytest.raises(RasterError):
        read_ppm(drawing, (2, 1))


# A PostScript file whose second line reads like the size of a pixmap, and that has that size.
POSTSCRIPT = b"%!PS-Adobe\r%%BoundingBox:0 0 9 9\n9 9\n255\nshowpage\n".ljust(284)


def test_no_program_is_started_for_a_drawing_of_another_kind(tmp_path, monkeypatch):
    # Pillow hands PostScript to Ghostscript, which would run outside of the sandbox.
    ghostscript = tmp_path / "gs"
    ghostscript.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\necho 10.0\n")
    ghostscript.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.setattr("PIL.EpsImagePlugin.gs_binary", None)
    with pytest.raises(RasterError):
        read_ppm(POSTSCRIPT, (9, 9))
    assert not (tmp_path / "ran").exists()


def drawing(mode="RGB", size=(7, 5), form="PNG", **options):
    output = io.BytesIO()
    Image.new(mode, size).save(output, form, **options)
    return output.getvalue()


def test_size_is_read_from_the_head_alone():
    assert png_size(drawing(size=(30, 20))[:40]) == (30, 20)


def test_a_png_becomes_a_pixmap():
    output = io.BytesIO()
    Image.frombytes("RGB", (2, 1), PIXMAP[-6:]).save(output, "PNG", pnginfo=None, dpi=(300, 300))
    pixmap = read_png(output.getvalue())
    assert (pixmap.width, pixmap.height, pixmap.rows(0, 1)) == (2, 1, PIXMAP[-6:])


def test_a_png_may_lack_its_last_chunk():
    assert read_png(drawing()[:-12]).width == 7


def test_an_alpha_channel_is_read_where_it_is_expected_and_laid_on_white():
    output = io.BytesIO()
    Image.frombytes("RGBA", (3, 1), bytes([1, 2, 3, 255, 9, 9, 9, 0, 0, 0, 0, 127])).save(output, "PNG")
    pixmap = read_png(output.getvalue(), alpha=True)
    assert pixmap.rows(0, 1) == bytes([1, 2, 3, 255, 255, 255, 128, 128, 128])
    assert png_size(output.getvalue(), alpha=True) == (3, 1)


def test_an_opaque_picture_keeps_its_pixels():
    output = io.BytesIO()
    Image.frombytes("RGBA", (2, 1), bytes([1, 2, 3, 255, 4, 5, 6, 255])).save(output, "PNG")
    assert read_png(output.getvalue(), alpha=True).rows(0, 1) == PIXMAP[-6:]


@pytest.mark.parametrize("mode", ["L", "RGB", "P", "1"])
def test_a_picture_without_the_alpha_channel_that_it_should_have_is_refused(mode):
    with pytest.raises(RasterError):
        read_png(drawing(mode), alpha=True)


@pytest.mark.parametrize("mode", ["L", "RGBA", "P", "1"])
def test_another_kind_of_png_is_refused(mode):
    with pytest.raises(RasterError):
        read_png(drawing(mode))


@pytest.mark.parametrize(
    "content", [b"", b"\x89PNG\r\n\x1a\n", b"%!PS-Adobe-3.0 EPSF-3.0\n", drawing(form="GIF"), drawing()[:50]]
)
def test_what_is_no_whole_png_is_refused(content):
    with pytest.raises(RasterError):
        read_png(content)


def chunk(kind: bytes, content: bytes) -> bytes:
    ends = struct.pack(">I", zlib.crc32(kind + content))
    return struct.pack(">I", len(content)) + kind + content + ends


def head(width: int, height: int, color_type: int) -> bytes:
    return chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, color_type, 0, 0, 0))


@pytest.mark.parametrize(
    "second", [head(12_000, 12_000, 2), head(7, 5, 0), head(7, 5, 2), chunk(b"IHDR", b"")]
)
@pytest.mark.parametrize("at", ["before the pixels", "after them"])
def test_a_second_head_is_refused(second, at):
    whole = drawing()
    place = 33 if at == "before the pixels" else len(whole) - 12
    with pytest.raises(RasterError, match="one head"):
        read_png(whole[:place] + second + whole[place:])


@pytest.mark.parametrize("length", [0, 12, 14])
def test_a_head_of_another_length_is_refused(length):
    whole = drawing()
    with pytest.raises(RasterError):
        read_png(whole[:8] + chunk(b"IHDR", (whole[16:29] + b"\0")[:length]) + whole[33:])


def test_a_length_that_points_nowhere_is_refused():
    whole = drawing()
    with pytest.raises(RasterError):
        read_png(whole[:33] + b"\xff\xff\xff\xff" + whole[37:])
