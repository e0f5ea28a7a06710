"""Hostile Typst documents against the real engine: the right verdict, nothing read or left behind.

Each is compiled warm and cold, with the same result; then a good document has the bytes of before.
"""

from __future__ import annotations

import base64

import pytest
import pytest_asyncio

from i2s_chassis.jail import PolicyKind
from i2s_render_typst.settings import TypstSettings
from i2s_wire.render.rendering import Verdict
from worker_attacked import TIERS, attacked

pytestmark = [pytest.mark.security, pytest.mark.asyncio(loop_scope="session")]

GOOD = "= Good\n$ sum_(i=0)^n x_i $"
#: A module of WebAssembly whose function runs for ever: (func (export "f") (loop br 0)).
SPIN = base64.b64decode("AGFzbQEAAAABBQFgAAF/AwIBAAUDAQABBw4CBm1lbW9yeQIAAWYAAAoLAQkAA0AMAAtBAAs=")
_LINKED = "<svg xmlns='http://www.w3.org/2000/svg' width='9'><image href='{}' width='9' height='9'/></svg>"

#: Documents that name what is not with them, and the kind of the event.
REFUSED = {
    "reads a file of the host": ('#read("SECRETFILE")', PolicyKind.FILE_READ),
    "reads a file of the system": ('#read("/etc/passwd")', PolicyKind.FILE_READ),
    "reads a file above its folder": ('#read("../../../../etc/passwd")', PolicyKind.FILE_READ),
    "shows an image of the system": (
        '#image("/../../usr/share/pixmaps/debian-logo.png")',
        PolicyKind.FILE_READ,
    ),
    "includes a document of the host": ('#include "SECRETFILE"', PolicyKind.FILE_READ),
    "shows an image of the network": ('#image("http://127.0.0.1:CANARYPORT/x.png")', PolicyKind.FILE_READ),
    "shows an image that names a file of the system": (
        f'#image(bytes("{_LINKED.format("/etc/passwd")}"), format: "svg")',
        PolicyKind.FILE_READ,
    ),
    "shows an image that names an address": (
        f'#image(bytes("{_LINKED.format("http://127.0.0.1:CANARYPORT/x.png")}"), format: "svg")',
        PolicyKind.NETWORK,
    ),
    "reads the job of the service": ('#read(".i2s/job.json")', PolicyKind.FILE_READ),
    "imports a package through a variable": (
        '#let p = "@preview/cetz-plot:0.1.1"\n#import p: *',
        PolicyKind.NETWORK,
    ),
    "imports a package": ('#import "@preview/cetz:0.3.0": canvas', PolicyKind.NETWORK),
    "imports a package of this machine": ('#import "@local/mine:1.0.0": *', PolicyKind.NETWORK),
}

VERDICTS = {
    "loops": ("#while true {}", {Verdict.COMPILE_ERROR}),
    "loops in loops": ("#for i in range(100000) { for j in range(100000) {} }", {Verdict.TIME_LIMIT}),
    "calls itself": ("#let f(n) = f(n + 1)\n#f(0)", {Verdict.COMPILE_ERROR}),
    "doubles a text": ('#let s = "abcdefgh"\n#for i in range(60) { s = s + s }', {Verdict.MEMORY_LIMIT}),
    "shows itself": ("#show heading: it => [= x]\n= y", {Verdict.COMPILE_ERROR}),
    "never settles": (
        "#context { let n = counter(page).final().first(); for i in range(n) { pagebreak() } }",
        {Verdict.NO_OUTPUT},
    ),
    "has pages without end": ("#for i in range(400) [x #pagebreak()]", {Verdict.PAGE_LIMIT}),
    "has a page as large as a house": ("#set page(width: 900cm, height: 900cm)\nx", {Verdict.PIXEL_LIMIT}),
    "has a page without end": (
        "#set page(height: auto)\n#for i in range(4000) [x\\ ]",
        {Verdict.PIXEL_LIMIT},
    ),
    "says nothing": ("#let x = 1", {Verdict.NO_OUTPUT}),
}


@pytest_asyncio.fixture(scope="module", loop_scope="session", params=TIERS)
async def under_attack(request):
    async with attacked(TypstSettings, "typst", GOOD, request.param) as found:
        yield found


@pytest.mark.parametrize("name", REFUSED)
async def test_what_is_not_with_a_document_is_refused_and_named(under_attack, name):
    text, kind = REFUSED[name]
    drawn = await under_attack.run(text)
    assert drawn.verdict is Verdict.COMPILE_ERROR, drawn.message
    assert [event.kind for event in drawn.events] == [kind]


@pytest.mark.parametrize("name", VERDICTS)
async def test_the_verdict_of_an_attack_is_right(under_attack, name):
    text, verdicts = VERDICTS[name]
    drawn = await under_attack.run(text)
    assert drawn.verdict in verdicts, drawn.message


async def test_a_plugin_that_runs_for_ever_reaches_the_limit_on_time(under_attack):
    text = '#let p = plugin("spin.wasm")\n#p.f()'
    drawn = await under_attack.run(text, files={"spin.wasm": SPIN})
    assert drawn.verdict is Verdict.TIME_LIMIT, drawn.message
