"""The doctor lists the optional parts of an engine that are not installed."""

from i2s.render.v1 import render_pb2 as pb
from i2s_sdk.stack.doctor import parts_missing
from i2s_wire.codec import decode
from i2s_wire.render.description import RendererDescription


def test_an_engine_with_all_parts_has_nothing_missing():
    assert parts_missing(decode(pb.DescribeResponse(service="render-html"), RendererDescription)) == ""


def test_missing_parts_are_listed_with_their_packages():
    answer = pb.DescribeResponse(missing=["minima (Debian: jekyll-theme-minima)", "jekyll-feed (Debian: x)"])
    listed = parts_missing(decode(answer, RendererDescription))
    assert listed == "not installed: minima (Debian: jekyll-theme-minima), jekyll-feed (Debian: x)"
