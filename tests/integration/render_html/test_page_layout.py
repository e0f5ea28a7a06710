"""The blocks of text and the tree of elements of a page, as the browser laid them out."""

import pytest

from i2s.render.v1 import render_pb2 as pb

pytestmark = [pytest.mark.integration, pytest.mark.asyncio(loop_scope="session")]

PLAIN = """<body style="margin: 0; font: 20px/30px 'DejaVu Sans'">
  <h1 style="margin: 0; font: inherit; color: #123456">
  Title </h1>
  <p style="margin: 0; background: rgb(255, 0, 0)">one <b style="color: oklch(1 0 0)">two</b></p>"""


async def layout_of(service, page, **files):
    source = pb.SiteSource(
        files=[
            pb.File(path=path, content=f"<!DOCTYPE html><meta charset=utf-8>{content}".encode())
            for path, content in {"index.html": page, **files}.items()
        ]
    )
    options = pb.RenderOptions(
        site=pb.SiteOptions(want_blocks=True), window=pb.WindowOptions(width=800, height=600)
    )
    answer = await service.Render(pb.RenderRequest(site=source, options=options))
    assert answer.verdict in (pb.VERDICT_RENDERED, pb.VERDICT_RENDERED_WITH_ERRORS), answer.message
    return answer.site.layout


def shown(layout):
    return [
        block.text
        for block in layout.blocks
        if not (block.hidden or block.covered or block.outside)
        and (not block.color or block.color[7:] != "00")
    ]


async def test_blocks_are_text_nodes_with_places_and_colors(service):
    layout = await layout_of(service, PLAIN)
    title, first, second = layout.blocks
    assert (title.text, title.color, title.background) == ("Title", "#123456ff", "#ffffffff")
    assert (title.path, title.element) == ("html>body>h1", 5)
    assert (first.text, first.background, first.x) == ("one", "#ff0000ff", 0)
    assert 30 <= first.y < second.y + second.height <= 60
    assert (second.text, second.color, second.path) == ("two", "#ffffffff", "html>body>p>b")
    assert second.x >= first.width > 0
    assert (layout.width, layout.height, layout.blocks_truncated) == (800, 600, False)


async def test_the_tree_has_all_elements_in_the_order_of_the_document(service):
    tree = (await layout_of(service, PLAIN)).tree
    names = [tree.names[index] for index in tree.name_of]
    assert names == ["html", "head", "meta", "body", "h1", "p", "b"]
    assert list(tree.parent_of) == [0, 1, 2, 1, 4, 4, 6]


async def test_nothing_is_returned_unless_it_is_asked_for(service):
    source = pb.SiteSource(files=[pb.File(path="index.html", content=b"<p>text</p>")])
    answer = await service.Render(pb.RenderRequest(site=source))
    assert not answer.site.HasField("layout")


@pytest.mark.parametrize(
    ("page", "texts"),
    [
        ("<p>a</p><p style='visibility: hidden'>b</p><p style='opacity: 0'>c</p><p hidden>d</p>", ["a"]),
        ("<p>a</p><p style='color: transparent'>b</p>", ["a"]),
        (
            "<p>a</p><p style='position: absolute; left: -9999px'>b</p><p style='margin-top: 900px'>c</p>",
            ["a"],
        ),
        ("<p>a</p><div style='overflow: hidden; height: 0'><p>b</p></div>", ["a"]),
        (
            "<p>a</p><div style='position: relative'><p>b</p>"
            "<div style='position: absolute; inset: 0; background: red'></div></div>",
            ["a"],
        ),
        ("<p>a</p><div><template shadowrootmode=open><p>b</p></template></div><p>c</p>", ["a", "b", "c"]),
        ("<p>a</p><iframe srcdoc='<p>b</p>'></iframe><iframe hidden srcdoc=x></iframe>", ["a", "b"]),
        ("<svg><title>no</title><text y=20>drawn</text></svg>", ["drawn"]),
        (
            "<p style='color: transparent; background: linear-gradient(red, red); background-clip: text'>x",
            ["x"],
        ),
    ],
)
async def test_what_is_not_shown_is_told_from_what_is(service, page, texts):
    assert shown(await layout_of(service, page)) == texts


