"""What Ghostscript is asked."""

from i2s_render_lilypond.paper import Paper
from i2s_render_lilypond.raster import program


def test_the_size_of_the_paper_reaches_ghostscript_unrounded():
    asked = program(Paper(595.2755905511812, 841.8897637795277), 101.0, "fpng", 1, 1).decode()
    assert "/PageSize [595.2755905511812 841.8897637795277]" in asked
    assert "/HWResolution [101.0 101.0]" in asked
    assert ".setsafe run" in asked


def test_only_the_wanted_pages_are_drawn():
    assert b"/FirstPage 2 /LastPage 3" in program(Paper(10, 10), 101.0, "fpng", 2, 3)
