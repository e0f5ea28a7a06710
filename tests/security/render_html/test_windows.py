"""Pages that try to change the window: the image has the size that was asked for, whatever they do."""

import pytest
import pytest_asyncio

from i2s_render_html.model import Options
from i2s_wire.render.rendering import Verdict

pytestmark = [pytest.mark.security, pytest.mark.asyncio(loop_scope="session")]

BODY = "<body style='margin:0;background:linear-gradient(90deg,teal,plum)'><p id=p>-</p>"
SIZE = "p.textContent = [innerWidth, innerHeight, devicePixelRatio].join(' ')"

SCRIPTS = {
    "resizeTo": "resizeTo(300, 200)",
    "resizeTo at the load event": "addEventListener('load', () => resizeTo(300, 200))",
    "resizeTo later": "setTimeout(() => resizeTo(300, 200), 50)",
    "resizeTo without end": "setInterval(() => resizeTo(300, 200), 10); "
    "(function again() { resizeTo(310, 210); requestAnimationFrame(again) })()",
    "resizeTo while it is resized": "addEventListener('resize', () => resizeTo(300, 200)); "
    "resizeTo(310, 200)",
    "resizeTo of a large window": "resizeTo(9000, 9000)",
    "resizeBy": "resizeBy(-900, -800)",
    "moveTo": "moveTo(500, 500)",
    "moveBy": "moveBy(50, 50)",
    "moveTo and resizeTo": "moveTo(-50, 10); resizeTo(300, 200)",
    "full screen": "document.documentElement.requestFullscreen().catch(() => 0)",
    "a popup that resizes its opener": "const popup = open('about:blank', '', 'width=300,height=200');"
    "if (popup) { popup.eval('opener.resizeTo(300, 200)'); popup.resizeTo(90, 90) }",
    "a popup over itself": "open(location.href + '#x', '_self', 'width=300,height=200'); resizeTo(300, 200)",
    "a frame that resizes its parent": "const frame = document.createElement('iframe');"
    "frame.srcdoc = '<script>parent.resizeTo(300, 200); top.moveTo(9, 9)</' + 'script>'; "
    "document.body.append(frame)",
    "printing": "print()",
    "after a navigation": "if (!location.hash) { resizeTo(300, 200); "
    "location.href = 'index.html#x'; location.reload() }",
    "document picture in picture": "globalThis.documentPictureInPicture?.requestWindow({width: 90, "
    "height: 90})"
    ".catch(() => 0)",
}
METAS = {
    "a narrow viewport": "<meta name=viewport content='width=300, initial-scale=1'>",
    "a scaled viewport": "<meta name=viewport content='width=device-width, initial-scale=4, "
    "maximum-scale=4'>",
    "a css viewport": "<style>@viewport { width: 300px } @page { size: 300px 200px }</style>",
    "zoom": "<style>html { zoom: 3 }</style>",
}
WINDOWS = {"the default": Options(), "another": Options(width=800, height=600, device_scale=1.5)}


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def plain_pictures(attacked):
    """The page in each window without any script."""
    shown = {name: await attacked.show(BODY, options=options) for name, options in WINDOWS.items()}
    return {name: rendering.picture.png for name, rendering in shown.items()}


@pytest.mark.parametrize("window", WINDOWS)
@pytest.mark.parametrize("attack", SCRIPTS)
async def test_a_script_does_not_change_the_picture(attacked, plain_pictures, attack, window):
    options = WINDOWS[window]
    rendering = await attacked.show(f"{BODY}<script>{SCRIPTS[attack]}</script>", options=options)
    assert rendering.verdict in {Verdict.RENDERED, Verdict.RENDERED_WITH_ERRORS}, rendering.message
    if "frame" not in attack:
        assert rendering.picture.png == plain_pictures[window]
    wanted = round(options.width * options.device_scale), round(options.height * options.device_scale)
    assert (rendering.picture.width, rendering.picture.height) == wanted


@pytest.mark.parametrize("attack", METAS)
async def test_a_page_does_not_change_its_window(attacked, attack):
    rendering = await attacked.show(METAS[attack] + BODY)
    assert (rendering.picture.width, rendering.picture.height) == (1920, 1080)


# Where a page could find a resizeTo that nobody has replaced.
FRESH = {
    "its own": "const fresh = window",
    "of an empty frame": "const frame = document.createElement('iframe'); document.body.append(frame);"
    "const fresh = frame.contentWindow",
    "of a frame in an unconnected tree": "const host = document.createElement('div'); "
    "document.body.append(host);"
    "const frame = document.createElement('iframe'); host.attachShadow({mode: 'closed'}).append(frame);"
    "const fresh = frame.contentWindow",
    "of a frame with a text": "const frame = document.createElement('iframe'); frame.srcdoc = '<p>';"
    "document.body.append(frame); const fresh = frame.contentWindow",
    "of a frame with a script URL": "const frame = document.createElement('iframe'); "
    "frame.src = 'javascript:0';"
    "document.body.append(frame); const fresh = frame.contentWindow",
    "of an object": "const frame = document.createElement('object'); frame.data = 'about:blank';"
    "document.body.append(frame); const fresh = frame.contentWindow || window",
    "of frames by number": "document.body.insertAdjacentHTML('beforeend', '<iframe></iframe>');"
    "const fresh = frames[0]",
    "of a popup": "const fresh = open('about:blank') || window",
    "deleted": "delete window.resizeTo; const fresh = window",
}


@pytest.mark.parametrize("where", FRESH)
async def test_a_full_page_is_laid_out_in_the_window_that_was_asked_for(attacked, where):
    options = Options(width=700, height=500, full_page=True)
    page = f"{BODY}<div style='height:900px'></div><script>{FRESH[where]};\n"
    page += "globalThis.native = fresh.resizeTo;\n"
    plain = await attacked.show(f"{page}</script>", options=options)
    attack = "if (native) addEventListener('resize', () => native.call(window, 300, 200));"
    rendering = await attacked.show(f"{page}{attack}</script>", options=options)
    assert rendering.picture.png == plain.picture.png


@pytest.mark.parametrize("attack", ["resizeTo", "resizeBy", "moveTo", "resizeTo later"])
async def test_the_page_sees_the_window_that_was_asked_for(attacked, attack):
    page = f"{BODY}<script>{SCRIPTS[attack]}; setTimeout(() => {{ {SIZE} }}, 400)</script>"
    rendering = await attacked.show(page, options=Options(width=800, height=600, want_text=True))
    assert rendering.site.text.strip() == "800 600 1"


async def test_the_next_page_has_its_own_window(attacked):
    await attacked.show(f"{BODY}<script>resizeTo(300, 200); moveTo(400, 400)</script>")
    rendering = await attacked.show(BODY)
    assert (rendering.picture.width, rendering.picture.height) == (1920, 1080)
