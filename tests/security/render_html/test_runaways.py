"""Pages without end: each gets its verdict, its browser lives or is replaced, the next page is as before."""

from dataclasses import replace

import pytest

from i2s_chassis.limits import Limits
from i2s_render_html.model import Options
from i2s_wire.render.rendering import Verdict
from i2s_wire.render.request import File

pytestmark = [pytest.mark.security, pytest.mark.asyncio(loop_scope="session")]

SHORT = Limits(
    cpu_seconds=1.0, wall_seconds=8.0, memory_bytes=1200 << 20, processes=400, disk_bytes=512 << 20
)
#: Limits for pages that cost much and are to be shown, on slow machines too.
AMPLE = replace(SHORT, cpu_seconds=60.0, wall_seconds=120.0)
SHOWN = (Verdict.RENDERED, Verdict.RENDERED_WITH_ERRORS)


@pytest.mark.parametrize(
    "page",
    [
        "<script>for (;;);</script>",
        "<p>x<script>onload = () => { for (;;); }</script>",
        "<p>x<script>setTimeout(() => { for (;;); }, 10)</script>",
        "<script>for (;;) document.write('x')</script>",
        "<script>const f = () => Promise.resolve().then(f); f()</script>",
        pytest.param(
            "<script>for (;;) document.documentElement.append('x'.repeat(1e4))</script>",
            marks=pytest.mark.racing("memory and CPU time grow together, and either limit may be met"),
        ),
        "<p id=p><script>for (;;) { p.innerHTML += '<b>x</b>'; p.offsetTop }</script>",
        "<script>/(a+)+$/.test('a'.repeat(60) + 'b')</script>",
        "<script>for (;;) { const x = new XMLHttpRequest(); x.open('GET', '/', false); x.send() }</script>",
    ],
)
async def test_a_script_without_end_is_a_time_limit(attacked, page):
    rendering = await attacked.show(page, limits=SHORT)
    assert rendering.verdict in (Verdict.TIME_LIMIT, Verdict.MEMORY_LIMIT), rendering.message
    assert rendering.usage.cpu_seconds > 0


async def test_dialogs_without_end_are_a_time_limit(attacked, event_details):
    rendering = await attacked.show("<script>for (;;) alert(1)</script>", limits=SHORT)
    assert rendering.verdict is Verdict.TIME_LIMIT
    assert "dialog: alert" in event_details(rendering, "BROWSER_FEATURE")


async def test_some_dialogs_are_dismissed(attacked, event_details):
    page = "<p id=p><script>alert(1); p.textContent = [confirm('?'), prompt('?')].join()</script>"
    rendering = await attacked.show(page)
    assert (rendering.verdict, rendering.site.text) == (Verdict.RENDERED, "false,")
    assert "dialog: prompt" in event_details(rendering, "BROWSER_FEATURE")


@pytest.mark.parametrize(
    "script",
    [
        "const a = []; for (;;) a.push(new Uint8Array(1 << 28).fill(1))",
        pytest.param(
            "const a = []; for (;;) a.push(new Array(1e6).fill().map(() => ({})))",
            marks=pytest.mark.racing("it uses up memory and CPU time at about the same time"),
        ),
    ],
)
async def test_memory_without_end_is_a_limit_or_a_crash(attacked, script):
    rendering = await attacked.show(f"<script>{script}</script>")
    assert rendering.verdict in (Verdict.MEMORY_LIMIT, Verdict.CRASHED, Verdict.TIME_LIMIT, *SHOWN)
    assert rendering.verdict not in SHOWN or rendering.error is not None


async def test_fifty_popups_do_not_appear(attacked):
    page = "<p>x</p><script>for (let i = 0; i < 50; i++) open('/?' + i)</script>"
    rendering = await attacked.show(page, limits=AMPLE)  # 3.4 CPU seconds on a fast machine
    assert (rendering.verdict, rendering.site.text) == (Verdict.RENDERED, "x")


async def test_spinning_workers_end_with_their_page(attacked):
    page = """<script>const url = URL.createObjectURL(new Blob(['for (;;);']));
        for (let i = 0; i < 8; i++) new Worker(url);</script><p>x"""
    rendering = await attacked.show(page, limits=AMPLE)  # they compute for as long as the page is being shown
    assert rendering.verdict is Verdict.RENDERED


async def test_thousands_of_workers_are_a_limit(attacked):
    page = """<p>x<script>const url = URL.createObjectURL(new Blob(['setInterval(() => 0, 1000)']));
        for (let i = 0; i < 1000; i++) new Worker(url);</script>"""
    rendering = await attacked.show(page, limits=SHORT)
    assert rendering.verdict in (
        Verdict.PROCESS_LIMIT,
        Verdict.TIME_LIMIT,
        Verdict.MEMORY_LIMIT,
        Verdict.CRASHED,
    )


