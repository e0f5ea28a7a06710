import pytest

from i2s.render.v1 import render_pb2 as pb
from i2s_chassis.errors import InvalidArgumentError
from i2s_render_latex.model import Options
from i2s_render_latex.servicer import options_from_wire, options_to_wire
from i2s_wire.render.options import BlankPage, Crop, LatexEngine


def test_nothing_asked_for_is_the_default():
    assert options_from_wire(pb.RenderOptions()) == Options()


def test_options_survive_the_wire():
    options = Options(100.5, 2, 3, 0.0, Crop.NONE, BlankPage.KEEP, 1, True, LatexEngine.XELATEX, True, True)
    assert options_from_wire(options_to_wire(options)) == options


@pytest.mark.parametrize(
    ("field", "options"),
    [
        *(
            ("options.page.dpi", {"page": {"dpi": dpi}})
            for dpi in (0, -1, 2401, 1e6, float("nan"), float("inf"))
        ),
        ("options.page.first_page", {"page": {"first_page": 0}}),
        ("options.page.page_count", {"page": {"page_count": 0}}),
        *(("options.page.cut_bottom", {"page": {"cut_bottom": cut}}) for cut in (1, -0.1, float("nan"))),
        ("options.page.crop", {"page": {"crop": 9}}),
        ("options.page.blank_page", {"page": {"blank_page": 9}}),
        ("options.latex.engine", {"latex": {"engine": 9}}),
        ("options.latex.max_runs", {"latex": {"max_runs": 0}}),
        ("options.latex.max_runs", {"latex": {"max_runs": 1000}}),
        ("options.window", {"window": {"width": 3}}),
        ("options.site", {"site": {}}),
        ("options.lilypond", {"lilypond": {}}),
    ],
)
def test_a_value_without_meaning_is_refused_by_its_field(field, options):
    with pytest.raises(InvalidArgumentError) as raised:
        options_from_wire(pb.RenderOptions(**options))
    assert raised.value.field == field
