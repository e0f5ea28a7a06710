"""Which file of a site a URL means."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from i2s_render_html.origin import ORIGIN, find, is_ours, media_type, url_of

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
