"""Checking and laying out the files of a site."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from i2s_chassis.renderer.bounds import check_name
from i2s_render_html.model import SiteJob
from i2s_render_html.settings import HtmlSettings
from i2s_render_html.site import (
    ORIGIN,
    complaint,
    find,
    is_ours,
    lay_out,
    media_type,
    url_of,
    with_assets,
)
from i2s_wire.render.request import File

BOUNDS = HtmlSettings(site_files=5, site_file_bytes=1024, site_bytes=2560)

DEFAULTS = HtmlSettings()


def job(*names, assets=(), entry=""):
    files = tuple(File(name, name.encode(errors="replace")) for name in names)
    return SiteJob(files, tuple(File(name, b"asset") for name in assets), entry)


def test_a_plain_site_has_no_complaint():
    assert complaint(job("index.html", "a/b.css", assets=("a/c.png",)), BOUNDS) is None


def test_a_file_of_the_same_path_as_an_asset_is_ignored():
    both = job("index.html", "a.png", assets=("a.png",))
    assert complaint(both, BOUNDS) is None
    assert lay_out(both) == {"index.html": b"index.html", "a.png": b"asset"}


def test_a_twin_of_an_asset_is_refused():
    assert "differs" in complaint(job("A.png", assets=("a.png",)), BOUNDS)


def test_the_same_name_twice_is_refused():
    assert '"a" stands twice' in complaint(job("a", "a"), BOUNDS)


@pytest.mark.parametrize(
    ("names", "field"), [(("../a",), "site.files"), (("a",) * 6, "site.files"), (("a\0",), "site.files")]
)
def test_a_complaint_begins_with_its_field(names, field):
    assert complaint(job(*names), BOUNDS).startswith(field)


def test_an_entry_that_leads_out_is_refused():
    assert complaint(job("index.html", entry="../x"), BOUNDS).startswith(
        'site.entry_path: the file name "../x"'
    )


def test_sizes_are_bounded_each_and_together():
    large = replace(job(), files=(File("big", bytes(1025)),))
    assert '"big" has 1025 bytes' in complaint(large, BOUNDS)
    many = replace(job(), files=tuple(File(f"f{n}", bytes(900)) for n in range(3)))
    assert "all together have 2700 bytes" in complaint(many, BOUNDS)


def test_assets_stand_above_what_was_built():
    given = job("index.md", assets=("a.png",))
    assert with_assets({"index.html": b"built", "a.png": b"other"}, given) == {
        "index.html": b"built",
        "a.png": b"asset",
    }


@given(st.lists(st.text(max_size=12), max_size=4), st.lists(st.text(max_size=12), max_size=4))
def test_what_has_no_complaint_has_good_names_only(names, assets):
    given = job(*names, assets=assets)
    if complaint(given, DEFAULTS) is None:
        assert all(check_name(path) is None for path in lay_out(given))
        assert len({path.casefold() for path in lay_out(given)}) == len(lay_out(given))


FILES = {
    "index.html": b"",
    "about.html": b"",
    "docs/index.html": b"",
    "a b/c+d%.png": b"",
    "style.CSS": b"",
    "data": b"",
}


@pytest.mark.parametrize(
    ("path", "file"),
    [
        ("/", "index.html"),
        ("", "index.html"),
        ("/?x=1#y", "index.html"),
        ("/about", "about.html"),
        ("/about.html", "about.html"),
        ("/docs/", "docs/index.html"),
        ("/docs", "docs/index.html"),
        ("/a%20b/c+d%25.png", "a b/c+d%.png"),
        ("/data?x", "data"),
        ("/missing", None),
        ("/about/", None),
        ("/../index.html", None),
        ("/%2e%2e/etc/passwd", None),
    ],
)
def test_a_url_means_a_file(path, file):
    found = find(FILES, f"{ORIGIN}{path}")
    assert (found.path if found else None) == file


@pytest.mark.parametrize(
    "url",
    [
        "http://localhost:40000/",
        "http://localhost/",
        "https://localhost:4000/",
        "http://127.0.0.1:4000/",
        "http://user@localhost:4000/",
        "http://localhost:4000.evil.example/",
        "http://[bad/",
        "file:///etc/passwd",
        "data:text/html,x",
    ],
)
def test_other_origins_are_not_ours(url):
    assert not is_ours(url)


def test_the_type_goes_by_the_ending_in_any_case():
    assert media_type("style.CSS") == "text/css; charset=utf-8"
    assert media_type("x.unknown") == media_type("x") == "application/octet-stream"


@given(st.text(st.characters(exclude_categories=("Cs", "Cc"), exclude_characters="\\/"), min_size=1))
def test_every_name_is_found_under_its_own_url(name):
    if name in (".", ".."):
        return
    url = url_of(name)
    assert is_ours(url)
    assert find({name: b""}, url).path == name
