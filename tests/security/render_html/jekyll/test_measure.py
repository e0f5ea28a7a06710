"""Sites without end or measure against real Jekyll: the right limit, and nothing left behind.

After every attack an ordinary site gives the very bytes it gave before.
"""

import asyncio
from dataclasses import replace

import pytest

from hostile_sites import page
from i2s_render_html.jekyll import BuildCause

pytestmark = [pytest.mark.security, pytest.mark.asyncio(loop_scope="session")]

MIB = 1024 * 1024
BOMB = b"a: &a [x,x,x,x,x,x,x,x,x]\n" + b"".join(
    b"%c: &%c [%s]\n" % (c, c, b",".join([b"*%c" % (c - 1)] * 9)) for c in range(ord("b"), ord("k"))
)


@pytest.mark.parametrize(
    "files",
    [
        {"_data/d.yml": BOMB, "index.md": page("x")},
        {"_config.yml": b"x: 1\n" + BOMB, "index.md": page("x")},
        {"index.md": b"---\n" + BOMB + b"---\nx\n"},
    ],
)
async def test_a_yaml_bomb_that_is_not_shown_does_no_harm(attacked, files):
    built = await attacked.build(files)
    assert built.cause in (BuildCause.BUILT, BuildCause.TIME_LIMIT, BuildCause.MEMORY_LIMIT), built.error


@pytest.mark.parametrize(
    "shown", ["{{ site.data.d.j }}", "{{ site.data.d | jsonify }}", "{{ site.data.d | inspect }}"]
)
async def test_a_yaml_bomb_that_is_shown_runs_into_a_limit(attacked, shown):
    built = await attacked.build({"_data/d.yml": BOMB, "index.md": page(shown)})
    assert built.cause in (BuildCause.TIME_LIMIT, BuildCause.MEMORY_LIMIT)


@pytest.mark.parametrize(
    "yaml",
    [
        b"a: !ruby/object:OpenStruct {x: 1}\n",
        b"a: !ruby/object:Gem::Requirement {requirements: x}\n",
        b"a: !ruby/regexp /x/\n",
        b"a: !ruby/class File\n",
        b"--- !ruby/hash:Jekyll::Configuration\na: b\n",
        b"a: !!python/object/apply:os.system [id]\n",
    ],
)
async def test_yaml_makes_no_objects(attacked, yaml):
    built = await attacked.build({"_data/d.yml": yaml, "index.md": page("{{ site.data.d | jsonify }}")})
    assert built.cause in (BuildCause.BUILT, BuildCause.FAILED)
    assert b"#<" not in (built.files or {}).get("index.html", b"")


LOOP = "{% for i in (1..99999999) %}{% for j in (1..99999999) %}{% endfor %}{% endfor %}"
DOUBLING = "{% assign x = 'xxxxxxxx' %}{% for i in (1..40) %}{% assign x = x | append: x %}{% endfor %}"


@pytest.mark.parametrize(
    ("text", "causes"),
    [
        (LOOP, {BuildCause.TIME_LIMIT, BuildCause.MEMORY_LIMIT}),
        (
            "{% for i in (1..2000000) %}" * 3 + "{% endfor %}" * 3,
            {BuildCause.TIME_LIMIT, BuildCause.MEMORY_LIMIT},
        ),
        (DOUBLING, {BuildCause.MEMORY_LIMIT}),
        (DOUBLING.replace("40", "23") + "{{ x }}{{ x }}", {BuildCause.MEMORY_LIMIT, BuildCause.OUTPUT_LIMIT}),
        ("{% if true %}" * 200_000, {BuildCause.FAILED, BuildCause.TIME_LIMIT}),
        ("(" * 100_000, {BuildCause.BUILT, BuildCause.TIME_LIMIT}),
        ("[" * 50_000, {BuildCause.BUILT, BuildCause.FAILED, BuildCause.TIME_LIMIT, BuildCause.MEMORY_LIMIT}),
        (
            "> " * 20_000 + "x",
            {BuildCause.BUILT, BuildCause.FAILED, BuildCause.TIME_LIMIT, BuildCause.MEMORY_LIMIT},
        ),
    ],
)
async def test_liquid_and_markdown_without_end_run_into_a_limit(attacked, text, causes):
    built = await attacked.build({"index.md": page(text)})
    assert built.cause in causes, built.error
    assert built.error is None or built.error.message


async def test_an_include_of_itself_is_refused(attacked):
    built = await attacked.build(
        {"index.md": page("{% include a.html %}"), "_includes/a.html": b"{% include a.html %}"}
    )
    assert built.cause is BuildCause.FAILED
    assert built.error.message


async def test_a_layout_of_itself_ends(attacked):
    built = await attacked.build(
        {"index.md": page("x", layout="a"), "_layouts/a.html": page("{{ content }}", layout="a")}
    )
    assert built.cause in (BuildCause.BUILT, BuildCause.TIME_LIMIT, BuildCause.MEMORY_LIMIT)


async def test_sass_without_end_runs_into_a_limit(attacked):
    built = await attacked.build({"s.scss": page("@while true { a { b: c } }")})
    assert built.cause in (BuildCause.TIME_LIMIT, BuildCause.MEMORY_LIMIT, BuildCause.CRASHED)


async def test_a_page_larger_than_a_file_may_be_is_an_output_limit(attacked):
    limits = replace(attacked.limits, file_bytes=1 * MIB)
    built = await attacked.build({"index.md": page(DOUBLING.replace("40", "18") + "{{ x }}")}, limits)
    assert built.cause is BuildCause.OUTPUT_LIMIT


async def test_more_files_than_the_cell_holds_are_an_output_limit(attacked):
    files = {f"p/{number}.md": page("x") for number in range(1500)}
    assert (await attacked.build(files)).cause is BuildCause.OUTPUT_LIMIT
    files = {f"p/{number}.md": b"x" for number in range(2500)}
    assert (await attacked.build(files)).cause is BuildCause.OUTPUT_LIMIT


async def test_a_site_larger_than_the_disk_is_an_output_limit(attacked):
    limits = replace(attacked.limits, disk_bytes=8 * MIB)
    content = bytes(1 * MIB)
    assert (
        await attacked.build({f"{n}.bin": content for n in range(9)}, limits)
    ).cause is BuildCause.OUTPUT_LIMIT
    files = {f"{n}.bin": content for n in range(5)}
    assert (await attacked.build({**files, "i.md": page("x")}, limits)).cause is BuildCause.OUTPUT_LIMIT


async def test_a_flood_of_messages_is_cut(attacked):
    files = {
        f"{n}.md": page("{{ 'x' | nope_" + "y" * 500 + " }}{% for i in %}{% endfor %}") for n in range(300)
    }
    built = await attacked.build(files)
    assert len(built.log.whole) <= attacked.limits.log_bytes + 100


async def test_a_cancelled_build_leaves_nothing(attacked):
    task = asyncio.create_task(attacked.builder.build({"index.md": page(LOOP)}, attacked.limits))
    await asyncio.sleep(0.3)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await attacked.nothing_is_left()
