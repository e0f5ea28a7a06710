"""A prepared process builds what the plain command builds, byte for byte."""

import asyncio
import os
import signal
from dataclasses import replace
from pathlib import Path

import pytest

from i2s_chassis.contract.below import below, busy
from i2s_chassis.limits import Limits
from i2s_render_html.jekyll import (
    BuildCause,
    JekyllBuilder,
    JekyllMissingError,
    JekyllSettings,
)
from i2s_render_html.jekyll.prepared_process import PreparedProcess
from repetitions import some

pytestmark = [pytest.mark.integration, pytest.mark.asyncio(loop_scope="session")]

LIMITS = Limits()
SITES = Path(__file__).parents[4] / "examples" / "sites"
EVERYTHING = {
    "_config.yml": b"title: All\ntheme: minima\nplugins: [jekyll-feed, jekyll-seo-tag]\npermalink: pretty\n"
    b"collections: {birds: {output: true}}\nsass: {sourcemap: never}\nurl: https://elsewhere.example\n",
    "index.md": b"---\nlayout: home\ntitle: Home\n---\n{{ 'now' | date: '%s' }} {{ site.time }}\n"
    b"{{ site.url }}{% for f in site.static_files %}{{ f.path }} {{ f.modified_time }}\n{% endfor %}",
    "about/index.md": b"---\nlayout: page\n---\n{% assign l = 'a,b,c,d,e' | split: ',' %}{{ l | sample }}\n",
    "zebra/index.md": b"---\n---\n{% for p in site.pages %}{{ p.url }} {% endfor %}\n\n"
    b"$$x^2$$\n\n* toc\n{:toc}\n\n# A\n",
    "_birds/wren.md": b"---\nname: Wren\n---\n```ruby\nputs 1\n```\n\n"
    b"{% highlight c linenos %}int x;{% endhighlight %}\n",
    "_birds/tit.md": b"---\nname: Tit\n---\n{{ page.name | upcase }}[^1]\n\n[^1]: note\n",
    "_posts/2024-02-03-a.md": b"---\ntags: [x, y]\n---\nOne \"quote\" -- two.\n\n|a|b|\n|-|-|\n|1|2|\n",
    "_posts/2024-02-04-b.md": b"---\ncategories: deep er\n---\n"
    b"{% post_url 2024-02-03-a %} {% link about/index.md %}\n",
    "_data/deep/tree.yml": b"a: {b: [1, 2, {c: d}]}\n",
    "_data/flat.json": b'[{"x": 1}]',
    "_includes/part.html": b"<i>{{ include.x }}</i>",
    "css/s.sass": b"---\n---\n$a: 3px\n.x\n  margin: $a * 2\n",
    "data.json": b"---\n---\n{{ site.data | jsonify }}{% include part.html x=1 %}",
    "picture.png": b"\x89PNG\r\n\x1a\n" + bytes(range(256)),
}  # fmt: skip


def site(name):
    return {
        p.relative_to(SITES / name).as_posix(): p.read_bytes()
        for p in sorted((SITES / name).rglob("*"))
        if p.is_file()
    }


@pytest.mark.parametrize(
    "name", some(sorted(path.name for path in SITES.iterdir()), one_in=3, instead="every third site")
)
async def test_an_example_site_is_built_as_by_the_plain_command(builder, cold, name):
    built = await builder.build(site(name), LIMITS)
    assert built.cause is BuildCause.BUILT, built.error
    assert built.files == cold(site(name))


async def test_a_site_with_everything_is_built_as_by_the_plain_command(builder, cold):
    built = await builder.build(EVERYTHING, LIMITS)
    assert built.cause is BuildCause.BUILT, built.error
    assert built.files == cold(EVERYTHING)
    assert b"http://localhost:4000" in built.files["index.html"]
    assert {"feed.xml", "assets/main.css"} <= set(built.files)  # of the plugin and of the theme


async def test_two_builds_at_once_do_not_meet(builder):
    several = await asyncio.gather(*(builder.build(EVERYTHING, LIMITS) for _ in range(3)))
    assert several[0].files == several[1].files == several[2].files
    assert all(one.warm for one in several)


