"""Translation between the wire and the words of the renderer."""

import pytest

from i2s.render.v1 import render_pb2 as pb
from i2s_chassis.errors import InvalidArgumentError
from i2s_render_html.model import Options, ResolvedElementQuery
from i2s_render_html.servicer import options_from_wire, options_to_wire, printable_site
from i2s_wire.render.options import SiteBuild
from i2s_wire.render.site import ConsoleEntry, Element, SiteResult


def test_absent_options_are_the_defaults():
    assert options_from_wire(pb.RenderOptions()) == Options()


def test_defaults_survive_the_wire():
    assert options_from_wire(options_to_wire(Options())) == Options()


def test_options_are_taken_over():
    message = pb.RenderOptions(
        window=pb.WindowOptions(width=800, height=600, device_scale=2, full_page=True),
        site=pb.SiteOptions(
            want_text=True, elements=pb.ElementQuery(css="a", max_elements=5), build=pb.SITE_BUILD_STATIC
        ),
    )
    assert options_from_wire(message) == Options(
        800, 600, 2, True, True, ResolvedElementQuery("a", 5), SiteBuild.STATIC
    )


def test_interactive_elements_have_no_selector():
    message = pb.RenderOptions(site=pb.SiteOptions(elements=pb.ElementQuery(interactive=True)))
    assert options_from_wire(message).elements == ResolvedElementQuery()


@pytest.mark.parametrize(
    ("options", "field"),
    [
        ({"page": pb.PageOptions(dpi=100)}, "options.page"),
        ({"window": pb.WindowOptions(width=0)}, "options.window.width"),
        ({"window": pb.WindowOptions(height=99_999)}, "options.window.height"),
        ({"window": pb.WindowOptions(device_scale=float("nan"))}, "options.window.device_scale"),
        ({"window": pb.WindowOptions(device_scale=9)}, "options.window.device_scale"),
        ({"window": pb.WindowOptions(device_scale=0.0)}, "options.window.device_scale"),
        ({"window": pb.WindowOptions(height=9, device_scale=0.1)}, "options.window.device_scale"),
        ({"window": pb.WindowOptions(device_scale=0.0001)}, "options.window.device_scale"),
        ({"site": pb.SiteOptions(elements=pb.ElementQuery())}, "options.site.elements"),
        ({"site": pb.SiteOptions(elements=pb.ElementQuery(css=" "))}, "options.site.elements.css"),
        (
            {"site": pb.SiteOptions(elements=pb.ElementQuery(css="a", max_elements=0))},
            "options.site.elements.max_elements",
        ),
        ({"site": pb.SiteOptions(build=9)}, "options.site.build"),
    ],
)
def test_what_has_no_meaning_is_refused_with_its_field(options, field):
    with pytest.raises(InvalidArgumentError) as raised:
        options_from_wire(pb.RenderOptions(**options))
    assert raised.value.message.startswith(f"{field}:") or raised.value.message.startswith(f"{field} ")


def test_what_is_known_of_a_page_arrives_whole():
    site = printable_site(
        SiteResult(
            title="T\x1b",
            text="text",
            console=(ConsoleEntry("error", "e\0"),),
            elements=(
                Element("a", "b", "link\x7f", True, 1, 2, 3, 4, "http://c/\0", True, False, True, 2, True),
            ),
            settled=True,
            jekyll=True,
            missing=("x\0",),
            warnings=("w\x1b",),
            left_out=("l\x1b",),
        )
    )
    assert (site.settled, site.jekyll, site.missing) == (True, True, ("x\u2400",))
    assert (site.warnings, site.left_out) == (("w\u241b",), ("l\u241b",))
    (element,) = site.elements
    assert (element.role, element.width, element.rectangles) == ("link\u2421", 3, 2)
    assert element.href == "http://c/\u2400"
    assert (element.visible, element.covered, element.clipped, element.joined) == (True, False, True, True)
    assert "\0" not in site.console[0].text
    assert "\x1b" not in site.title
