"""Requests to renderers as messages."""

from __future__ import annotations

import pytest

from i2s.render.v1 import render_pb2 as pb
from i2s_wire.render.messages import render_request
from i2s_wire.render.options import (
    Crop,
    ElementQuery,
    LatexOptions,
    LilypondBackend,
    LilypondConvert,
    LilypondOptions,
    PageOptions,
    RenderOptions,
    SiteBuild,
    SiteOptions,
    WindowOptions,
)
from i2s_wire.render.request import GenericSource, LatexSource, LilypondSource, RenderRequest, SiteSource
from i2s_wire.render.resources import Limits

LATEX = LatexSource(b"x", {"a.png": b"png"})


def test_a_request_that_asks_for_nothing_sends_its_source_alone() -> None:
    files = [pb.File(path="a.png", content=b"png")]
    plain = pb.RenderRequest(latex=pb.LatexSource(document=b"x", files=files), options=pb.RenderOptions())
    assert render_request(RenderRequest(LATEX)) == plain


@pytest.mark.parametrize(
    ("options", "sent"),
    [
        (
            RenderOptions(page=PageOptions(dpi=72.5, page_count=2, cut_bottom=0.0, crop=Crop.NONE)),
            pb.RenderOptions(page=pb.PageOptions(dpi=72.5, page_count=2, cut_bottom=0.0, crop=pb.CROP_NONE)),
        ),
        (
            RenderOptions(window=WindowOptions(800, 600, full_page=False)),
            pb.RenderOptions(window=pb.WindowOptions(width=800, height=600, full_page=False)),
        ),
        (
            RenderOptions(latex=LatexOptions(3, cold=True)),
            pb.RenderOptions(latex=pb.LatexOptions(max_runs=3, cold=True)),
        ),
        (
            RenderOptions(site=SiteOptions(True, ElementQuery(), SiteBuild.STATIC)),
            pb.RenderOptions(
                site=pb.SiteOptions(
                    want_text=True, elements=pb.ElementQuery(interactive=True), build=pb.SITE_BUILD_STATIC
                )
            ),
        ),
        (
            RenderOptions(site=SiteOptions(elements=ElementQuery("a", 5))),
            pb.RenderOptions(site=pb.SiteOptions(elements=pb.ElementQuery(css="a", max_elements=5))),
        ),
        (
            RenderOptions(
                lilypond=LilypondOptions(
                    LilypondConvert.REQUIRED, no_footers=False, backend=LilypondBackend.CAIRO
                )
            ),
            pb.RenderOptions(
                lilypond=pb.LilypondOptions(
                    convert=pb.LILYPOND_CONVERT_REQUIRED, no_footers=False, backend=pb.LILYPOND_BACKEND_CAIRO
                )
            ),
        ),
    ],
)
def test_options_are_sent_as_they_are_given(options: RenderOptions, sent: pb.RenderOptions) -> None:
    assert render_request(RenderRequest(LATEX, options)).options == sent


def test_sources_limits_and_id_are_sent() -> None:
    site = RenderRequest(SiteSource({"i": b"1"}, {"a": b"2"}, "i"), limits=Limits(pages=3), id="7")
    file, asset = pb.File(path="i", content=b"1"), pb.File(path="a", content=b"2")
    sent = render_request(site)
    assert sent.site == pb.SiteSource(files=[file], assets=[asset], entry_path="i")
    assert (sent.id, sent.limits) == ("7", pb.Limits(pages=3))
    score = render_request(RenderRequest(LilypondSource(b"{ c'4 }", "2.18.0")))
    assert score.lilypond == pb.LilypondSource(score=b"{ c'4 }", assume_version="2.18.0")
    generic = render_request(RenderRequest(GenericSource("svg", "i", {"i": b"1"})))
    assert generic.generic == pb.GenericSource(language="svg", entry="i", files=[file])
