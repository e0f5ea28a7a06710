"""The contract of renderers over Chromium, and what is its own: windows, texts and elements, Jekyll."""

import grpc
import pytest

from i2s.render.v1 import render_pb2 as pb
from i2s_chassis.contract import suite_of
from i2s_render_html.model import PAGE_LIMITS
from renderers import HTML

pytestmark = [pytest.mark.integration, pytest.mark.asyncio(loop_scope="session")]

TestContract = suite_of(HTML)

PAGE = b"""<!DOCTYPE html><title>A page</title><link rel=stylesheet href=style.css>
<h1>Heading</h1><p>Text with <a href=other.html>a link</a>.</p>
<button>Press</button> <button disabled>Off</button>
<img src=missing.png><input placeholder=Name><div style="display:none"><a href=x>hidden</a></div>
<script>console.warn('careful'); console.error('broken')</script>"""
STYLE = b"h1 { color: teal; margin: 40px } body { font-family: sans-serif }"


def site(page=PAGE, **files):
    all_files = {"index.html": page, "style.css": STYLE, **files}
    return pb.SiteSource(files=[pb.File(path=path, content=content) for path, content in all_files.items()])


def request(page=PAGE, *, source=None, **given):
    return pb.RenderRequest(id=given.pop("id", "one"), site=source or site(page), **given)


def window(**given):
    return pb.RenderOptions(window=pb.WindowOptions(**given))


def asked(**given):
    return pb.RenderOptions(site=pb.SiteOptions(**given))


async def test_it_describes_browsers_and_what_decides_pictures(service):
    answer = await service.Describe(pb.DescribeRequest())
    assert {"chromium", "playwright", "fonts", "jekyll", "minima", "kramdown"} <= set(answer.versions)
    assert list(answer.missing) == []
    assert answer.isolation.tier == pb.ISOLATION_TIER_NAMESPACE
    assert answer.isolation.mechanisms[-1] == "chromium sandbox (namespace, seccomp-bpf)"
    assert answer.default_limits.memory_bytes == PAGE_LIMITS.memory_bytes
    assert (answer.defaults.window.width, answer.defaults.window.height) == (1920, 1080)
    assert {one.kind for one in answer.warm} == {"browser"}


async def test_a_site_is_answered_with_everything(service):
    options = asked(want_text=True, elements=pb.ElementQuery(interactive=True))
    answer = await service.Render(request(options=options))
    assert (answer.id, answer.verdict, answer.message) == ("one", pb.VERDICT_RENDERED, "")
    assert (answer.pictures[0].width, answer.pictures[0].height) == (1920, 1080)
    assert answer.pictures[0].png.startswith(b"\x89PNG")
    assert [stage.name for stage in answer.stages] == ["queue", "load", "settle", "capture", "read"]
    assert answer.usage.cpu_seconds > 0
    assert answer.usage.peak_memory_bytes > 0
    assert answer.site.title == "A page"
    assert answer.site.text.strip() == "Heading\n\nText with a link.\n\nPress Off"
    assert answer.site.settled
    assert not answer.site.jekyll
    assert list(answer.site.missing) == ["missing.png"]
    assert ("warning", "careful") in [(one.level, one.text) for one in answer.site.console]
    found = [(element.tag, element.text, element.role, element.clickable) for element in answer.site.elements]
    assert found == [
        ("a", "a link", "link", True),
        ("button", "Press", "button", True),
        ("button", "Off", "button", False),
        ("input", "Name", "textbox", True),
    ]
    assert all(element.width > 0 and element.height > 0 for element in answer.site.elements)


async def test_elements_say_where_they_lead_and_whether_they_are_seen(service):
    page = b"""<title>A</title><meta name="description" content="About nothing.">
<style>body { margin: 0; width: 300px; font: 16px monospace } a { display: inline-block }
.over { position: absolute; margin: 0; left: 0; top: 0; width: 300px; height: 40px; background: red }</style>
<a href="next.html#here">Plain</a>
<a href="/" style="visibility: hidden">Hidden</a>
<div style="position: relative; height: 40px"><a href="/">Covered</a>
<p class="over">Over</p></div>
<div style="width: 60px; overflow: hidden; white-space: nowrap"><a href="/">Longer than its box</a></div>
<p>Some text before it and <a href="/" style="display: inline">a link that wraps over lines</a>"""
    elements = pb.ElementQuery(css="meta[name=description], a")
    answer = await service.Render(request(source=site(page), options=asked(elements=elements)))
    about, *links = answer.site.elements
    assert (about.text, about.visible, about.href) == ("About nothing.", False, "")
    assert links[0].href == "http://localhost:4000/next.html#here"
    seen = [(link.text, link.visible, link.covered, link.clipped, link.rectangles) for link in links]
    assert seen == [
        ("Plain", True, False, False, 1),
        ("", False, False, False, 1),  # text that is hidden is none
        ("Covered", True, True, False, 1),
        ("Longer than its box", True, False, True, 1),
        ("a link that wraps over lines", True, False, False, 2),
    ]


