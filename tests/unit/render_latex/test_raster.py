import pytest

from i2s_chassis.jail import Usage
from i2s_chassis.limits import Limits
from i2s_render_latex.raster import RasterError, command, limits_of_raster, output_bytes, read_pixmap

PIXMAP = b"P6\n2 1\n255\n" + bytes([1, 2, 3, 4, 5, 6])


def test_a_pixmap_becomes_a_picture():
    picture = read_pixmap(memoryview(PIXMAP), (2, 1)).picture(0, 1)
    assert picture.size == (2, 1)
    assert picture.getpixel((1, 0)) == (4, 5, 6)


def test_a_side_may_be_off_by_one():
    pixmap = read_pixmap(PIXMAP, (3, 2))
    assert (pixmap.width, pixmap.height) == (2, 1)


def test_another_size_is_an_error():
    with pytest.raises(RasterError, match="expected"):
        read_pixmap(PIXMAP, (4, 1))


@pytest.mark.parametrize("drawing", [b"", b"P6\n", PIXMAP[:-1], b"P6\nx y\n255\n", PIXMAP + PIXMAP])
def test_a_damaged_pixmap_is_an_error(drawing):
    with pytest.raises(RasterError):
        read_pixmap(drawing, (2, 1))


def test_the_page_alone_is_drawn_at_the_resolution():
    line = command(3, 144.5, (100, 200))
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


# A PostScript file whose second line reads like the size of a pixmap, and that has that size.
POSTSCRIPT = b"%!PS-Adobe\r%%BoundingBox:0 0 9 9\n9 9\n255\nshowpage\n".ljust(284)


def test_no_program_is_started_for_a_drawing_of_another_kind(tmp_path, monkeypatch):
    # Pillow hands PostScript to Ghostscript, which would run outside of all walls.
    ghostscript = tmp_path / "gs"
    ghostscript.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\necho 10.0\n")
    ghostscript.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.setattr("PIL.EpsImagePlugin.gs_binary", None)
    with pytest.raises(RasterError):
        read_pixmap(POSTSCRIPT, (9, 9))
    assert not (tmp_path / "ran").exists()
