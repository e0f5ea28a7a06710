"""The text of a page has what is drawn in shadow trees and frames, in the order of the layout."""

import pytest

from i2s.render.v1 import render_pb2 as pb

pytestmark = [pytest.mark.integration, pytest.mark.asyncio(loop_scope="session")]

#: Elements whose text depends on their style or their names.
LAYOUTS = """<style>.u { text-transform: uppercase } .h { visibility: hidden } .v { visibility: visible }
    .f { display: flex } .g { display: grid } .n { display: none } .pre { white-space: pre }
    .c { display: contents } .b { display: inline-block }</style>
    <h1>A  title</h1><p>one <b>two</b>
    three</p><p>four<br>five</p><div>a<div>b</div>c</div><ul><li>l1<li>l2</ul>
    <table><caption>cap</caption><tr><th>h1<th>h2<tr><td>1<td><p>2</p></table><pre>  pre
      text</pre><div class=pre>  w
     z</div><div class=u>upper</div><div class=h>hidden<span class=v>seen</span></div>
    <div class=f><span>f1</span><span>f2</span></div><div class=g><span>g1</span> <span>g2</span></div>
    <div class=n>none</div><div class=c>contents <i>in</i></div><i class=b>i1</i><i class=b>i2</i>
    <select><option>o1<option>o2<optgroup label=G><option>o3</optgroup></select><button>press</button>
    <textarea>area</textarea><input value=value><details><summary>sum</summary>closed</details>
    <details open><summary>sum2</summary>open</details><canvas>canvas</canvas><noscript>none</noscript>
    <svg><title>t</title><g><text y=20>svg <tspan>text</tspan></text></g></svg><dialog>closed</dialog>
    <div style="content-visibility: hidden">skipped</div><fieldset><legend>leg</legend>field</fieldset>"""

TABS = """<x-tabs><b slot=last>third</b>second <i slot=first>first</i><u slot=none>not shown</u></x-tabs>
    <script>customElements.define('x-tabs', class extends HTMLElement { constructor() { super();
    this.attachShadow({mode: 'open'}).innerHTML = '<h2><slot name=first></slot></h2>' +
    '<div><slot></slot></div><p><slot name=last></slot></p><slot name=empty>fallback</slot>' } })</script>"""


def declared(content):
    return f"<div><template shadowrootmode=open>{content}</template></div>"


async def text_of(service, page, **files):
    source = pb.SiteSource(
        files=[
            pb.File(path=path, content=f"<!DOCTYPE html><meta charset=utf-8>{content}".encode())
            for path, content in {"index.html": page, **files}.items()
        ]
    )
    options = pb.RenderOptions(site=pb.SiteOptions(want_text=True))
    answer = await service.Render(pb.RenderRequest(site=source, options=options))
    assert answer.verdict == pb.VERDICT_RENDERED, answer.message
    return answer.site.text


@pytest.mark.parametrize(
    ("page", "text"),
    [
        (f"<p>before</p>{declared('<p>inside</p>')}<p>after</p>", "before\n\ninside\n\nafter"),
        (f"a{declared(declared('deep'))}b", "a\ndeep\nb"),
        (TABS, "first\nsecond\n\nthird\n\nfallback"),
        (declared("<style>p { text-transform: uppercase } i { display: none }</style><p>x</p><i>y</i>"), "X"),
        ("<p>a</p><iframe srcdoc='<p>in a frame</p>'></iframe><p>b</p>", "a\n\nin a frame\n\nb"),
        ("a <iframe srcdoc='one'></iframe><iframe srcdoc='two'></iframe> b", "a\none\ntwo\nb"),
        ("<iframe src=inner.html></iframe>after", "inner\nfirst\nafter"),
        ("<frameset cols='50%,*'><frame src=leaf.html><frame src=leaf.html></frameset>", "first\nfirst"),
        (declared("<iframe srcdoc='framed'></iframe>"), "framed"),
        ("<p>a</p><iframe hidden srcdoc=x></iframe><iframe width=0 srcdoc=y></iframe>", "a"),
        ("<p>a</p><iframe style='visibility: hidden' srcdoc=x></iframe>", "a"),
        ("<p>a</p><iframe sandbox srcdoc=x></iframe>", "a"),  # of another origin, as documented
        (
            "<style>div { display: none !important }</style><p>a</p><iframe srcdoc='<div>b</div>'></iframe>",
            "a\n\nb",
        ),
    ],
)
async def test_text_of_shadow_trees_and_frames_is_where_it_is_drawn(service, page, text):
    files = {"inner.html": f"inner{declared('<iframe src=leaf.html></iframe>')}", "leaf.html": "first"}
    assert (await text_of(service, page, **files)).strip() == text


async def test_a_shadow_tree_without_text_changes_no_text_of_the_page(service):
    assert await text_of(service, LAYOUTS + declared("")) == await text_of(service, LAYOUTS + "<div></div>")


@pytest.mark.parametrize(
    "page",
    [
        # deeper, and larger, than is copied
        """<p id=a>own text</p><div id=b></div><script>let at = b; for (let i = 0; i < 1000; i++) {
        at = at.appendChild(document.createElement('div')).attachShadow({mode: 'open'}) }</script>""",
        """<p id=a>own text</p><div id=b></div><script>const root = b.attachShadow({mode: 'open'});
        for (let i = 0; i < 60000; i++) root.append(document.createElement('i'))</script>""",
        # a page that breaks what is in every page
        f"""<p>own text</p>{declared("x")}<script>Element.prototype.attachShadow = 3;
        Element.prototype.append = () => {{ throw 1 }}; window.getComputedStyle = null;
        new MutationObserver(() => document.body.remove()).observe(document.documentElement,
        {{childList: true}})</script><form><input name=shadowRoot><input name=contentDocument></form>""",
    ],
)
async def test_hostile_pages_keep_the_text_of_their_document(service, page):
    assert "own text" in await text_of(service, page)


async def test_a_page_in_frames_of_itself_ends(service):
    assert (await text_of(service, "self<iframe src=index.html></iframe>")).split()[0] == "self"


async def test_the_text_of_frames_counts_to_its_limit(service):
    text = await text_of(service, "<iframe src=long.html></iframe>", **{"long.html": "x" * (3 << 20)})
    assert text.strip() == "x" * (1 << 20)