async def test_elements_say_whether_pieces_that_stand_apart_are_joined_in_their_text(service):
    page = b"""<style>b { display: inline-block; margin-right: 9px } li { display: inline-block }</style>
<p><b>one</b><b>two</b></p><p><b>one</b> <b>two</b></p><p>one<i>two</i></p><p>one <i>two</i></p><p>one
two</p><p><span style="display: block">one</span><span style="display: block">two</span></p>"""
    options = asked(elements=pb.ElementQuery(css="p"))
    answer = await service.Render(request(source=site(page), options=options))
    assert [(element.text, element.joined) for element in answer.site.elements] == [
        ("onetwo", True),
        ("one two", False),
        ("onetwo", False),
        ("one two", False),
        ("one two", False),
        ("one\ntwo", False),
    ]


async def test_a_theme_of_github_pages_that_is_not_installed_is_a_warning(service):
    page = b"---\nlayout: default\n---\n<h1>Still here</h1>"
    source = site(page, **{"_config.yml": b"theme: jekyll-theme-cayman\n"})
    answer = await service.Render(request(source=source, options=asked(want_text=True)))
    assert (answer.verdict, answer.site.jekyll) == (pb.VERDICT_RENDERED, True), answer.message
    assert "Still here" in answer.site.text
    (left_out,) = answer.site.left_out
    assert "jekyll-theme-cayman" in left_out
    missing = "Build Warning: Layout 'default' requested in index.html does not exist."
    assert list(answer.site.warnings) == [left_out, missing]


async def test_text_and_elements_come_only_where_asked_for(service):
    answer = await service.Render(request())
    assert (answer.site.text, list(answer.site.elements)) == ("", [])


async def test_boxes_are_those_of_the_page(service):
    page = b"<style>div{position:absolute;left:30px;top:2000px;width:70px;height:20px}</style><div>x</div>"
    answer = await service.Render(request(page, options=asked(elements=pb.ElementQuery(css="div"))))
    box = answer.site.elements[0]
    assert (box.tag, box.text, box.x, box.y, box.width, box.height) == ("div", "x", 30, 2000, 70, 20)


@pytest.mark.parametrize(
    ("options", "size"),
    [
        (window(width=640, height=400), (640, 400)),
        (window(width=640, height=400, device_scale=2), (1280, 800)),
        (window(width=640, height=400, full_page=True), (640, 3000)),
        (window(width=640, height=400, full_page=True, device_scale=1.5), (960, 4500)),
    ],
)
async def test_the_window_is_the_one_asked_for(service, options, size):
    page = b"<!DOCTYPE html><style>body{margin:0}div{height:3000px;background:tan}</style><div>"
    answer = await service.Render(request(page, options=options))
    assert (answer.pictures[0].width, answer.pictures[0].height) == size


async def test_a_selector_that_cannot_be_read_is_refused(service):
    with pytest.raises(grpc.aio.AioRpcError) as raised:
        await service.Render(request(options=asked(elements=pb.ElementQuery(css="p[["))))
    assert raised.value.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert raised.value.details().startswith("options.site.elements.css")


async def test_a_site_without_an_index_page_is_no_output(service):
    answer = await service.Render(request(source=pb.SiteSource(files=[pb.File(path="a.html", content=b"x")])))
    assert (answer.verdict, list(answer.pictures)) == (pb.VERDICT_NO_OUTPUT, [])
    assert "index.html" in answer.message


async def test_another_page_can_be_the_entry(service):
    source = pb.SiteSource(files=[pb.File(path="a/b c.html", content=b"<p>inner")], entry_path="a/b c.html")
    answer = await service.Render(request(source=source, options=asked(want_text=True)))
    assert (answer.verdict, answer.site.text.strip()) == (pb.VERDICT_RENDERED, "inner")


async def test_an_entry_that_is_no_page_is_no_output(service):
    source = pb.SiteSource(files=[pb.File(path="x.zip", content=b"PK\3\4")], entry_path="x.zip")
    answer = await service.Render(request(source=source))
    assert (answer.verdict, "download" in answer.message) == (pb.VERDICT_NO_OUTPUT, True)


