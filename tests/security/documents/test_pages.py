"""Hostile PDF documents: limits hold, reasons are said, and nothing of the host is read or changed."""

from __future__ import annotations

import io
import zlib
from dataclasses import replace

import pypdf
import pytest
import pytest_asyncio

from documents_attacked import LIMITS, TIERS, attacked
from documents_service import document, pdf, stream
from i2s_wire.documents import DocumentDefect, PageDrawing
from i2s_wire.render.rendering import Verdict

pytestmark = [pytest.mark.security, pytest.mark.asyncio(loop_scope="session")]

GOOD = pdf()


@pytest_asyncio.fixture(scope="module", loop_scope="session", params=TIERS)
async def under_attack(request):
    async with attacked(request.param) as found:
        yield found


def encrypted(**passwords):
    writer = pypdf.PdfWriter(clone_from=io.BytesIO(GOOD))
    writer.encrypt(algorithm="RC4-128", **passwords)
    output = io.BytesIO()
    writer.write(output)
    return output.getvalue()


def with_object_streams(levels=3):
    """Objects within compressed object streams, each of which was compressed again."""
    content = b"1 0 2 36 << /Type /Catalog /Pages 2 0 R >>   << /Type /Pages /Kids [] /Count 0 >>"
    filters = "/FlateDecode " * levels
    for _ in range(levels):
        content = zlib.compress(content)
    entries = f"/Type /ObjStm /N 2 /First 9 /Filter [{filters}]"
    return document([b"<< /Type /Catalog /Pages 9 0 R >>", stream(content, entries)])


def bombed(megabytes=1024, levels=1):
    """A page whose content is so long when it is decompressed."""
    packed = zlib.compressobj(9)
    block = b"0 0 m 72 36 l S\n" * 65_536
    content = b"".join(packed.compress(block) for _ in range(megabytes)) + packed.flush()
    for _ in range(levels - 1):
        content = zlib.compress(content)
    filters = "/FlateDecode " * levels
    return document(
        [
            b"<< /Type /Catalog /Pages 2 0 R >>",
            b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 72 36] /Contents 4 0 R >>",
            stream(content, f"/Filter [{filters}]"),
        ]
    )


@pytest.mark.parametrize(
    ("content", "defect"),
    [
        (encrypted(user_password="x", owner_password="y"), DocumentDefect.ENCRYPTED),
        (b"", DocumentDefect.BROKEN),
        (b"\0" * 1000, DocumentDefect.BROKEN),
        (b"%PDF-1.7\n%%EOF", DocumentDefect.BROKEN),
        (GOOD[:100], DocumentDefect.BROKEN),
    ],
    ids=["encrypted", "empty", "zeros", "nothing in it", "cut off"],
)
async def test_what_cannot_be_opened_has_its_defect(under_attack, content, defect):
    drawn = await under_attack.draw(content)
    assert (drawn.verdict, drawn.defect) == (Verdict.INVALID_INPUT, defect), drawn.message
    assert drawn.message


async def test_objects_in_streams_that_are_compressed_again_and_again_give_no_page(under_attack):
    drawn = await under_attack.draw(with_object_streams())
    assert (drawn.verdict, drawn.message) == (Verdict.NO_OUTPUT, "The document has no pages.")


async def test_a_document_that_is_encrypted_for_its_owner_alone_is_drawn(under_attack):
    drawn = await under_attack.draw(encrypted(user_password="", owner_password="y"))
    assert drawn.verdict is Verdict.RENDERED


async def test_ten_thousand_pages_are_a_page_limit_and_can_be_permitted(under_attack):
    many = pdf([b"0 0 m"] * 10_000)
    drawn = await under_attack.draw(many)
    assert (drawn.verdict, drawn.total_pages) == (Verdict.PAGE_LIMIT, 10_000), drawn.message
    drawn = await under_attack.draw(many, replace(LIMITS, pages=10_000), first=9_999)
    assert [page.page for page in drawn.pages] == [9_999, 10_000]


async def test_a_huge_page_is_a_pixel_limit(under_attack):
    drawn = await under_attack.draw(pdf(box="0 0 14400 14400"), drawing=PageDrawing())
    assert drawn.verdict is Verdict.PIXEL_LIMIT
    assert "43200 x 43200" in drawn.message


@pytest.mark.parametrize("box", ["0 0 1e30 1e30", "0 0 1e38 1", "0 0 99999999999999999999 10"])
async def test_a_page_without_bounds_is_never_drawn_beyond_the_limit(under_attack, box):
    drawn = await under_attack.draw(pdf(box=box))
    assert drawn.verdict in {Verdict.PIXEL_LIMIT, Verdict.NO_OUTPUT, Verdict.RENDERED}
    assert all(page.width * page.height <= LIMITS.pixels for page in drawn.pages)


