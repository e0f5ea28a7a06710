"""Checking and laying out the files of a site."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from i2s_chassis.renderer.bounds import check_name
from i2s_render_html.model import Job
from i2s_render_html.site import SiteBounds, complaint, lay_out, with_assets
from i2s_wire.render.request import File

BOUNDS = SiteBounds(files=5, file_bytes=100, total_bytes=250)


def job(*names, assets=(), entry=""):
    files = tuple(File(name, name.encode(errors="replace")) for name in names)
    return Job(files, tuple(File(name, b"asset") for name in assets), entry)


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
    large = replace(job(), files=(File("big", bytes(101)),))
    assert '"big" has 101 bytes' in complaint(large, BOUNDS)
    many = replace(job(), files=tuple(File(f"f{n}", bytes(90)) for n in range(3)))
    assert "all together have 270 bytes" in complaint(many, BOUNDS)


def test_assets_stand_above_what_was_built():
    given = job("index.md", assets=("a.png",))
    assert with_assets({"index.html": b"built", "a.png": b"other"}, given) == {
        "index.html": b"built",
        "a.png": b"asset",
    }


@given(st.lists(st.text(max_size=12), max_size=4), st.lists(st.text(max_size=12), max_size=4))
def test_what_has_no_complaint_has_good_names_only(names, assets):
    given = job(*names, assets=assets)
    if complaint(given, SiteBounds()) is None:
        assert all(check_name(path) is None for path in lay_out(given))
        assert len({path.casefold() for path in lay_out(given)}) == len(lay_out(given))
