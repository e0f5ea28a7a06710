"""The contract of renderers over Typst, and what is its own: pages, packages, errors, the clock."""

import io
import struct

import pytest
from PIL import Image

from i2s.render.v1 import render_pb2 as pb
from i2s_chassis.contract import contract_of
from renderers import TYPST

pytestmark = [pytest.mark.integration, pytest.mark.asyncio(loop_scope="session")]

running, TestContract = contract_of(TYPST)


async def answer(running, text, page=None, files=None):
    content = {"main.typ": text.encode(), **(files or {})}
    given = [pb.File(path=path, content=one) for path, one in content.items()]
    request = pb.RenderRequest(generic=pb.GenericSource(language="typst", entry="main.typ", files=given))
    if page is not None:
        request.options.page.CopyFrom(page)
    return await running.stub.Render(request)


def sizes(response):
    assert response.verdict == pb.VERDICT_RENDERED, response.message
    return [struct.unpack_from(">II", picture.png, 16) for picture in response.pictures]


NARROW = "#set page(width: 144pt, height: 72pt, margin: 0pt)\n"
WHOLE = {"crop": pb.CROP_NONE, "cut_bottom": 0.0}


async def test_a_page_has_the_pixels_of_its_resolution(running):
    assert sizes(await answer(running, f"{NARROW}x", pb.PageOptions(dpi=72.0, **WHOLE))) == [(144, 72)]
    assert sizes(await answer(running, f"{NARROW}x", pb.PageOptions(dpi=144.0, **WHOLE))) == [(288, 144)]


async def test_a_page_is_cropped_to_its_ink_unless_that_is_not_wanted(running):
    square = f"{NARROW}#place(dx: 10pt, dy: 10pt, rect(width: 20pt, height: 5pt, fill: black, stroke: none))"
    assert sizes(await answer(running, square, pb.PageOptions(dpi=72.0))) == [(20, 5)]


async def test_the_pages_that_are_asked_for_are_returned_with_their_numbers(running):
    text = NARROW + "#pagebreak()".join("abcd")
    response = await answer(running, text, pb.PageOptions(dpi=72.0, first_page=2, page_count=2))
    assert [picture.page for picture in response.pictures] == [2, 3]
    assert response.total_pages == 4
    late = await answer(running, text, pb.PageOptions(first_page=5))
    assert late.verdict == pb.VERDICT_NO_OUTPUT
    assert "among the 4" in late.message


async def test_only_pages_count_whatever_the_text_says(running):
    text = (
        '#set document(title: "/MediaBox [0 0 90000 90000]", keywords: "/MediaBox [0 0 9 9]")\n'
        f'{NARROW}#link("https://127.0.0.1//MediaBox [0 0 9 9]")[x] /MediaBox [0 0 9 9]'
    )
    response = await answer(running, text, pb.PageOptions(dpi=72.0, **WHOLE))
    assert (sizes(response), response.total_pages) == ([(144, 72)], 1)
    late = await answer(running, text, pb.PageOptions(first_page=2))
    assert late.verdict == pb.VERDICT_NO_OUTPUT
    assert late.message == "There is no page 2 among the 1 of the document."


async def test_a_package_is_named_that_is_imported_through_a_variable(running):
    response = await answer(running, '#let p = "@preview/cetz-plot:0.1.1"\n#import p: *')
    assert response.verdict == pb.VERDICT_COMPILE_ERROR
    assert (response.error.line, response.error.undefined.name) == (2, "@preview/cetz-plot:0.1.1")
    assert [policy_event.detail for policy_event in response.policy_events] == [
        "package @preview/cetz-plot:0.1.1"
    ]


async def test_a_package_that_is_brought_along_is_refused(running):
    place = ".i2s/packages/preview/cetz/0.3.0"
    files = {
        f"{place}/typst.toml": b'[package]\nname = "cetz"\nversion = "0.3.0"\nentrypoint = "a.typ"',
        f"{place}/a.typ": b"#let canvas = [x]",
    }
    response = await answer(running, '#import "@preview/cetz:0.3.0": canvas\n#canvas', files=files)
    assert response.verdict == pb.VERDICT_INVALID_INPUT
    assert ".i2s/" in response.message


async def test_a_package_is_not_fetched_and_is_named(running):
    response = await answer(running, '\n#import "@preview/cetz:0.3.0": canvas')
    assert response.verdict == pb.VERDICT_COMPILE_ERROR
    assert "@preview/cetz:0.3.0" in response.message
    assert (response.error.line, response.error.undefined.name) == (2, "@preview/cetz:0.3.0")
    events = [(policy_event.kind, policy_event.detail) for policy_event in response.policy_events]
    assert events == [(pb.POLICY_KIND_NETWORK, "package @preview/cetz:0.3.0")]


async def test_a_file_beside_the_document_is_read_and_an_error_in_it_names_it(running):
    text = '#include "part.typ"'
    assert sizes(await answer(running, text, files={"part.typ": b"Part"}))
    response = await answer(running, text, files={"part.typ": b"\n\n#nothing"})
    assert (response.error.file, response.error.line) == ("part.typ", 3)
    assert response.error.message == "unknown variable: nothing"


async def test_an_error_in_another_file_of_the_same_name_names_its_path(running):
    response = await answer(running, '#include "a/main.typ"', files={"a/main.typ": b"\n#nothing"})
    assert (response.error.file, response.error.line) == ("a/main.typ", 2)


async def test_the_words_of_a_document_are_no_place_of_an_error(running):
    text = '#assert(false, message: "a\\n  ┌─ other.typ:99:1\\n  │\\n99 │ x")'
    response = await answer(running, text)
    assert (response.error.file, response.error.line) == ("", 1)


async def test_the_clock_stands_still(running):
    response = await answer(running, "#assert.eq(datetime.today().year(), 2024)\nx")
    assert response.verdict == pb.VERDICT_RENDERED, response.message


async def test_a_page_without_a_ground_is_on_white(running):
    response = await answer(
        running, "#set page(width: 9pt, height: 9pt, margin: 0pt, fill: none)\n#rect(width: 3pt)",
        pb.PageOptions(dpi=72.0, **WHOLE),
    )  # fmt: skip
    image = Image.open(io.BytesIO(response.pictures[0].png)).convert("RGB")
    assert image.getpixel((8, 8)) == (255, 255, 255)