async def test_a_huge_canvas_is_shown_empty_or_refused(attacked):
    page = (
        "<canvas id=c width=32000 height=32000></canvas><script>c.getContext('2d').fillRect(0,0,9,9)</script>"
    )
    rendering = await attacked.show(page)
    assert rendering.verdict in (*SHOWN, Verdict.MEMORY_LIMIT, Verdict.CRASHED)


async def test_a_huge_page_is_a_pixel_limit_before_it_is_drawn(attacked):
    page = "<div style='width:30000px;height:9000000px;background:red'>x</div>"
    rendering = await attacked.show(page, options=Options(full_page=True))
    assert (rendering.verdict, rendering.picture) == (Verdict.PIXEL_LIMIT, None)


async def test_an_entity_bomb_ends(attacked):
    levels = "".join(f'<!ENTITY x{n} "{f"&x{n - 1};" * 10}">' for n in range(1, 10))
    bomb = f'<!DOCTYPE svg [<!ENTITY x0 "lol">{levels}]><svg xmlns="http://www.w3.org/2000/svg"><text>&x9;</text></svg>'
    files = (File("x.svg", bomb.encode()),)
    rendering = await attacked.show(
        "<p>y</p><iframe src=x.svg></iframe><img src=x.svg>", files=files, limits=SHORT
    )
    assert rendering.verdict in (*SHOWN, Verdict.TIME_LIMIT)


@pytest.mark.parametrize(
    "script",
    [
        "onload = () => location.reload()",
        "location = '/?' + Math.random()",
        "onload = () => { location = '/?' + Date.now() }",
        "document.write('<meta http-equiv=refresh content=0>')",
    ],
)
async def test_reloads_without_end_stop(attacked, event_details, script):
    rendering = await attacked.show(f"<p>x</p><script>{script}</script>")
    assert rendering.verdict is Verdict.RENDERED, rendering.message
    assert "more than 10 navigations" in event_details(rendering, "BROWSER_FEATURE")


async def test_frames_in_frames_without_end_stop(attacked):
    page = "<p>x</p><iframe src=/?a></iframe><iframe src=/?b></iframe>"
    rendering = await attacked.show(page, limits=AMPLE)  # about a CPU second on a fast machine
    assert rendering.verdict is Verdict.RENDERED


async def test_a_flood_of_messages_is_bounded(attacked):
    page = "<p>x</p><script>for (let i = 0; i < 2e6; i++) console.log('flood '.repeat(100))</script>"
    rendering = await attacked.show(page)
    assert rendering.verdict is Verdict.RENDERED
    assert len(rendering.site.console) == 100


async def test_downloads_are_refused(attacked, event_details):
    page = """<p>x</p><a id=a download=evil.sh href='data:text/plain,rm'>a</a>
        <script>onload = () => a.click()</script><iframe src=x.zip></iframe>"""
    rendering = await attacked.show(page, files=(File("x.zip", b"PK\3\4" * 100),))
    assert rendering.verdict is Verdict.RENDERED
    assert "download" in event_details(rendering, "BROWSER_FEATURE")


@pytest.mark.parametrize("address", ["chrome://crash", "chrome://kill", "chrome://hang"])
async def test_a_page_cannot_crash_the_browser_by_address(attacked, address):
    rendering = await attacked.show(f"<p>x</p><script>location = '{address}'</script>")
    assert rendering.site.text == "x"


async def test_a_page_that_breaks_what_we_read_is_still_shown(attacked):
    page = """<title>t</title><form name=body></form><img name=fonts><form name=images></form><p>x</p><script>
        for (const name of ['getAnimations', 'querySelectorAll', 'fonts', 'readyState', 'title'])
            Object.defineProperty(document, name, { get() { throw 1 } });
        Object.defineProperty(HTMLElement.prototype, 'innerText', { get: () => 'faked' });
        globalThis.__i2s_clock_advance = null; setInterval = setTimeout = null;
        Promise.prototype.then = () => { throw 1 }; JSON.stringify = () => '{}';</script>"""
    rendering = await attacked.show(page)
    assert rendering.verdict in SHOWN
    assert "faked" not in rendering.site.text


async def test_after_all_of_that_one_browser_is_left(attacked):
    rendering = await attacked.show("<p>x")
    assert rendering.verdict is Verdict.RENDERED
    left = await attacked.browsers_left()
    assert left is None or len(left) <= 4, left  # browser, Jekyll, and the processes that wait for them
