from i2s_chassis.jail import Usage
from i2s_chassis.limits import Limits
from i2s_render_latex.raster import command, limits_of_raster, output_bytes, read_drawing


def test_a_side_may_be_off_by_one():
    pixmap = read_drawing(b"P6\n2 1\n255\n" + bytes(6), (3, 2))
    assert (pixmap.width, pixmap.height) == (2, 1)


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
