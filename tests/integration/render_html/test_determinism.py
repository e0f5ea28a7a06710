"""The same site is the same bytes, whatever moves in it."""

import io
import tarfile
from pathlib import Path

import pytest
from PIL import Image

from i2s.render.v1 import render_pb2 as pb
from repetitions import some

pytestmark = [pytest.mark.integration, pytest.mark.asyncio(loop_scope="session")]

EXAMPLES = sorted((Path(__file__).parents[3] / "examples" / "structures").glob("webpage-*.tar.gz"))

MOVING = {
    "date": "<h1 id=a></h1><script>a.textContent = [new Date(), Date.now(), performance.now()]</script>",
    "chance": "<h1 id=a></h1><script>a.textContent = Math.random() + crypto.randomUUID()</script>",
    "formats": """<h1 id=a></h1><script>a.textContent = [new Intl.DateTimeFormat('en').format(),
        Temporal.Now.instant().toString(), document.lastModified, performance.timeOrigin].join()</script>""",
    "interval": "<h1 id=a></h1><script>let n = 0; setInterval(() => a.textContent = n++, 50)</script>",
    "frames": """<div id=a style='position:absolute;width:9px;height:9px;background:red'>
        </div><script>let x = 0;
        const f = () => { a.style.left = (x += 3) + 'px'; requestAnimationFrame(f) }; f()</script>""",
    "late": "<h1 id=a>early</h1><script>setTimeout(() => a.textContent = 'late', 1500)</script>",
    "endless animation": """<style>@keyframes k { to { transform: translate(900px) rotate(1turn) } }
        div { width: 90px; height: 90px; background: red; animation: k 3s linear infinite }</style>
        <div></div>""",
    "transition": """<style>div { width: 90px; height: 90px; background: red; transition: all 2s }</style>
        <div id=a></div><script>onload = () => setTimeout(() => a.style.width = '900px', 20)</script>""",
    "caret": "<input autofocus value=text><textarea>more</textarea>",
    "drawing": """<svg width=500 height=100><rect width=50 height=50><animate attributeName=x to=400 dur=2s
        repeatCount=indefinite /></rect></svg>""",
    "canvas": """<canvas id=c width=500 height=500></canvas><script>
        const g = c.getContext('2d');
        const f = (t) => { g.fillStyle = `hsl(${t} 80% 50%)`;
        g.fillRect(Math.random() * 500, Math.random() * 500, 9, 9);
        requestAnimationFrame(f) }; f(0)</script>""",
    "fetched": """<ul id=a></ul><script>for (const n of [3, 1, 2]) fetch('/data.json').then((r) => r.json())
        .then((d) => setTimeout(() => a.innerHTML += `<li>${n} ${d.x}`, n * 30))</script>""",
    "waiting module": """<h1 id=a>-</h1><script type=module>
        await new Promise((r) => setTimeout(r, 300)); a.textContent = 1</script>""",
}


def render(service, files):
    wanted = [pb.File(path=path, content=content) for path, content in files.items()]
    return service.Render(pb.RenderRequest(id="x", site=pb.SiteSource(files=wanted)))


@pytest.mark.parametrize("what", some(MOVING, one_in=2, instead="every second one"))
async def test_what_moves_is_the_same_bytes_each_time(service, what):
    files = {"index.html": f"<!DOCTYPE html>{MOVING[what]}".encode(), "data.json": b'{"x": 7}'}
    first, second = await render(service, files), await render(service, files)
    assert first.verdict == pb.VERDICT_RENDERED, first.message
    assert first.site.settled
    assert first.pictures[0].png == second.pictures[0].png


async def test_a_picture_that_moves_shows_its_first_frame(service):
    frames = [Image.new("RGB", (200, 200), colour) for colour in ("red", "blue")]
    stream = io.BytesIO()
    frames[0].save(stream, "GIF", save_all=True, append_images=frames[1:], duration=20, loop=0)
    page = b"<style>body{margin:0}img{display:block}</style><img src=x.gif>"
    answer = await render(service, {"index.html": page, "x.gif": stream.getvalue()})
    picture = Image.open(io.BytesIO(answer.pictures[0].png))
    assert picture.getpixel((100, 100)) == (255, 0, 0)


async def test_what_ends_is_shown_as_it_ends_and_what_is_late_is_there(service):
    page = b"""<style>body{margin:0} @keyframes k { from { opacity: 0 } to { opacity: 1 } }
        div { width: 100px; height: 100px; background: rgb(255, 0, 0); animation: k 9s 3s both }</style>
        <div></div><div id=b></div>
        <script>setTimeout(() => b.style.background = 'rgb(0, 0, 255)', 1900)</script>
        <div style='height:5000px;background:none'></div><img loading=lazy src=x.svg>"""
    drawing = (
        b"<svg xmlns='http://www.w3.org/2000/svg' width='99' height='99'><rect width='99' height='99'/></svg>"
    )
    files = [pb.File(path="index.html", content=page), pb.File(path="x.svg", content=drawing)]
    options = pb.RenderOptions(window=pb.WindowOptions(full_page=True))
    answer = await service.Render(pb.RenderRequest(site=pb.SiteSource(files=files), options=options))
    picture = Image.open(io.BytesIO(answer.pictures[0].png))
    assert picture.getpixel((50, 50)) == (255, 0, 0)
    assert picture.getpixel((50, 150)) == (0, 0, 255)
    assert picture.getpixel((50, 5250)) == (0, 0, 0)


@pytest.mark.parametrize(
    "example",
    some(EXAMPLES, one_in=3, instead="every third one", name=lambda path: path.name.partition(".")[0]),
)
async def test_every_example_is_the_same_bytes_twice(service, example):
    with tarfile.open(example) as archive:
        members = [member for member in archive if member.isfile()]
        files = {member.name.removeprefix("./"): archive.extractfile(member).read() for member in members}
    first, second = await render(service, files), await render(service, files)
    assert (first.verdict, first.site.settled) == (pb.VERDICT_RENDERED, True), first.message
    assert list(first.site.missing) == []
    assert first.pictures[0].png == second.pictures[0].png


async def test_there_are_examples():
    assert len(EXAMPLES) >= 9