async def test_other_limits_on_time_keep_the_prepared_process(builder):
    built = await builder.build({"i.md": b"---\n---\n"}, replace(LIMITS, cpu_seconds=3.0, wall_seconds=9.0))
    assert (built.cause, built.warm) == (BuildCause.BUILT, True)


async def test_other_limits_get_a_process_of_their_own_and_the_same_bytes(builder):
    built = await builder.build(EVERYTHING, replace(LIMITS, memory_bytes=300 * 1024 * 1024))
    assert (built.cause, built.warm) == (BuildCause.BUILT, False)
    assert built.files == (await builder.build(EVERYTHING, LIMITS)).files


async def test_usage_is_that_of_the_site_alone(builder):
    built = await builder.build({"i.md": b"---\n---\n"}, LIMITS)
    assert 0 < built.usage.cpu_seconds < 0.2  # loading Jekyll alone costs more
    assert built.usage.peak_memory_bytes > 10 * 1024 * 1024


@pytest.mark.parametrize(
    ("files", "file", "line", "words"),
    [
        ({"i.md": b"---\n---\n\n{% nope %}"}, "i.md", 4, "Unknown tag 'nope'"),
        ({"i.md": b"---\n---\n{% include no.html %}"}, "i.md", None, "no.html"),
        ({"_config.yml": b"a: [\n", "i.md": b"---\n---\n"}, "_config.yml", 2, "line 2"),
        ({"a/s.scss": b"---\n---\n\nb { c: \n"}, "a/s.scss", 4, "Invalid CSS"),
        ({"_data/d.yml": b"a: b: c\n", "i.md": b"---\n---\n"}, "_data/d.yml", 1, "not allowed"),
        ({"_config.yml": b"theme: no-such-theme\n", "i.md": b"---\n---\n"}, "", None, "no-such-theme"),
        ({"_config.yml": b"- a list\n", "i.md": b"---\n---\n{% nope %}"}, "i.md", 3, "nope"),
        ({"_config.yml": b"time: never\n", "i.md": b"---\n---\n"}, "", None, "Invalid time"),
        ({"i.md": b"---\nlayout: l\n---\n", "_layouts/l.html": b"{% if %}"}, "_layouts/l.html", 1, "if"),
    ],
)  # fmt: skip
async def test_a_refusal_names_file_and_line(builder, files, file, line, words):
    built = await builder.build(files, LIMITS)
    assert (built.cause, built.files) == (BuildCause.FAILED, None)
    assert words in built.error.message
    assert (built.error.file, built.error.line) == (file, line)


async def test_ruby_that_is_missing_is_said_at_the_start(jail):
    builder = JekyllBuilder(jail, JekyllSettings(ruby="no-such-ruby"))
    with pytest.raises(JekyllMissingError, match="no-such-ruby"):
        await builder.open()


async def test_a_program_that_never_gets_ready_is_said_at_the_start(jail):
    builder = JekyllBuilder(jail, JekyllSettings(ruby="cat", start_seconds=5.0))
    with pytest.raises(JekyllMissingError):
        await builder.open()


async def test_a_supervisor_that_is_killed_while_jekyll_loads_does_not_end_the_start(jail):
    own = {one.pid for one in below(os.getpid())}
    builder = JekyllBuilder(jail, JekyllSettings(processes=1))
    opening = asyncio.create_task(builder.open())
    loading = await busy(os.getpid(), lambda one: "build_site.rb" in one.command and one.pid not in own, 0.05)
    supervisor = Path(f"/proc/{loading.pid}/stat").read_text().rpartition(")")[2].split()[1]
    os.kill(int(supervisor), signal.SIGKILL)
    await opening
    try:
        assert (await builder.build({"i.md": b"---\n---\n"}, LIMITS)).cause is BuildCause.BUILT
    finally:
        await builder.close()


async def test_a_process_that_waited_too_long_is_replaced(jail):
    told = []
    settings = JekyllSettings(processes=1, idle_seconds=0.0)
    process = await PreparedProcess.prepare(jail, settings, settings.limits)
    assert not process.alive
    await process.close()
    async with JekyllBuilder(jail, JekyllSettings(processes=1), on_recycle=told.append) as builder:
        for _ in range(2):
            await builder.build({"i.md": b"---\n---\nx"}, LIMITS)
    assert told == ["jobs", "jobs"]
