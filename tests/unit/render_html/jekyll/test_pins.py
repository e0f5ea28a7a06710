"""What a site brings for Ruby is left out, and what it may not decide is pinned."""

import pytest

from i2s_chassis.jail import PolicyKind
from i2s_render_html.jekyll import JekyllSettings
from i2s_render_html.jekyll.pins import pins, without_code


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
