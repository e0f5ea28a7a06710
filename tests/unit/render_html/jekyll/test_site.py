"""Sites that Jekyll would only copy are known without asking it."""

import pytest

from i2s_chassis.jail import PolicyKind
from i2s_render_html.jekyll import JekyllSettings, needs_jekyll
from i2s_render_html.jekyll.site import pins, without_code


@pytest.mark.parametrize(
    "path",
    [
        "index.html",
        "css/site.css",
        "pictures/a b (1).png",
        "página/größe.html",
        "jquery-3.7.1.min.js",
        "notes.md",
        "style.scss",
        "vendor/jquery.js",
        "docs/node_modules/x.js",
        "Gem.html",
    ],
)
def test_a_file_of_an_ordinary_name_is_copied(path):
    assert not needs_jekyll({path: b"<p>{{ page.title }} {% include x %}</p>"})


@pytest.mark.parametrize(
    "path",
    [
        "_config.yml",
        "_layouts/default.html",
        "blog/_posts/2020-01-01-x.md",
        ".nojekyll",
        ".htaccess",
        "#draft.html",
        "~x",
        "backup.html~",
        "page.",
        "a./b.html",
        "a..b.html",
        "a%20b.html",
        "Gemfile",
        "gemfile.html",
        "Gemfile-notes.html",
        "node_modules/x.js",
        "vendor/bundle/x.rb",
        "vendor/gems.html",
        " leading.html",
        "trailing .html/x ",
        "a\u200bb.html",
        "(1).html",
    ],
)
def test_a_name_that_jekyll_may_treat_otherwise_needs_it(path):
    assert needs_jekyll({"index.html": b"", path: b""})


@pytest.mark.parametrize("content", [b"---\n---\n", b"---\ntitle: x\n---\ny", b"--- \r\n", b"---", b"----\n"])
def test_what_begins_like_front_matter_needs_jekyll(content):
    assert needs_jekyll({"index.html": content})


@pytest.mark.parametrize("content", [b"", b"\n---\n---\n", b"\xef\xbb\xbf---\n---\n", b" ---\n", b"--\n"])
def test_what_does_not_begin_like_front_matter_is_copied(content):
    assert not needs_jekyll({"index.html": content})


def test_no_files_need_nothing():
    assert not needs_jekyll({})


@pytest.mark.parametrize(
    "path",
    [
        "Gemfile",
        "gemfile",
        "Gemfile.lock",
        "gems.rb",
        "_plugins/x.rb",
        "_Plugins/deep/x.rb",
        ".bundle/config",
        ".bundle",
    ],
)
def test_code_is_left_out_and_said_so(path):
    kept, events = without_code({"index.html": b"x", path: b"system 'id'"})
    assert kept == {"index.html": b"x"}
    assert [(event.kind, path in event.detail) for event in events] == [(PolicyKind.EXECUTE, True)]


@pytest.mark.parametrize("path", ["_plugins", "docs/Gemfile", "docs/_plugins/x.rb", "Gemfile.html", "x.rb"])
def test_what_ruby_would_not_run_is_kept(path):
    assert without_code({path: b"x"}) == ({path: b"x"}, ())


def test_the_configuration_pins_safety_and_the_origin():
    pinned = pins(JekyllSettings(origin="http://somewhere:1", plugins=("jekyll-feed",)))
    assert pinned["safe"] is True
    assert pinned["kramdown"]["template"] == ""
    assert pinned["whitelist"] == ["jekyll-feed"]
    assert (pinned["url"], pinned["baseurl"]) == ("http://somewhere:1", "")
