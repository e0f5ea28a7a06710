"""The contract of renderers over resvg, and what is its own: canvas, fonts, files, what is not loaded."""

import io

import pytest
from PIL import Image

from i2s.render.v1 import render_pb2 as pb
from i2s_chassis.contract import contract_of, generic_source
from i2s_chassis.errors import StartError
from i2s_render_svg.engine import plan
from i2s_render_svg.settings import SvgSettings
from i2s_wire.renderers import RENDER_SVG
from renderers import SVG

pytestmark = [pytest.mark.integration, pytest.mark.asyncio(loop_scope="session")]

running, TestContract = contract_of(SVG)

RED = '<svg xmlns="http://www.w3.org/2000/svg" width="8" height="6"><path d="M0 0h8v6H0" fill="red"/></svg>'


def source(body, *, files=None, size='width="40" height="30"'):
    text = f'<svg xmlns="http://www.w3.org/2000/svg" {size}>{body}</svg>'
    content = {"a/image.svg": text.encode(), **(files or {})}
    files = [pb.File(path=path, content=one) for path, one in content.items()]
    return pb.GenericSource(language="svg", entry="a/image.svg", files=files)


async def answer(running, body, **given):
    options = given.pop("page", None)
    request = pb.RenderRequest(generic=source(body, **given))
    if options is not None:
        request.options.page.CopyFrom(options)
    return await running.stub.Render(request)


def image_of(response):
    assert response.verdict == pb.VERDICT_RENDERED, response.message
    return Image.open(io.BytesIO(response.pictures[0].png)).convert("RGB")


async def test_the_whole_canvas_is_the_image_on_white_a_pixel_for_each_of_css(running):
    image = image_of(await answer(running, '<rect width="1" height="1" fill="#010203"/>'))
    assert image.size == (40, 30)
    assert image.getpixel((0, 0)) == (1, 2, 3)
    assert image.getpixel((39, 29)) == (255, 255, 255)


@pytest.mark.parametrize(
    ("size", "pixels"),
    [
        ('width="1in" height="2.54cm"', (192, 192)),
        ('viewBox="0 0 30 20"', (60, 40)),
        ('viewBox="0 0 30 20" width="50%"', (30, 20)),
        ("", (8, 6)),
    ],
)
async def test_a_resolution_of_192_doubles_each_size(running, size, pixels):
    page = pb.PageOptions(dpi=192.0)
    image = image_of(await answer(running, '<rect width="4" height="3"/>', size=size, page=page))
    assert image.size == pixels


async def test_the_pixels_of_an_image_that_does_not_say_its_size_are_limited(running):
    response = await answer(running, '<rect width="1e6" height="1e6"/>', size="")
    assert response.verdict == pb.VERDICT_PIXEL_LIMIT


async def test_well_known_families_are_drawn_with_fonts_that_are_as_wide(running):
    def text(family):
        return f"<text y='20' font-size='9' font-family={family}>Width</text>"

    async def pixels(family):
        return image_of(await answer(running, text(family))).tobytes()

    assert await pixels("'Arial'") == await pixels("'Liberation Sans'")
    assert await pixels("'Nothing, Courier New'") == await pixels("'Liberation Mono'")
    assert await pixels("'Arial'") != await pixels("'Times New Roman'")


@pytest.mark.parametrize(
    "text",
    [
        """<text y='20' font-family="'Courier New'">""",
        """<text y='20' font-family='&quot;Courier New&quot;'>""",
        """<text y='20' font-family="'Nothing, at all', COURIER, monospace">""",
        """<text y='20' style="fill: black; font-family:\n'Courier New'">""",
        """<text y='20' style="font-family: Courier New !important">""",
        """<text y='20' style='FONT-FAMILY: "Courier New"'>""",
        """<text y='20' style="font: 16px Courier New">""",
        """<style>text { font: 16px/1.2 'Courier New', serif }</style><text y='20'>""",
        """<style>/* } */ .a{font-family:"Courier New"} </style><text class='a' y='20'>""",
        """<style><![CDATA[ .a > tspan, .a { font-family: Courier } ]]></style><text class='a' y='20'>""",
    ],
)
async def test_a_well_known_family_is_known_however_it_is_written(running, text):
    mono = """<text y='20' font-size='16' font-family="Liberation Mono">W</text>"""
    assert (
        image_of(await answer(running, f"{text}W</text>")).tobytes()
        == image_of(await answer(running, mono)).tobytes()
    )


