"""What ``needs_jekyll`` calls a plain site, Jekyll copies byte for byte."""

import itertools
import random
import string

import pytest

from i2s_chassis.limits import Limits
from i2s_chassis.renderer.bounds import check_names
from i2s_render_html.jekyll import BuildCause, needs_jekyll
from repetitions import some

pytestmark = [pytest.mark.integration, pytest.mark.asyncio(loop_scope="session")]

LIMITS = Limits()
CONTENTS = (
    b"",
    b"\n",
    b"<p>{{ page.title }}{% nope %}</p>",
    b"--\n",
    b"\xef\xbb\xbf---\na: b\n---\n",
    b"\n---\n---\nx",
    b" ---\n---\n",
    b"\r\n---\r\n",
    b"# Markdown *here*\n",
    b"$a: 1px; b { c: $a }",
    bytes(range(256)),
    b"\xff\xfe\x00-",
)
ENDINGS = ("", ".html", ".md", ".markdown", ".scss", ".sass", ".css", ".js", ".json", ".xml", ".png", ".yml")
STEMS = (
    "a", "a b", "a-b_c", "2024-01-01-post", "index", "ünïcode", "日本", "a+b", "a,b", "a@2x", "a(1)",
    "a&b", "a=b", "a!", "Posts", "assets", "CNAME", "favicon", "404", "a.b.c", "categories", "tags",
    "feed", "sitemap", "x y.z", "a:b", "a*b", "a?b", "a[b]", "a{b}", "a'b", "a;b", "a$b", "a%41",
    "a~b", "a#b", "a..b", "a.", ".a", "_a", "~a", "#a", "a~", "Gemfile", "Gemfilex", "gemfiles",
    "node_modules", "vendor", "vendor/cache", "vendor/cachex", "vendor/x", "x/node_modules",
    "x/Gemfile", "_posts", "x/_drafts", "a b/c d", "x/.y/z", "A", "é\u0301", "a\u00a0b", "x/...",
    "a. b", "-a", "(a)", "a.html.erb", "a.HTML", "con", "a\u2028b", "٣", "ß", "ﬁ",
)  # fmt: skip


def everything():
    """A file for every stem and ending that can lie in one folder together, contents in turn."""
    contents = itertools.cycle(CONTENTS)
    return possible({f"{stem}{ending}": next(contents) for stem in STEMS for ending in ENDINGS})


def possible(files):
    faulty = set()
    while fault := check_names(name for name in files if name not in faulty):
        faulty.add(fault.name)
    return {name: content for name, content in files.items() if name not in faulty}


def random_site(seed):
    random.seed(seed)
    letters = string.ascii_letters + string.digits + "-_. +()@ÄöЖ"
    files = {}
    for _ in range(random.randrange(1, 30)):
        parts = [
            "".join(random.choices(letters, k=random.randrange(1, 9))) for _ in range(random.randrange(1, 4))
        ]
        files["/".join(parts)] = random.choice(CONTENTS)
    return possible(files)


async def test_every_file_that_is_called_plain_is_copied(builder):
    plain = {name: content for name, content in everything().items() if not needs_jekyll({name: content})}
    assert len(plain) > 200
    built = await builder.build(plain, LIMITS)
    assert built.cause is BuildCause.BUILT, built.error
    assert built.files == plain


@pytest.mark.parametrize("seed", some(range(24), one_in=4, instead="every fourth one"))
async def test_a_site_that_is_called_plain_is_copied(builder, seed):
    files = {
        name: content for name, content in random_site(seed).items() if not needs_jekyll({name: content})
    }
    built = await builder.build({"index.html": b"<p>", **files}, LIMITS)
    assert built.cause is BuildCause.BUILT, built.error
    assert built.files == {"index.html": b"<p>", **files}


async def test_names_that_jekyll_leaves_out_are_not_called_plain(builder):
    files = dict.fromkeys(
        ("_a.html", ".a", "#a", "~a", "a~", "a.", "Gemfile-notes", "node_modules/x", "a..b"), b"x"
    )
    built = await builder.build({"index.html": b"", **files}, LIMITS)
    assert built.cause is BuildCause.BUILT, built.error
    changed = [name for name in files if name not in built.files]
    assert changed
    assert all(needs_jekyll({name: b"x"}) for name in changed)
