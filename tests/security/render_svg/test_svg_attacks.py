"""Hostile SVG images against the real engine: the right verdict, named, nothing read or left behind.

Each is drawn warm and cold, with the same result; after it a good image has the bytes that it had before.
"""

from __future__ import annotations

import base64
import gzip
import io

import pytest
import pytest_asyncio
from PIL import Image

from i2s_chassis.jail import PolicyKind
from i2s_render_svg.settings import SvgSettings
from i2s_wire.render.rendering import Verdict
from worker_attacked import TIERS, attacked

pytestmark = [pytest.mark.security, pytest.mark.asyncio(loop_scope="session")]

NAMESPACES = 'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"'
RECT = '<rect width="9" height="9" fill="teal"/>'


def svg(body, before="", size='width="40" height="30"'):
    return f"{before}<svg {NAMESPACES} {size}>{RECT}{body}</svg>"


def data(content, kind="image/png"):
    return f"data:{kind};base64,{base64.b64encode(content).decode()}"


def png(width, height, colour=255):
    file = io.BytesIO()
    Image.new("L", (width, height), colour).save(file, "PNG")
    return file.getvalue()


GOOD = svg('<text y="20" font-family="Arial">Good</text>')
LOL = '<!DOCTYPE svg [<!ENTITY a0 "xxxxxxxxxx">' + "".join(
    f'<!ENTITY a{at} "{f"&a{at - 1};" * 10}">' for at in range(1, 12)
)

#: Images that are drawn without what they must not have, and the events that name it.
LEFT_OUT = {
    "a script": ("<script>for(;;);</script>", [PolicyKind.EXECUTE]),
    "a script from the network": (
        '<script href="http://127.0.0.1:CANARYPORT/x.js"/>',
        [PolicyKind.EXECUTE, PolicyKind.NETWORK],
    ),
    "handlers of events": ('<g onload="x()" onclick="y()"/>', [PolicyKind.EXECUTE, PolicyKind.EXECUTE]),
    "an image of the network": (
        '<image href="http://127.0.0.1:CANARYPORT/x.png" width="9" height="9"/>',
        [PolicyKind.NETWORK],
    ),
    "an image of the network by xlink": (
        '<image xlink:href="//127.0.0.1:CANARYPORT/x.png" width="9" height="9"/>',
        [PolicyKind.NETWORK],
    ),
    "an image of the host": ('<image href="SECRETFILE" width="9" height="9"/>', [PolicyKind.FILE_READ]),
    "an image of the system": (
        '<image href="/usr/share/pixmaps/debian-logo.png" width="9" height="9"/>',
        [PolicyKind.FILE_READ],
    ),
    "a path in character references": (
        '<image href="&#x2f;usr/share/pixmaps/debian-logo.png" width="9" height="9"/>',
        [PolicyKind.FILE_READ],
    ),
    "a path out of the folder": (
        '<image href="../../../usr/share/pixmaps/debian-logo.png" width="9" height="9"/>',
        [PolicyKind.FILE_READ],
    ),
    "a path that is too long for a file": (
        f'<image href="{"A" * 300}" width="9" height="9"/>',
        [PolicyKind.FILE_READ],
    ),
    "paint by a path that is too long for a file": (
        f'<rect x="99" fill="url({"A" * 300})" width="9" height="9"/>',
        [PolicyKind.FILE_READ],
    ),
    "the job of the service": ('<image href=".i2s/job.json" width="9" height="9"/>', [PolicyKind.FILE_READ]),
    "an address of a file": (
        '<image href="file:///etc/passwd" width="9" height="9"/>',
        [PolicyKind.FILE_READ],
    ),
    "a filter with an image of the host": (
        '<filter id="f"><feImage href="SECRETFILE"/></filter><rect filter="url(#f)" width="9" height="9"/>',
        [PolicyKind.FILE_READ],
    ),
    "a part of another file": ('<use href="/etc/passwd#x"/>', [PolicyKind.FILE_READ]),
    "a font of an address": (
        "<style>@font-face { font-family: x; src: url(http://127.0.0.1:CANARYPORT/x.ttf) }</style>"
        '<text y="20" font-family="x">x</text>',
        [PolicyKind.NETWORK],
    ),
    "a style sheet of an address": (
        '<style>@import "http://127.0.0.1:CANARYPORT/x.css";</style>',
        [PolicyKind.NETWORK],
    ),
    "a style sheet of an address in its other form": (
        "<style>@import url(http://127.0.0.1:CANARYPORT/x.css);</style>",
        [PolicyKind.NETWORK],
    ),
    "an image beside entities of markup": (
        "<g>&lt;</g><image xlink:href='/etc/passwd' href=\"http://127.0.0.1:CANARYPORT\" width='9'/>",
        [PolicyKind.FILE_READ, PolicyKind.NETWORK],
    ),
    "paint of another file": (
        '<rect x="99" fill="url(/etc/passwd#x)" width="9" height="9"/>',
        [PolicyKind.FILE_READ],
    ),
    "a part of a page": (
        '<foreignObject width="9" height="9"><p xmlns="http://www.w3.org/1999/xhtml">x</p></foreignObject>',
        [PolicyKind.BROWSER_FEATURE],
    ),
    "what uses itself": ('<g id="a"><use href="#a"/></g>', [PolicyKind.BROWSER_FEATURE]),
}