async def test_a_script_that_fails_is_an_error_with_a_picture(service):
    answer = await service.Render(request(b"<p>x</p><script>nothing.there()</script>"))
    assert answer.verdict == pb.VERDICT_RENDERED_WITH_ERRORS
    assert "nothing is not defined" in answer.error.message
    assert ("exception", "nothing is not defined") in [(one.level, one.text) for one in answer.site.console]


async def test_pixels_are_counted_before_anything_is_drawn(service):
    answer = await service.Render(
        request(options=window(width=5000, height=5000), limits=pb.Limits(pixels=10**6))
    )
    assert answer.verdict == pb.VERDICT_PIXEL_LIMIT
    assert answer.limits.pixels == 10**6


async def test_the_smallest_window_at_the_least_scale_has_a_picture(service):
    answer = await service.Render(request(options=window(width=10, height=10, device_scale=0.1)))
    assert answer.verdict == pb.VERDICT_RENDERED, answer.message
    assert (answer.pictures[0].width, answer.pictures[0].height) == (1, 1)
    answer = await service.Render(request(options=window(device_scale=0.1)))
    assert (answer.pictures[0].width, answer.pictures[0].height) == (192, 108)


@pytest.mark.parametrize("scale", [0.0001, 1e-300, 0.09])
async def test_a_scale_without_a_picture_is_refused(service, scale):
    with pytest.raises(grpc.aio.AioRpcError) as refused:
        await service.Render(request(options=window(device_scale=scale)))
    assert refused.value.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert "options.window.device_scale" in refused.value.details()


async def test_halves_of_characters_are_replaced_in_every_text(service):
    page = rb"""<title>t</title><a id=a href='/x'>a</a><p id=p></p><script>
        const lone = 'x\ud800y\udc00';
        document.title = p.textContent = a.textContent = lone;
        a.setAttribute('role', lone);
        console.log(lone); console.error('%s', lone);
        fetch('/gone-' + lone).catch(() => 0); new Image().src = 'http://other.example/' + lone;
        throw new Error(lone);
        </script>"""
    options = asked(want_text=True, elements=pb.ElementQuery(css="a, p"))
    answer = await service.Render(request(page, options=options))
    assert answer.verdict == pb.VERDICT_RENDERED_WITH_ERRORS, answer.message
    halves = "x\ufffdy\ufffd"
    texts = [answer.site.title, answer.message, answer.error.message, answer.site.text]
    texts += [" ".join(one.text for one in answer.site.console if one.level == "exception")]
    texts += [answer.site.console[0].text, answer.site.console[1].text, answer.site.elements[0].text]
    assert all(halves in text for text in texts), texts


async def test_a_stream_answers_by_id(service):
    async def requests():
        for number in range(4):
            yield request(f"<p>{number}".encode(), id=f"n{number}", options=asked(want_text=True))

    answers = {answer.id: answer async for answer in service.RenderStream(requests())}
    assert {key: answer.response.site.text.strip() for key, answer in answers.items()} == {
        f"n{number}": str(number) for number in range(4)
    }


async def test_a_jekyll_site_is_built(service):
    files = {
        "_config.yml": b"title: Blog\n",
        "_layouts/default.html": b"<title>{{ site.title }}</title><main>{{ content }}</main>",
        "index.md": b"---\nlayout: default\n---\n# Hello *world*\n",
    }
    source = pb.SiteSource(files=[pb.File(path=path, content=content) for path, content in files.items()])
    answer = await service.Render(request(source=source, options=asked(want_text=True)))
    assert (answer.verdict, answer.site.jekyll) == (pb.VERDICT_RENDERED, True)
    assert (answer.site.title, answer.site.text.strip()) == ("Blog", "Hello world")
    assert [stage.name for stage in answer.stages][:2] == ["queue", "build"]


async def test_a_jekyll_error_is_a_compile_error_with_its_file(service):
    source = pb.SiteSource(files=[pb.File(path="index.html", content=b"---\n---\n{% nonsense %}")])
    answer = await service.Render(request(source=source))
    assert answer.verdict == pb.VERDICT_COMPILE_ERROR
    assert "nonsense" in answer.error.message
    assert answer.site.jekyll


async def test_a_plain_site_looks_the_same_with_and_without_jekyll(service):
    pictures = []
    for build in (pb.SITE_BUILD_JEKYLL, pb.SITE_BUILD_STATIC, pb.SITE_BUILD_AUTO):
        answer = await service.Render(request(options=asked(build=build)))
        assert answer.site.jekyll == (build == pb.SITE_BUILD_JEKYLL)
        pictures.append(answer.pictures[0].png)
    assert pictures[0] == pictures[1] == pictures[2]
