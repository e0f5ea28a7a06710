"""Sites made for GitHub Pages: its plugins and theme work, and what is not installed is a warning."""

import pytest
import pytest_asyncio

from i2s_chassis.limits import Limits
from i2s_render_html.jekyll import BuildCause, JekyllBuilder, JekyllSettings, prepared_process
from i2s_render_html.jekyll.github_pages import PLUGINS, THEMES, not_installed

pytestmark = [pytest.mark.integration, pytest.mark.asyncio(loop_scope="session")]

LIMITS = Limits()
LAYOUT = b"<html><head><title>{{ page.title }}</title></head><body>{{ content }}</body></html>"
#: Further configuration, further files, and what the site has only with the plugin, by plugin.
WORKING = {
    "jekyll-avatar": (b"", {"a.md": b"---\n---\n{% avatar hubot %}"}, ("a.html", b"githubusercontent")),
    "jekyll-default-layout": (b"", {"_layouts/default.html": LAYOUT}, ("hello.html", b"<title>")),
    "jekyll-feed": (b"", {"_posts/2024-01-01-a.md": b"---\n---\nA"}, ("feed.xml", b"<feed")),
    "jekyll-gist": (b"", {"a.md": b"---\n---\n{% gist 123 %}"}, ("a.html", b"gist.github.com/123.js")),
    "jekyll-include-cache": (
        b"",
        {"index.md": b"---\n---\n{% include_cached a.html %}", "_includes/a.html": b"INCLUDED"},
        ("index.html", b"INCLUDED"),
    ),
    "jekyll-mentions": (b"", {"index.md": b"---\n---\nBy @hubot"}, ("index.html", b"https://github.com/hubot")),
    "jekyll-optional-front-matter": (b"", {"plain.md": b"# Plain"}, ("plain.html", b"<h1")),
    "jekyll-paginate": (
        b"paginate: 1\n",
        {
            "index.html": b"---\n---\n{% for p in paginator.posts %}POST{% endfor %}",
            "_posts/2024-01-01-a.md": b"---\n---\nA",
            "_posts/2024-01-02-b.md": b"---\n---\nB",
        },
        ("page2/index.html", b"POST"),
    ),
    "jekyll-readme-index": (b"", {"README.md": b"READ"}, ("index.html", b"READ")),
    "jekyll-redirect-from": (
        b"",
        {"new.md": b"---\nredirect_from: /old.html\n---\nN"},
        ("old.html", b"http://localhost:4000/new.html"),
    ),
    "jekyll-relative-links": (
        b"",
        {"index.md": b"---\n---\n[to](other.md)", "other.md": b"---\n---\nO"},
        ("index.html", b'href="/other.html"'),
    ),
    "jekyll-seo-tag": (b"title: T\n", {"index.md": b"---\n---\n{% seo %}"}, ("index.html", b"og:title")),
    "jekyll-sitemap": (b"", {}, ("sitemap.xml", b"<urlset")),
    "jekyll-titles-from-headings": (
        b"",
        {"index.md": b"---\nlayout: default\n---\n# Heading\n", "_layouts/default.html": LAYOUT},
        ("index.html", b"<title>Heading</title>"),
    ),
}  # fmt: skip


def site(configuration, files):
    return {"hello.md": b"---\n---\nHello", **files, "_config.yml": configuration}


async def test_every_plugin_is_tried_and_nothing_is_missing_here(builder):
    assert set(WORKING) == set(PLUGINS)
    assert not_installed(builder.versions) == ()
    assert {"jekyll", *PLUGINS, *THEMES} <= set(builder.versions)


@pytest.mark.parametrize("plugin", sorted(WORKING))
async def test_a_plugin_that_is_named_works(builder, cold, plugin):
    configuration, files, (path, words) = WORKING[plugin]
    named = site(f"plugins: [{plugin}]\n".encode() + configuration, files)
    built = await builder.build(named, LIMITS)
    assert (built.cause, built.left_out, built.events) == (BuildCause.BUILT, (), ()), built.error
    assert built.warnings == ()
    assert words in built.files[path]
    assert built.files == cold(named)


@pytest.mark.parametrize("plugin", ["jekyll-gist", "jekyll-paginate"])
async def test_a_plugin_that_pages_loads_by_itself_needs_no_name(builder, plugin):
    configuration, files, (path, words) = WORKING[plugin]
    built = await builder.build(site(configuration, files), LIMITS)
    assert (built.cause, built.left_out) == (BuildCause.BUILT, ()), built.error
    assert words in built.files[path]


async def test_a_plugin_that_rewrites_pages_stays_out_where_it_is_not_named(builder):
    built = await builder.build(site(b"", {"plain.md": b"# Plain"}), LIMITS)
    assert built.files["plain.md"] == b"# Plain"