@pytest.mark.parametrize(
    "words",
    ["font-family: Arial, x", 'href="http://127.0.0.1/"', "font-family='Arial'", "@import url(http://x)"],
)
async def test_words_are_drawn_as_they_are(running, words):
    def body(text, more=""):
        return f"{more}<style>a{{}}</style><text y='20' font-size='4'>{text}</text>"

    plain = image_of(await answer(running, body(words)))
    references = "".join(f"&#{ord(letter)};" for letter in words)
    assert plain.tobytes() == image_of(await answer(running, body(references))).tobytes()
    response = await answer(running, body(words, '<image href="http://127.0.0.1/"/>'))
    assert image_of(response).tobytes() == plain.tobytes()
    assert [policy_event.detail for policy_event in response.policy_events] == ["image: http://127.0.0.1/"]


async def test_an_import_is_named_whole(running):
    for form in (
        "url(https://127.0.0.1/x.css)",
        "url( 'https://127.0.0.1/x.css' )",
        '"https://127.0.0.1/x.css"',
    ):
        response = await answer(running, f"<style>@import {form};</style><path d='M0 0h9v9'/>")
        events = [(policy_event.kind, policy_event.detail) for policy_event in response.policy_events]
        assert events == [(pb.POLICY_KIND_NETWORK, "style: https://127.0.0.1/x.css")]


async def test_a_file_of_another_folder_of_the_request_is_drawn(running):
    body = '<image href="../b/red.svg" width="8" height="6"/>'
    response = await answer(running, body, files={"b/red.svg": RED.encode()})
    assert not response.policy_events
    assert image_of(response).getpixel((2, 2)) == (255, 0, 0)


async def test_a_service_does_not_start_without_the_fonts_of_a_pattern(tmp_path):
    with pytest.raises(StartError, match=r"no-such.*apt-get install fonts-liberation .*fonts-wqy-microhei"):
        plan(SvgSettings(fonts=(*SvgSettings().fonts, f"{tmp_path}/no-such-*.ttf")))


async def test_signs_of_mathematics_and_chinese_have_glyphs_of_the_fonts_that_are_installed(running):
    for sign in "∑中ن":
        drawn = image_of(await answer(running, f"<text y='20'>{sign}</text>"))
        missing = image_of(await answer(running, "<text y='20'>\U000f0000</text>"))
        assert drawn.tobytes() != missing.tobytes()


async def test_nobody_brings_along_files_of_the_service(running):
    response = await answer(running, "<path d='M0 0h9v9'/>", files={".i2s/more.txt": b"x"})
    assert response.verdict == pb.VERDICT_INVALID_INPUT
    assert ".i2s/more.txt" in response.message


async def test_a_file_beside_the_image_is_drawn_and_one_that_is_not_there_is_an_event(running):
    body = '<image href="red.svg" width="8" height="6"/><rect x="20" width="4" height="3"/>'
    image = image_of(await answer(running, body, files={"a/red.svg": RED.encode()}))
    assert image.getpixel((2, 2)) == (255, 0, 0)
    response = await answer(running, body)
    assert image_of(response).getpixel((2, 2)) == (255, 255, 255)
    events = [(policy_event.kind, policy_event.detail) for policy_event in response.policy_events]
    assert events == [(pb.POLICY_KIND_FILE_READ, "image: red.svg")]


async def test_an_error_says_its_line(running):
    response = await answer(running, "\n<rect></circle>")
    assert response.verdict == pb.VERDICT_COMPILE_ERROR
    assert response.error.line == 2
    assert "'rect'" in response.error.message


@pytest.mark.parametrize(
    ("body", "line"),
    [("\n\n<!-- a -- b -->", 3), ("\n<rect a='1' a='2'/>", 2), ("<style>\n\n</style><rect a='<'/>", 3)],
)
async def test_the_line_is_that_of_the_fault_wherever_resvg_says_it(running, body, line):
    response = await answer(running, body)
    assert (response.verdict, response.error.line) == (pb.VERDICT_COMPILE_ERROR, line), response.message


async def test_a_line_before_the_declaration_of_xml_is_no_fault(running):
    source = generic_source(RENDER_SVG, f'\n<?xml version="1.0"?>\n{RED}')
    assert image_of(await running.render(source)).getpixel((2, 2)) == (255, 0, 0)


async def test_there_is_no_second_page(running):
    response = await answer(running, '<rect width="4" height="3"/>', page=pb.PageOptions(first_page=2))
    assert response.verdict == pb.VERDICT_NO_OUTPUT
