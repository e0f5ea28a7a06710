"""Elements that an item can be made of."""

import pytest

from drawn_pages import drawn, element, link, meta
from i2s_sdk.data.web_items.elements import fit_elements, overlap, path_of, text_of


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        ({"visible": False}, "hidden"),
        ({"covered": True}, "covered"),
        ({"clipped": True}, "cut off"),
        ({"rectangles": 2}, "wraps over several lines"),
        ({"width": 5}, "too small"),
        ({"width": 1000, "height": 900}, "too large"),
        ({"x": -1}, "off-screen"),
        ({"x": 1200}, "off-screen"),
        ({"y": 1010}, "off-screen"),
    ],
)
def test_what_cannot_be_pointed_at_is_refused_with_its_reason(more, reason):
    given = {"x": 10, "y": 10, **more}
    fit = fit_elements(drawn(meta("A page."), element("One", **given), element("Two", 10, 500)))
    assert [text_of(text) for text in fit.texts] == ["Two"]
    assert fit.refused == {reason: 1}
    assert fit.others == ()


def test_a_text_that_stands_twice_tells_no_element():
    fit = fit_elements(drawn(element("Home", 10, 10), element(" HOME ", 10, 100), element("Other", 10, 200)))
    assert [text_of(text) for text in fit.texts] == ["Other"]
    assert [text_of(one) for one in fit.others] == ["Home", "HOME"]
    assert fit.refused == {"text stands twice": 2}


def test_a_text_that_stands_again_below_the_edge_or_hidden_is_told_apart():
    page = drawn(element("Home", 10, 10), element("Home", 10, 2000), element("Home", 10, 90, visible=False))
    assert [text_of(text) for text in fit_elements(page).texts] == ["Home"]


def test_a_text_that_is_partly_in_the_picture_again_is_ambiguous():
    assert fit_elements(drawn(element("Home", 10, 10), element("Home", 10, 1015))).texts == ()


def test_a_link_stands_for_the_list_item_around_it():
    inner = link("Home", 12, 12, "", width=100)
    outer = element("Home", 10, 10, tag="li", role="listitem")
    assert fit_elements(drawn(outer, inner)).texts == (inner,)
    same = link("Home", 10, 10, ""), element("Home", 10, 10)
    assert fit_elements(drawn(*same)).texts == (same[0],)


def test_labels_that_are_not_shown_are_no_texts():
    icon = element("Menu", 10, 10, tag="button", role="button", clickable=True)
    page = drawn(icon)
    hidden = type(page)(page.site, page.path, page.origin, page.png, "nothing else", page.elements)
    assert fit_elements(hidden).refused == {"text is not shown": 1}
    box = element("on", 10, 10, tag="input", role="checkbox", clickable=True)
    assert fit_elements(drawn(box)).refused == {"without text": 1}
    button = element("Send", 10, 10, tag="input", role="button", clickable=True)
    assert fit_elements(drawn(button)).texts == (button,)
    assert fit_elements(drawn(element("—", 10, 10))).refused == {"without text": 1}
    glued = fit_elements(drawn(element("onetwo", 10, 10, joined=True)))
    assert glued.refused == {"text has no spaces between its pieces": 1}
    assert fit_elements(drawn(element("x" * 200, 10, 10))).refused == {"text too long": 1}


def test_elements_that_come_too_close_overlap():
    one = element("a", 10, 10)
    assert overlap(one, element("b", 100, 20))
    assert not overlap(one, element("b", 132, 10))
    assert overlap(one, element("b", 132, 10), 4.0)


@pytest.mark.parametrize(
    ("url", "path"),
    [
        ("http://localhost:4000/", "index.html"),
        ("http://localhost:4000/about/#top", "about/index.html"),
        ("http://localhost:4000/a%20b.html?x=1", "a b.html"),
        ("http://localhost:4001/a.html", None),
        ("https://example.org/", None),
        ("mailto:a@example.org", None),
        ("http://[", None),
    ],
)
def test_links_are_paths_of_the_site_or_lead_elsewhere(url, path):
    assert path_of(url, "http://localhost:4000") == path
