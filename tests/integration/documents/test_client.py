"""The client of the documents service against the real one: batches, bounds of requests, verdicts."""

from __future__ import annotations

import pytest
import pytest_asyncio

from documents_service import GOOD, Documents, documents_service, pdf
from i2s_client import AsyncDocumentsClient
from i2s_client.documents import MAX_FRAGMENTS, MAX_TEXT_BYTES
from i2s_sdk.errors import RequestRefusedError
from i2s_wire.documents import DocumentDefect, Fragment, FragmentFormat, ImageFormat, PageDrawing
from i2s_wire.render.rendering import Verdict

pytestmark = [pytest.mark.integration, pytest.mark.asyncio(loop_scope="session")]

MARKDOWN, LATEX = FragmentFormat.MARKDOWN, FragmentFormat.LATEX
PNG = PageDrawing(72.0, ImageFormat.PNG)


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def client():
    small = Documents(
        arguments=lambda folder: (
            ["--jail-uid-base", "64200", "--response-bytes", "2000", "--max-pages-drawn", "3"]
        )
    )
    async with documents_service(small) as running, AsyncDocumentsClient(running.process.address) as found:
        yield found


async def test_more_fragments_than_a_response_holds_are_all_converted_in_order(client):
    fragments = [Fragment(str(at), MARKDOWN, f"{'x' * 900} {at}") for at in range(MAX_FRAGMENTS + 6)]
    converted = await client.convert(fragments)
    assert [one.id for one in converted] == [fragment.id for fragment in fragments]
    assert [one.html for one in converted] == [
        f"<p>{fragment.text.replace(' ', chr(10))}</p>\n" for fragment in fragments
    ]


async def test_no_fragments_need_no_call():
    async with AsyncDocumentsClient("127.0.0.1:1") as nowhere:
        assert await nowhere.convert([]) == ()


async def test_failures_have_verdict_and_reason_and_lose_no_other(client):
    fragments = [
        Fragment("same", LATEX, "\\begin{tabular}"),
        Fragment("same", MARKDOWN, "a\udc80"),
        Fragment("large", MARKDOWN, "x" * (MAX_TEXT_BYTES + 1)),
        Fragment("good", MARKDOWN, GOOD),
    ]
    refused, surrogate, large, good = await client.convert(fragments)
    assert (refused.html, refused.verdict) == (None, Verdict.COMPILE_ERROR)
    assert refused.reason.startswith("Error at")
    assert (surrogate.verdict, large.verdict) == (Verdict.INVALID_INPUT, Verdict.INVALID_INPUT)
    assert str(MAX_TEXT_BYTES) in large.reason
    assert (good.reason, good.verdict) == ("", None)
    assert "<td>c</td>" in good.html


async def test_all_pages_of_a_document_come_in_as_many_calls_as_are_needed(client):
    document = pdf([f"{at} 0 20 20 re f".encode() for at in range(8)])
    whole = await client.draw_pages(document, PNG)
    assert (whole.verdict, whole.page_count, len(whole.pages)) == (Verdict.RENDERED, 8, 8)
    assert len(set(whole.pages)) == 8
    some = await client.draw_pages(document, PNG, first=3, count=4)
    assert some.pages == whole.pages[2:6]
    beyond = await client.draw_pages(document, PNG, first=7, count=100)
    assert beyond.pages == whole.pages[6:]


async def test_a_page_in_the_middle_that_cannot_be_drawn_decides(client):
    huge = {2: "/MediaBox [0 0 14400 14400]"}
    drawn = await client.draw_pages(pdf([b"0 0 m"] * 4, page=huge))
    assert (drawn.verdict, drawn.pages, drawn.page_count) == (Verdict.PIXEL_LIMIT, (), 4)
    assert drawn.message.startswith("Page 3 ")


async def test_what_is_no_document_has_its_defect(client):
    drawn = await client.draw_pages(b"junk")
    assert (drawn.verdict, drawn.defect) == (Verdict.INVALID_INPUT, DocumentDefect.BROKEN)


async def test_options_without_meaning_are_refused(client):
    with pytest.raises(RequestRefusedError, match="dpi"):
        await client.draw_pages(pdf(), PageDrawing(dpi=-1))
    with pytest.raises(RequestRefusedError, match="page_count"):
        await client.draw_pages(pdf(), PNG, count=0)


async def test_it_describes_the_service(client):
    about = await client.describe()
    assert about.max_pages_drawn == 3
    assert {engine.name for engine in about.engines} == {"pandoc", "pdfium"}
