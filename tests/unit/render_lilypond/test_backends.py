"""What cairo is asked."""

from i2s_chassis.limits import Limits
from i2s_render_lilypond.model import Options
from i2s_render_lilypond.raster import cairo_plan
from i2s_wire.render.options import LilypondBackend

LIMITS = Limits(pages=5, pixels=1_000_000)


def test_ghostscript_draws_unless_cairo_is_asked_for():
    assert Options().backend is LilypondBackend.GHOSTSCRIPT
    assert cairo_plan(Options(), LIMITS) is None


def test_cairo_knows_the_limits_before_it_draws():
    options = Options(72.0, 2, 3, backend=LilypondBackend.CAIRO)
    assert cairo_plan(options, LIMITS) == "72,2,4,5,1000000"
