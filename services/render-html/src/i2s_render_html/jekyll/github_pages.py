"""The plugins and themes of GitHub Pages: which of them sites may use here, and what Debian calls them.

What is not here is left out of a site with a warning, see ``github_pages.rb``.
"""

from __future__ import annotations

from collections.abc import Mapping

#: Plugins that sites may name, and the Debian package of each. None of them needs a network.
PLUGINS: Mapping[str, str] = {
    "jekyll-avatar": "ruby-jekyll-avatar",
    "jekyll-default-layout": "ruby-jekyll-default-layout",
    "jekyll-feed": "ruby-jekyll-feed",
    "jekyll-gist": "ruby-jekyll-gist",
    "jekyll-include-cache": "ruby-jekyll-include-cache",
    "jekyll-mentions": "ruby-jekyll-mentions",
    "jekyll-optional-front-matter": "ruby-jekyll-optional-front-matter",
    "jekyll-paginate": "ruby-jekyll-paginate",
    "jekyll-readme-index": "ruby-jekyll-readme-index",
    "jekyll-redirect-from": "ruby-jekyll-redirect-from",
    "jekyll-relative-links": "ruby-jekyll-relative-links",
    "jekyll-seo-tag": "ruby-jekyll-seo-tag",
    "jekyll-sitemap": "ruby-jekyll-sitemap",
    "jekyll-titles-from-headings": "ruby-jekyll-titles-from-headings",
}

#: Themes that sites may name, and the Debian package of each.
THEMES: Mapping[str, str] = {"minima": "jekyll-theme-minima"}

# Plugins that Debian does not have, or that ask the network.
_OTHER_PLUGINS = (
    "jekyll-coffeescript",
    "jekyll-commonmark-ghpages",
    "jekyll-github-metadata",
    "jekyll-octicons",
    "jekyll-remote-theme",
    "jemoji",
)
_OTHER_THEMES = (
    "jekyll-swiss",
    "jekyll-theme-architect",
    "jekyll-theme-cayman",
    "jekyll-theme-dinky",
    "jekyll-theme-hacker",
    "jekyll-theme-leap-day",
    "jekyll-theme-merlot",
    "jekyll-theme-midnight",
    "jekyll-theme-minimal",
    "jekyll-theme-modernist",
    "jekyll-theme-primer",
    "jekyll-theme-slate",
    "jekyll-theme-tactile",
    "jekyll-theme-time-machine",
)


def known_to_ruby() -> dict[str, list[str]]:
    """Return what ``github_pages.rb`` has to know."""
    return {
        "plugins": [*PLUGINS, *_OTHER_PLUGINS],
        "themes": [*THEMES, *_OTHER_THEMES],
    }


def not_installed(versions: Mapping[str, str]) -> tuple[str, ...]:
    """Return the plugins and themes that are missing, each with its package.

    Args:
        versions: Versions of the gems that are installed, by name.
    """
    packages = {**PLUGINS, **THEMES}
    return tuple(f"{name} (Debian: {packages[name]})" for name in sorted(packages) if name not in versions)