async def test_a_block_of_a_frame_is_where_the_frame_is(service):
    style = "margin: 100px 0 0 50px; border: 5px solid"
    page = f"<body style='margin: 0'><iframe style='{style}' srcdoc='<body style=\"margin: 0\">in'></iframe>"
    (block,) = (await layout_of(service, page)).blocks
    assert (block.x, round(block.y)) == (55, 105)


async def test_text_that_is_cut_off_has_the_box_of_what_is_left(service):
    style = "overflow: hidden; width: 50px; white-space: nowrap"
    page = f"<body style='margin: 0'><div style='{style}'>long long long</div>"
    (block,) = (await layout_of(service, page)).blocks
    assert (block.width, block.clipped, block.outside) == (50, True, False)


FORGERIES = {
    "prototypes": """<script>
      const one = {left: 0, top: 0, right: 700, bottom: 500, width: 700, height: 500, x: 0, y: 0};
      Range.prototype.getClientRects = Element.prototype.getClientRects = () => [one];
      Element.prototype.getBoundingClientRect = () => one;
      Element.prototype.checkVisibility = () => true;
      Array.prototype.push = function () { this[this.length] = {text: "forged"}; return 1; };
      Array.prototype.join = () => "forged"; String.prototype.trim = () => "forged";
      const white = "rgb(255, 255, 255)";
      window.getComputedStyle = () => ({color: white, webkitTextFillColor: white});
      for (const name of ["nodeValue", "textContent", "childNodes", "nodeType"])
        Object.defineProperty(Node.prototype, name, {get: () => "forged"});
      Object.defineProperty(Element.prototype, "localName", {get: () => "forged"});
      Document.prototype.elementFromPoint = () => null; Map.prototype.get = () => "forged";
      JSON.stringify = () => '{"blocks": []}'; Object.prototype.toJSON = () => "forged";
    </script>""",
    "names of elements": """<form><input name=childNodes><input name=nodeType><input name=localName>
      <input name=getBoundingClientRect><input name=shadowRoot><input name=checkVisibility></form>
      <img name=documentElement><img name=createRange><img name=elementFromPoint><img name=defaultView>
      <form id=getComputedStyle></form><form name=body></form><img name=getRootNode>""",
}


@pytest.mark.parametrize("forgery", FORGERIES.values(), ids=FORGERIES)
async def test_a_page_cannot_forge_its_blocks_by_what_its_scripts_change(service, forgery):
    place = "position: absolute; left: 100px; top: 200px; color: #010203; margin: 0"
    text = f"<p style='{place}'>true</p>"
    honest, forged = [await layout_of(service, text + more) for more in ("", forgery)]
    assert list(forged.blocks) == list(honest.blocks)
    assert (forged.blocks[0].text, forged.blocks[0].x, forged.blocks[0].color) == ("true", 100, "#010203ff")
    assert "forged" not in forged.tree.names


async def test_many_nodes_end_in_a_bounded_answer_that_says_so(service):
    script = "<script>document.body.innerHTML = '<p>x</p>'.repeat(100000)</script>"
    layout = await layout_of(service, f"<body>{script}")
    assert len(layout.blocks) == 3000
    assert layout.blocks_truncated
    assert len(layout.tree.name_of) == 20_000
    assert layout.tree.truncated


async def test_a_text_of_many_bytes_ends_in_a_bounded_answer(service):
    script = "<script>document.body.innerHTML = ('<p>' + 'é '.repeat(5000) + '</p>').repeat(500)</script>"
    layout = await layout_of(service, f"<body>{script}")
    assert sum(len(block.text.encode()) for block in layout.blocks) <= 256 * 1024
    assert layout.blocks_truncated
