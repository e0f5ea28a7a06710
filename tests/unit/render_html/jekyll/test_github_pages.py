"""What sites may use of GitHub Pages is installed by all that install a page renderer."""

import re
from pathlib import Path

from i2s_render_html.jekyll import JekyllSettings
from i2s_render_html.jekyll.github_pages import PLUGINS, THEMES, known_to_ruby, not_installed

ROOT = Path(__file__).resolve().parents[4]


def test_bootstrap_installs_every_plugin_and_theme():
    script = (ROOT / "sdk/core/src/i2s_sdk/stack/system-needs.sh").read_text()
    listed = re.search(r'^jekyll_plugins="(.*)"$', script, re.MULTILINE)[1].split()
    assert [f"jekyll-{name}" for name in listed] == list(PLUGINS)
    assert all(f"apt {package} gem " in script for package in THEMES.values())


def test_debian_names_a_plugin_as_bootstrap_does():
    assert all(package == f"ruby-{name}" for name, package in PLUGINS.items())


def test_the_image_holds_every_plugin_and_theme():
    words = (ROOT / "deploy/images/render-html.Dockerfile").read_text().split()
    assert {*PLUGINS.values(), *THEMES.values()} <= set(words)


def test_sites_may_name_every_plugin():
    assert JekyllSettings().plugins == tuple(PLUGINS)
    assert set(PLUGINS) <= set(known_to_ruby()["plugins"])


def test_what_is_missing_is_named_with_its_package():
    everything = dict.fromkeys([*PLUGINS, *THEMES], "1.0")
    assert not_installed(everything) == ()
    del everything["minima"]
    assert not_installed(everything) == ("minima (Debian: jekyll-theme-minima)",)
