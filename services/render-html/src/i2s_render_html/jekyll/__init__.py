"""Sites for Jekyll: built in the jail by a Ruby process that was prepared for one job.

async with JekyllBuilder(jail, JekyllSettings()) as builder:
    if needs_jekyll(files):
        site = await builder.build(files, limits)  # site.files, or site.error and site.cause
"""

from i2s_render_html.jekyll.builder import JekyllBuilder
from i2s_render_html.jekyll.github_pages import not_installed
from i2s_render_html.jekyll.model import (
    BuildCause,
    BuildError,
    BuiltSite,
    JekyllError,
    JekyllMissingError,
    JekyllSettings,
)
from i2s_render_html.jekyll.site import needs_jekyll

__all__ = [
    "BuildCause",
    "BuildError",
    "BuiltSite",
    "JekyllBuilder",
    "JekyllError",
    "JekyllMissingError",
    "JekyllSettings",
    "needs_jekyll",
    "not_installed",
]