#: Images that have no image, or use up a limit.
VERDICTS = {
    "entities that multiply": (
        svg("<text>&a11;</text>", before=f"{LOL}]>"),
        {Verdict.COMPILE_ERROR},
    ),
    "an entity that holds itself": (
        svg("<text>&a;</text>", before='<!DOCTYPE svg [<!ENTITY a "&b;"><!ENTITY b "&a;">]>'),
        {Verdict.COMPILE_ERROR},
    ),
    "an entity of the host": (
        svg("<text>&e;</text>", before='<!DOCTYPE svg [<!ENTITY e SYSTEM "SECRETFILE">]>'),
        {Verdict.COMPILE_ERROR},
    ),
    "what uses itself by another": (
        svg('<g id="a"><use href="#b"/></g><g id="b"><use href="#a"/></g>'),
        {Verdict.COMPILE_ERROR},
    ),
    "a huge canvas": (svg("", size='width="1e5" height="1e5"'), {Verdict.PIXEL_LIMIT}),
    "a huge canvas in inches": (svg("", size='width="9000in" height="9000in"'), {Verdict.PIXEL_LIMIT}),
    "a huge canvas by its content": (svg('<rect width="1e6" height="1e6"/>', size=""), {Verdict.PIXEL_LIMIT}),
    "a filter without end": (
        svg(
            '<filter id="f"><feTurbulence baseFrequency="0.9" numOctaves="100000"/></filter>'
            '<rect filter="url(#f)" width="2000" height="2000"/>',
            size='width="2000" height="2000"',
        ),
        {Verdict.TIME_LIMIT},
    ),
    "uses that multiply": (
        svg(
            '<g id="u0"><path d="M0 0h1v1z"/></g>'
            + "".join(f'<g id="u{at}">{f"""<use href="#u{at - 1}"/>""" * 10}</g>' for at in range(1, 9))
            + '<use href="#u8"/>'
        ),
        {Verdict.COMPILE_ERROR},
    ),
    "a compressed image": (gzip.compress(svg("").encode()).decode("latin-1"), {Verdict.COMPILE_ERROR}),
    "nothing of SVG": ("<html><p>x</p></html>", {Verdict.COMPILE_ERROR}),
    "elements without end": (svg("<g>" * 100_000 + "</g>" * 100_000), {Verdict.COMPILE_ERROR}),
}


@pytest_asyncio.fixture(scope="module", loop_scope="session", params=TIERS)
async def under_attack(request):
    async with attacked(SvgSettings, "svg", GOOD, request.param) as found:
        yield found


@pytest.mark.parametrize("name", LEFT_OUT)
async def test_what_an_image_must_not_have_is_left_out_and_named(under_attack, name):
    body, kinds = LEFT_OUT[name]
    drawn = await under_attack.run(svg(body))
    assert drawn.verdict is Verdict.RENDERED, drawn.message
    assert [event.kind for event in drawn.events] == kinds
    assert drawn.pictures[0].png == (await under_attack.run(svg(""))).pictures[0].png or "text" in body


@pytest.mark.parametrize("name", VERDICTS)
async def test_the_verdict_of_an_attack_is_right(under_attack, name):
    text, verdicts = VERDICTS[name]
    drawn = await under_attack.run(text)
    assert drawn.verdict in verdicts, drawn.message
    assert drawn.message


async def test_an_entity_cannot_hide_a_file(under_attack):
    hidden = svg(
        "&e;", before="<!DOCTYPE svg [<!ENTITY e \"<image href='red.png' width='9' height='9'/>\">]>"
    )
    drawn = await under_attack.run(hidden)
    assert [event.kind for event in drawn.events] == [PolicyKind.FILE_READ]
    beside = await under_attack.run(hidden, files={"red.png": png(4, 4, 0)})
    assert not beside.events
    assert beside.pictures[0].png != drawn.pictures[0].png


async def test_a_raster_image_within_is_drawn_and_one_that_is_too_large_reaches_a_limit(under_attack):
    small = await under_attack.run(svg(f'<image href="{data(png(4, 4, 0))}" width="9" height="9"/>'))
    assert small.verdict is Verdict.RENDERED
    bomb = await under_attack.run(svg(f'<image href="{data(png(20_000, 20_000))}" width="9" height="9"/>'))
    assert bomb.verdict is Verdict.MEMORY_LIMIT, bomb.message


async def test_an_image_within_an_image_reads_no_file(under_attack):
    inner = f'<svg {NAMESPACES} width="9" height="9"><image href="red.png" width="9" height="9"/></svg>'
    outer = svg(f'<image href="{data(inner.encode(), "image/svg+xml")}" width="9" height="9"/>')
    drawn = await under_attack.run(outer, files={"red.png": png(4, 4, 0)})
    assert drawn.verdict is Verdict.RENDERED
    assert drawn.pictures[0].png == (await under_attack.run(svg(""))).pictures[0].png
