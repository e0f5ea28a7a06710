"""Translation between the wire and the words of this renderer."""

import pytest

from i2s.render.v1 import render_pb2 as pb
from i2s_chassis.errors import InvalidArgumentError
from i2s_render_lilypond.model import Options
from i2s_render_lilypond.servicer import options_from_wire, options_to_wire, refuse_missing, version_from_wire
from i2s_wire.render.options import BlankPage, Crop, LilypondBackend, LilypondConvert


def test_nothing_asked_is_the_defaults():
    assert options_from_wire(pb.RenderOptions()) == Options()


def test_the_defaults_are_those_of_the_contract():
    wire = options_to_wire(Options())
    assert (wire.page.dpi, wire.page.cut_bottom) == (101, 0)
    assert wire.page.crop == pb.CROP_INK
    assert wire.page.blank_page == pb.BLANK_PAGE_NO_OUTPUT
    assert wire.lilypond.convert == pb.LILYPOND_CONVERT_AUTO
    assert wire.lilypond.no_footers
    assert wire.lilypond.backend == pb.LILYPOND_BACKEND_GHOSTSCRIPT


def test_what_is_asked_is_taken():
    wire = pb.RenderOptions(
        page=pb.PageOptions(dpi=50, first_page=2, page_count=3, cut_bottom=0.2, crop=pb.CROP_NONE),
        lilypond=pb.LilypondOptions(
            convert=pb.LILYPOND_CONVERT_REQUIRED, no_footers=False, backend=pb.LILYPOND_BACKEND_CAIRO
        ),
    )
    wire.page.blank_page = pb.BLANK_PAGE_KEEP
    options = options_from_wire(wire)
    assert options == Options(
        50,
        2,
        3,
        0.2,
        Crop.NONE,
        BlankPage.KEEP,
        convert=LilypondConvert.REQUIRED,
        no_footers=False,
        backend=LilypondBackend.CAIRO,
    )
    assert options_to_wire(options) == wire


@pytest.mark.parametrize(
    ("options", "field"),
    [
        (pb.RenderOptions(page=pb.PageOptions(dpi=0)), "options.page.dpi"),
        (pb.RenderOptions(page=pb.PageOptions(dpi=1e9)), "options.page.dpi"),
        (pb.RenderOptions(page=pb.PageOptions(cut_bottom=1)), "options.page.cut_bottom"),
        (pb.RenderOptions(page=pb.PageOptions(first_page=0)), "options.page.first_page"),
        (pb.RenderOptions(page=pb.PageOptions(page_count=0)), "options.page.page_count"),
        (pb.RenderOptions(lilypond=pb.LilypondOptions(convert=9)), "options.lilypond.convert"),
        (pb.RenderOptions(lilypond=pb.LilypondOptions(backend=9)), "options.lilypond.backend"),
        (
            pb.RenderOptions(
                page=pb.PageOptions(dpi=72.5), lilypond=pb.LilypondOptions(backend=pb.LILYPOND_BACKEND_CAIRO)
            ),
            "options.page.dpi",
        ),
        (pb.RenderOptions(latex=pb.LatexOptions(cold=True)), "options.latex"),
        (pb.RenderOptions(window=pb.WindowOptions(width=1)), "options.window"),
    ],
)
def test_a_value_without_a_meaning_names_its_field(options, field):
    with pytest.raises(InvalidArgumentError, match=field):
        options_from_wire(options)


@pytest.mark.parametrize("version", ["", "2.18.0", "2.18"])
def test_versions_are_taken(version):
    assert version_from_wire(version) == version


@pytest.mark.parametrize("version", ["2", "x", "2.18.0 --help", "2.18.0\n", "-2.1.0", "2.18.2.1"])
def test_what_is_no_version_is_refused(version):
    with pytest.raises(InvalidArgumentError, match=r"lilypond\.assume_version"):
        version_from_wire(version)


def test_a_back_end_that_is_not_installed_is_refused():
    refuse_missing(LilypondBackend.CAIRO, frozenset(LilypondBackend))
    with pytest.raises(InvalidArgumentError, match=r"options\.lilypond\.backend: .*without cairo"):
        refuse_missing(LilypondBackend.CAIRO, {LilypondBackend.GHOSTSCRIPT})