@pytest.mark.parametrize(
    ("plugin", "text"),
    [
        ("jemoji", b":smile:"),
        ("jekyll-octicons", b"{% octicon alert %}"),
        ("jekyll-github-metadata", b"{% github_edit_link %}{{ site.github.owner_name }}"),
        ("jekyll-archives", b""),
    ],
)
async def test_a_plugin_that_is_not_here_is_a_warning(builder, plugin, text):
    named = site(f"plugins: [jekyll-feed, {plugin}]\n".encode(), {"index.md": b"---\n---\nHello " + text})
    built = await builder.build(named, LIMITS)
    assert built.cause is BuildCause.BUILT, built.error
    assert b"Hello" in built.files["index.html"]
    assert "feed.xml" in built.files
    (warning,) = built.left_out
    assert plugin in warning


@pytest.mark.parametrize("key", [b"theme: jekyll-theme-cayman", b"remote_theme: pages-themes/cayman@v0.2.0"])
async def test_a_theme_that_is_not_here_is_a_warning(builder, key):
    files = {
        "index.md": b"---\nlayout: default\n---\n{% include head-custom.html %}Hello",
        "assets/css/style.scss": b'---\n---\n@import "{{ site.theme | default: "x" }}";\np { color: red }\n',
    }
    built = await builder.build(site(key + b"\n", files), LIMITS)
    assert built.cause is BuildCause.BUILT, built.error
    assert b"Hello" in built.files["index.html"]
    assert b"color: red" in built.files["assets/css/style.css"]
    assert "cayman" in built.left_out[0]
    assert any("head-custom.html" in one for one in built.left_out)


async def test_a_converter_of_pages_that_is_not_here_is_a_warning(builder):
    built = await builder.build(site(b"markdown: CommonMarkGhPages\n", {}), LIMITS)
    assert built.cause is BuildCause.BUILT, built.error
    assert b"<p>Hello</p>" in built.files["hello.html"]
    assert "CommonMarkGhPages" in built.left_out[0]


async def test_what_pages_would_not_build_is_refused(builder):
    for configuration, files in (
        (b"theme: no-such-theme\n", {}),
        (b"", {"index.md": b"---\n---\n{% seo %}"}),
        (b"", {"index.md": b"---\n---\n{% include none.html %}"}),
        (b"", {"s.scss": b'---\n---\n@import "none";\n'}),
    ):
        built = await builder.build(site(configuration, files), LIMITS)
        assert built.cause is BuildCause.FAILED, configuration


HIDE = b"""
HIDDEN = %w(minima jekyll-feed jekyll-seo-tag jekyll-gist)
Gem::Specification.singleton_class.prepend(
  Module.new do
    def find_by_name(name, *rest)
      raise Gem::MissingSpecError.new(name, rest) if HIDDEN.include?(name)
      super
    end
    def find_all_by_name(name, *rest)
      HIDDEN.include?(name) ? [] : super
    end
  end
)
Object.prepend(
  Module.new do
    private
    def require(name)
      raise LoadError, "cannot load such file -- #{name}" if HIDDEN.include?(name)
      super
    end
  end
)
"""


@pytest_asyncio.fixture(loop_scope="session")
async def bare(jail, monkeypatch):
    """A builder to whose Ruby a theme and some plugins are not installed."""
    programs = dict(prepared_process._programs())
    programs["build_site.rb"] = HIDE + programs["build_site.rb"]
    monkeypatch.setattr(prepared_process, "_programs", lambda: programs)
    async with JekyllBuilder(jail, JekyllSettings(processes=1)) as builder:
        yield builder


async def test_the_new_site_of_jekyll_is_built_where_its_theme_and_plugins_are_not_installed(bare):
    files = {
        "_config.yml": b"title: New\ntheme: minima\nplugins: [jekyll-feed, jekyll-seo-tag]\n",
        "index.md": b"---\nlayout: home\n---\nHello {% seo %}{% feed_meta %}{% gist 1 %}",
        "assets/main.scss": b'---\n---\n@import "minima";\nb { c: d }\n',
    }
    built = await bare.build(files, LIMITS)
    assert built.cause is BuildCause.BUILT, built.error
    assert b"Hello" in built.files["index.html"]
    said = " ".join(built.left_out)
    assert all(name in said for name in ("minima", "jekyll-feed", "jekyll-seo-tag", "jekyll-gist"))
    assert set(not_installed(bare.versions)) == {
        "jekyll-feed (Debian: ruby-jekyll-feed)",
        "jekyll-gist (Debian: ruby-jekyll-gist)",
        "jekyll-seo-tag (Debian: ruby-jekyll-seo-tag)",
        "minima (Debian: jekyll-theme-minima)",
    }
