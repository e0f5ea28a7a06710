"""Pages that reach for networks and for files of the host: nothing is reached, and it is reported."""

import pytest

from i2s_wire.render.rendering import Verdict
from i2s_wire.render.request import File

pytestmark = [pytest.mark.security, pytest.mark.asyncio(loop_scope="session")]

# Ways to write 127.0.0.1, and addresses that mean something to a host.
PLACES = [
    "http://127.0.0.1:PORT/",
    "http://localhost:PORT/",
    "http://0x7f000001:PORT/",
    "http://2130706433:PORT/",
    "http://0177.0.0.1:PORT/",
    "http://127.1:PORT/",
    "http://[::ffff:127.0.0.1]:PORT/",
    "http://0.0.0.0:PORT/",
    "http://localtest.me:PORT/",
    "http://user@127.0.0.1:PORT/",
    "https://127.0.0.1:PORT/",
    "http://169.254.169.254/latest/meta-data/",
    "http://metadata.google.internal/",
]
FILES = [
    "file:///etc/passwd",
    "file://SECRETFILE",
    "file:///proc/self/environ",
    "view-source:file:///etc/passwd",
]


async def test_no_place_is_reached_by_fetch_or_picture(attacked, event_details):
    page = "<p id=out>-</p>"
    for place in PLACES:
        page += f"<img src='{place}x.png'><link rel=stylesheet href='{place}x.css'>"
    page += f"""<script>Promise.all({PLACES}.map((place) => fetch(place, {{mode: 'no-cors'}})
        .then(() => 'reached ' + place, () => 'refused'))).then((all) => out.textContent = [...new Set(all)])
        </script>"""
    rendering = await attacked.show(page)
    assert rendering.verdict is Verdict.RENDERED
    assert rendering.site.text == "refused"
    seen = event_details(rendering, "NETWORK")
    assert "GET http://169.254.169.254/latest/meta-data/" in seen
    assert f"GET http://127.0.0.1:{attacked.canary.port}/" in seen


async def test_every_kind_of_request_is_refused(attacked, event_details):
    page = """<base href=http://127.0.0.1:PORT/><iframe src=frame></iframe><object data=object></object>
        <embed src=embed><video src=video></video><script src=script></script>
        <link rel=preload as=fetch href=preload><link rel=prefetch href=prefetch>
        <audio src=audio autoplay></audio><link rel=dns-prefetch href=//a.b>
        <link rel=preconnect href=/><style>@font-face{font-family:f;src:url(font)}p{font-family:f}
        div{background:url(background)}@import 'import';</style><p>text<div>x</div>
        <form id=f action=form method=post><input name=a></form>
        <script>f.submit(); navigator.sendBeacon('beacon', 'x')</script>"""
    rendering = await attacked.show(page)
    seen = event_details(rendering, "NETWORK")
    for kind in ("frame", "object", "script", "background", "font", "form"):
        assert f":{attacked.canary.port}/{kind}" in seen, kind


async def test_sockets_of_all_kinds_reach_nothing(attacked, event_details):
    page = """<p id=out>-</p><script>
        const said = [];
        const say = (what) => { said.push(what); out.textContent = said.sort().join(' ') };
        const web = new WebSocket('ws://127.0.0.1:PORT/');
        web.onopen = () => say('websocket-open'); web.onerror = () => say('websocket-refused');
        const events = new EventSource('http://127.0.0.1:PORT/');
        events.onopen = () => say('events-open');
        events.onerror = () => { events.close(); say('events-refused') };
        const urls = ['stun:127.0.0.1:PORT', 'turn:127.0.0.1:PORT'];
        const peer = new RTCPeerConnection({iceServers: [{urls, username: 'u', credential: 'c'}]});
        peer.onicecandidate = (event) => { if (event.candidate && event.candidate.address) say('candidate') };
        peer.createDataChannel('x'); peer.createOffer().then((offer) => peer.setLocalDescription(offer));
        if (globalThis.WebTransport) new WebTransport('https://127.0.0.1:PORT/').ready
            .then(() => say('transport-open'), () => say('transport-refused'));
        </script>"""
    rendering = await attacked.show(page)
    assert "open" not in rendering.site.text
    assert "candidate" not in rendering.site.text
    assert "WebSocket ws://127.0.0.1" in event_details(rendering, "NETWORK")


async def test_workers_reach_nothing(attacked):
    code = "fetch('http://127.0.0.1:PORT/').then(() => postMessage('reached'), () => postMessage('refused'))"
    page = f"""<p id=out>-</p><script>
        const worker = new Worker(URL.createObjectURL(new Blob([`{code}`])));
        worker.onmessage = (event) => out.textContent = event.data;
        new SharedWorker(URL.createObjectURL(new Blob([`{code}`])));
        navigator.serviceWorker.register('/sw.js').then(() => out.textContent = 'installed', () => 0);
        </script>"""
    rendering = await attacked.show(page)
    assert rendering.site.text in ("refused", "-")


async def test_files_of_the_host_are_not_shown(attacked):
    page = "<p id=out>-</p>"
    for file in FILES:
        page += f"""<iframe src="{file}"></iframe><object data="{file}"></object><embed src="{file}">
            <link rel=stylesheet href="{file}"><script src="{file}"></script><img src="{file}">
            <style>div{{background:url("{file}")}}</style><div>x</div>
            <script>fetch("{file}").then((r) => r.text()).then((t) => out.textContent = t, () => 0)</script>
            <script>try {{ const x = new XMLHttpRequest(); x.onload = () => out.textContent = x.responseText;
            x.open('GET', "{file}"); x.send() }} catch (e) {{}}</script>"""
    rendering = await attacked.show(page)
    nothing = page
    for file in FILES:
        nothing = nothing.replace(file, "file:///nothing")
    plain = await attacked.show(nothing)
    assert rendering.picture.png == plain.picture.png
    assert rendering.site.text == plain.site.text


async def test_reading_a_file_is_reported(attacked, event_details):
    rendering = await attacked.show("<iframe src=file:///etc/passwd></iframe>")
    assert "file:///etc/passwd" in event_details(rendering, "FILE_READ")


async def test_a_page_stays_where_it_is(attacked):
    moves = [
        "location = 'file:///etc/passwd'",
        "location = 'chrome://settings'",
        "location = 'view-source:http://localhost:4000/'",
        "location = 'devtools://devtools/bundled/inspector.html'",
        "open('file:///etc/passwd')",
        "location = 'http://127.0.0.1:PORT/'",
    ]
    scripts = "".join(
        f"<script>onload = () => {{ try {{ {move} }} catch (e) {{}} }}</script>" for move in moves
    )
    scripts = scripts.replace("onload = () => {", "addEventListener('load', () => {").replace(
        "}</script>", "})</script>"
    )
    rendering = await attacked.show(f"<p>here</p>{scripts}")
    assert rendering.verdict is Verdict.RENDERED
    assert rendering.site.text == "here"


async def test_an_entity_that_names_a_file_stays_empty(attacked):
    drawing = b"""<!DOCTYPE svg [<!ENTITY x SYSTEM "file:///etc/passwd">]>
        <svg xmlns="http://www.w3.org/2000/svg" width="500" height="500"><text y="20">&x;</text></svg>"""
    files = (File("x.svg", drawing),)
    rendering = await attacked.show("<iframe src=x.svg width=600 height=600></iframe>", files=files)
    assert rendering.verdict is Verdict.RENDERED
    alone = await attacked.show("x", files=files, entry="x.svg")
    assert "root" not in alone.site.text
