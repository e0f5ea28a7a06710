"""What Ghostscript is asked, and what is taken for a drawing."""

import io

import pytest
from PIL import Image

from i2s_render_lilypond.faults import RasterError
from i2s_render_lilypond.paper import Paper
from i2s_render_lilypond.raster import decode, program, size_of


def drawing(mode="RGB", size=(7, 5), form="PNG", **options):
    output = io.BytesIO()
    Image.new(mode, size).save(output, form, **options)
    return output.getvalue()


def test_size_is_read_from_the_head_alone():
    assert size_of(drawing(size=(30, 20))[:40]) == (30, 20)


def test_a_drawing_becomes_a_picture():
    picture = decode(drawing(size=(30, 20)))
    assert (picture.mode, picture.size) == ("RGB", (30, 20))


def test_a_drawing_may_lack_its_last_chunk():
    assert decode(drawing()[:-12]).size == (7, 5)


@pytest.mark.parametrize("mode", ["L", "RGBA", "P", "1"])
def test_another_kind_of_png_is_refused(mode):
    with pytest.raises(RasterError):
        decode(drawing(mode))


@pytest.mark.parametrize(
    "content", [b"", b"\x89PNG\r\n\x1a\n", b"%!PS-Adobe-3.0 EPSF-3.0\n", drawing(form="GIF"), drawing()[:50]]
)
def test_what_is_no_whole_png_is_refused(content):
    with pytest.raises(RasterError):
        decode(content)


def test_a_length_that_points_nowhere_is_refused():
    whole = drawing()
    with pytest.raises(RasterError):
        decode(whole[:33] + b"\xff\xff\xff\xff" + whole[37:])


def test_the_size_of_the_paper_reaches_ghostscript_unrounded():
    asked = program(Paper(595.2755905511812, 841.8897637795277), 101.0, "fpng", 1, 1).decode()
    assert "/PageSize [595.2755905511812 841.8897637795277]" in asked
    assert "/HWResolution [101.0 101.0]" in asked
    assert ".setsafe run" in asked


def test_only_the_wanted_pages_are_drawn():
    assert b"/FirstPage 2 /LastPage 3" in program(Paper(10, 10), 101.0, "fpng", 2, 3)