@pytest.mark.parametrize("box", ["0 0 0 0", "10 10 5 5", "0 0 nan nan", ""])
async def test_a_page_without_a_size_gets_a_verdict(under_attack, box):
    drawn = await under_attack.draw(pdf(box=box))
    assert drawn.verdict in {Verdict.RENDERED, Verdict.NO_OUTPUT}


async def test_an_image_that_is_too_large_as_a_file_is_an_output_limit(under_attack):
    drawn = await under_attack.draw(GOOD, replace(LIMITS, picture_bytes=50))
    assert drawn.verdict is Verdict.OUTPUT_LIMIT


async def test_a_page_that_takes_too_long_is_a_time_limit_and_others_are_drawn(under_attack):
    slow = b"1 0 0 RG 0.1 w\n" + b"0 0 m 72 36 10 5 60 9 c S\n" * 3_000_000
    content = pdf([b"0 0 m", slow, b"0 0 m"], compressed=True)
    # PDFium reads all of the page before it draws: on a fast processor it needs 512 MiB in the first second.
    limits = replace(LIMITS, cpu_seconds=1.0, memory_bytes=4 << 30)
    first = await under_attack.draw(content, limits)
    assert [page.page for page in first.pages] == [1]
    second = await under_attack.draw(content, limits, first=2)
    assert second.verdict is Verdict.TIME_LIMIT
    third = await under_attack.draw(content, limits, first=3)
    assert [page.page for page in third.pages] == [3]


@pytest.mark.parametrize("levels", [1, 3])
async def test_a_decompression_bomb_ends_at_a_limit(under_attack, levels):
    drawn = await under_attack.draw(bombed(levels=levels), replace(LIMITS, memory_bytes=256 << 20))
    assert drawn.verdict in {Verdict.MEMORY_LIMIT, Verdict.TIME_LIMIT}, drawn.message


async def test_a_picture_that_unpacks_to_gigabytes_ends_at_a_limit_or_is_left_out(under_attack):
    image = stream(
        zlib.compress(b"\0" * (1 << 26)),
        "/Type /XObject /Subtype /Image /Width 60000 /Height 60000 /BitsPerComponent 8"
        " /ColorSpace /DeviceRGB /Filter /FlateDecode",
    )
    content = pdf(
        [b"72 0 0 36 0 0 cm /Im Do"], more=[image], page={0: "/Resources << /XObject << /Im 5 0 R >> >>"}
    )
    drawn = await under_attack.draw(content, replace(LIMITS, memory_bytes=256 << 20))
    assert drawn.verdict in {Verdict.MEMORY_LIMIT, Verdict.TIME_LIMIT, Verdict.RENDERED}


async def test_scripts_links_and_embedded_files_do_nothing(under_attack):
    secret, port = under_attack.secret, under_attack.port
    script = f"/OpenAction << /S /JavaScript /JS (app.launchURL\\('http://127.0.0.1:{port}'\\);) >>"
    launch = f"/AA << /O << /S /Launch /F ({secret}) >> /C << /S /URI /URI (http://127.0.0.1:{port}) >> >>"
    names = "/Names << /EmbeddedFiles << /Names [(x) << /Type /Filespec /F (x) /EF << /F 5 0 R >> >>] >> >>"
    content = pdf(catalog=f"{script} {names}", page={0: launch}, more=[stream(b"embedded")])
    assert (await under_attack.draw(content)).pages == (await under_attack.draw(GOOD)).pages


async def test_streams_in_files_of_the_host_are_not_read(under_attack):
    content = document(
        [
            b"<< /Type /Catalog /Pages 2 0 R >>",
            b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 72 36] /Contents 4 0 R >>",
            f"<< /Length 0 /F ({under_attack.secret}) >>\nstream\n\nendstream".encode(),
        ]
    )
    empty = await under_attack.draw(pdf([b""]))
    assert (await under_attack.draw(content)).pages == empty.pages


@pytest.mark.parametrize(
    "kids", ["[2 0 R]", "[3 0 R 2 0 R]", "[" + "3 0 R " * 10_000 + "]"], ids=["itself", "both", "one page"]
)
async def test_trees_of_pages_with_loops_end(under_attack, kids):
    content = document(
        [
            b"<< /Type /Catalog /Pages 2 0 R >>",
            f"<< /Type /Pages /Kids {kids} /Count 3 >>".encode(),
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 72 36] >>",
        ]
    )
    drawn = await under_attack.draw(content)
    assert drawn.verdict in {Verdict.RENDERED, Verdict.NO_OUTPUT, Verdict.INVALID_INPUT, Verdict.PAGE_LIMIT}


async def test_deep_nesting_ends(under_attack):
    content = document([b"<< /Type /Catalog /Pages 2 0 R >>", b"[" * 100_000 + b"]" * 100_000])
    drawn = await under_attack.draw(content)
    assert drawn.verdict in {Verdict.INVALID_INPUT, Verdict.NO_OUTPUT, Verdict.CRASHED}
