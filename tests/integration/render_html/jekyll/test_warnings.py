"""What Jekyll warns of while it builds a site is among the warnings, and is no fault of it."""

import pytest

from i2s_chassis.limits import DEFAULT_LIMITS
from i2s_render_html.jekyll import BuildCause

pytestmark = [pytest.mark.integration, pytest.mark.asyncio(loop_scope="session")]

BAD_YAML = b"---\ntitle: My post: a tale\n---\nHi\n"
REASON = "mapping values are not allowed in this context at line 2 column 15"
SITES = {
    "front matter of a page": (
        {"index.md": BAD_YAML},
        f"YAML Exception reading index.md: {REASON}",
    ),
    "front matter of a post": (
        {"_posts/2025-01-01-x.md": BAD_YAML, "index.md": b"---\n---\nHi"},
        f"Error: YAML Exception reading _posts/2025-01-01-x.md: {REASON}",
    ),
    "layout": (
        {"index.md": b"---\nlayout: page\n---\nHi"},
        "Build Warning: Layout 'page' requested in index.md does not exist.",
    ),
    "two pages at one place": (
        {"a.md": b"---\npermalink: /x.html\n---\nHi", "b.md": b"---\npermalink: /x.html\n---\nHi"},
        "Conflict: The following destination is shared by multiple files. The written file may end up with "
        "unexpected contents. x.html - a.md - b.md",
    ),
    "style sheet": (
        {"index.md": b"---\n---\nHi", "css/a.scss": b'---\n---\n@warn "careful"; a { b: c }'},
        "WARNING: careful on line 1:7 of a.scss",
    ),
    "slug": (
        {"index.md": b"---\n---\n{{ '!' | slugify }}Hi"},
        "Warning: Empty `slug` generated for '!'.",
    ),
}


@pytest.mark.parametrize("name", SITES)
async def test_a_site_with_a_warning_is_built_and_has_it(builder, name):
    files, warning = SITES[name]
    built = await builder.build(files, DEFAULT_LIMITS)
    assert built.cause is BuildCause.BUILT, built.error
    assert any(b"Hi" in content for content in built.files.values())
    assert (built.warnings, built.left_out) == ((warning,), ())


async def test_a_continued_message_is_one_warning(builder):
    files = {
        "_config.yml": b'excerpt_separator: "<!-- more -->"\n',
        "_posts/2025-01-01-x.md": b"---\n---\n{% if true %}\na\n<!-- more -->\n{% endif %}",
    }
    (warning,) = (await builder.build(files, DEFAULT_LIMITS)).warnings
    assert warning.startswith("Warning: Excerpt modified in _posts/2025-01-01-x.md! Found a Liquid block")


async def test_an_error_that_ends_the_build_is_no_warning(builder):
    files = {"index.md": b"---\nlayout: none at all\n---\n{% nonsense %}", "a.md": BAD_YAML}
    built = await builder.build(files, DEFAULT_LIMITS)
    assert built.cause is BuildCause.FAILED
    assert "nonsense" in built.error.message
    assert built.warnings == (f"YAML Exception reading a.md: {REASON}",)


async def test_a_site_without_a_configuration_has_no_warning(builder):
    built = await builder.build({"index.md": b"---\n---\nHi"}, DEFAULT_LIMITS)
    assert (built.warnings, built.left_out) == ((), ())


async def test_many_warnings_are_bounded(builder):
    files = {f"p{number}.md": b"---\nlayout: gone\n---\nHi" for number in range(200)}
    built = await builder.build(files, DEFAULT_LIMITS)
    assert built.cause is BuildCause.BUILT, built.error
    assert len(built.warnings) == 20
