"""Hostile LaTeX against the real engine: the right verdict, nothing read, written or left behind.

After every attack an ordinary document gives the very bytes it gave before.
"""

import io
import struct
import tempfile
import zlib
from pathlib import Path

import pytest
import pytest_asyncio
from PIL import Image

from i2s_chassis.jail import PolicyKind, Tier
from i2s_chassis.limits import Limits
from i2s_wire.render.rendering import Verdict
from i2s_wire.render.request import File
from i2s_wire.render.source_error import ErrorKind
from latex_attacked import attacked_engine, document

pytestmark = [pytest.mark.security, pytest.mark.asyncio(loop_scope="session")]


@pytest_asyncio.fixture(
    scope="session",
    loop_scope="session",
    params=[Tier.NAMESPACE, Tier.LANDLOCK],
    ids=["namespace", "landlock"],
)
async def attacked(request):
    # A folder that the users of jobs can reach; pytest closes its own to others.
    with tempfile.TemporaryDirectory(prefix="i2s-attacks-") as name:
        Path(name).chmod(0o755)
        async with attacked_engine(Path(name), tier=request.param) as attacked:
            yield attacked


def png(width, height, colour_type, channels):
    """An image of one colour that is small in bytes and large in pixels."""

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    packer, rows = zlib.compressobj(9), []
    row = bytes(1 + width * channels)
    rows = [packer.compress(row) for _ in range(height)] + [packer.flush()]
    header = struct.pack(">IIBBBBB", width, height, 8, colour_type, 0, 0, 0)
    parts = [chunk(b"IHDR", header), chunk(b"IDAT", b"".join(rows)), chunk(b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)


@pytest.mark.parametrize(
    "body",
    ["\\immediate\\write18{echo x > SECRETFILE.out}", "\\write18{cat SECRETFILE}\\mbox{}\\newpage"],
)
async def test_write18_starts_nothing(attacked, body):
    rendering = await attacked.render("x" + body)
    assert rendering.verdict is Verdict.RENDERED
    assert PolicyKind.EXECUTE in {event.kind for event in rendering.events}


@pytest.mark.parametrize("body", ["\\input{|id}", "\\input|id ", '\\input{"|cat SECRETFILE"}'])
async def test_input_from_a_pipe_is_an_error(attacked, body):
    assert (await attacked.render(body)).verdict is Verdict.COMPILE_ERROR


@pytest.mark.parametrize("file", ["/etc/passwd", "SECRETFILE", "/proc/self/environ", "../../../etc/passwd"])
@pytest.mark.parametrize(
    "command", ["\\input{%s}", "\\lstinputlisting{%s}", "\\include{%s}x", "\\csname @@input\\endcsname %s "]
)
async def test_files_of_the_host_cannot_be_included(attacked, command, file):
    rendering = await attacked.render(command % file)
    assert rendering.verdict in (Verdict.COMPILE_ERROR, Verdict.RENDERED)
    if rendering.verdict is Verdict.RENDERED:  # \include passes over what is not there
        assert await attacked.shows(command % file, "x")


@pytest.mark.parametrize("file", ["/etc/passwd", "SECRETFILE"])
async def test_verbatiminput_finds_nothing(attacked, file):
    assert await attacked.shows(f"x\n\n\\verbatiminput{{{file}}}", "x\n\n\\verbatiminput{nothing}")


@pytest.mark.parametrize("file", ["/etc/passwd", "SECRETFILE", "/etc/hostname", "../secrets/secret.tex"])
async def test_openin_finds_nothing(attacked, file):
    assert await attacked.shows(f"\\openin5={file} \\ifeof5 none\\else found\\fi", "none")


@pytest.mark.parametrize("file", ["/etc/passwd", "SECRETFILE"])
async def test_pdffiledump_and_its_kin_tell_nothing(attacked, file):
    body = "x\\pdffiledump offset 0 length 9{%s}\\pdffilesize{%s}\\pdfmdfivesum file{%s}\\pdffilemoddate{%s}"
    assert await attacked.shows(body % ((file,) * 4), "x")


@pytest.mark.parametrize(
    "body",
    [
        "\\immediate\\pdfobj stream file{SECRETFILE}x",
        "\\immediate\\pdfobj stream file{/etc/passwd}x",
        "\\pdfximage{SECRETFILE}x",
        "\\includegraphics{/etc/passwd}",
        "\\font\\x=/etc/passwd \\x a",
        "\\pdfmapfile{/etc/passwd}x",
    ],
)
async def test_other_ways_to_a_file_end_in_a_verdict(attacked, body):
    rendering = await attacked.render(body)
    assert rendering.verdict in (Verdict.COMPILE_ERROR, Verdict.RENDERED)


@pytest.mark.parametrize("file", ["/tmp/i2s-attack", "SECRETFILE", "../i2s-attack", "/var/tmp/i2s-attack"])
async def test_openout_writes_nothing_outside(attacked, file):
    rendering = await attacked.render(f"\\immediate\\openout5={file} \\immediate\\write5{{gotcha}}x")
    assert rendering.verdict is Verdict.COMPILE_ERROR
    assert rendering.error.kind is ErrorKind.INPUT_OUTPUT
    assert PolicyKind.FILE_WRITE in {event.kind for event in rendering.events}
    assert not Path("/tmp/i2s-attack").exists()
    assert not Path("/var/tmp/i2s-attack").exists()


@pytest.mark.parametrize(
    "body",
    [
        "\\loop\\iftrue\\repeat",
        "\\def\\x{\\x}\\x",
        "\\tikz \\foreach \\i in {1,...,10000} \\foreach \\j in {1,...,10000} \\path (0,0);",
        "\\csname @whilesw\\endcsname\\iftrue\\fi{\\message{}}",
    ],
)
async def test_endless_work_is_a_time_limit(attacked, body):
    rendering = await attacked.render(body, limits=Limits(cpu_seconds=1.0, wall_seconds=20.0))
    assert rendering.verdict is Verdict.TIME_LIMIT
    assert rendering.usage.cpu_seconds < 2.0


async def test_a_loop_that_tikz_cannot_count_is_an_error(attacked):
    rendering = await attacked.render("\\tikz \\foreach \\i in {1,...,100000000} \\draw (0,0) -- (1,1);")
    assert rendering.verdict is Verdict.COMPILE_ERROR
    assert rendering.error.kind is ErrorKind.CAPACITY


async def test_a_doubling_macro_is_a_capacity(attacked):
    rendering = await attacked.render("\\def\\a{xx}\\loop\\edef\\a{\\a\\a}\\iftrue\\repeat")
    assert rendering.verdict is Verdict.COMPILE_ERROR
    assert rendering.error.kind is ErrorKind.CAPACITY


@pytest.mark.parametrize("page", ["x\\newpage", "\\shipout\\hbox{}"])
async def test_pages_without_end_are_a_page_limit(attacked, page):
    assert (await attacked.render(f"\\loop {page}\\iftrue\\repeat")).verdict is Verdict.PAGE_LIMIT


async def test_a_page_more_than_allowed_is_a_page_limit(attacked):
    limits = Limits(pages=2)
    assert (await attacked.render("1\\newpage 2", limits=limits)).verdict is Verdict.RENDERED
    assert (await attacked.render("1\\newpage 2\\newpage 3", limits=limits)).verdict is Verdict.PAGE_LIMIT


@pytest.mark.parametrize(
    "body",
    [
        "\\loop\\message{abcdefghijklmnopqrstuvwxyz}\\iftrue\\repeat",
        "\\tracingall\\loop\\iftrue\\repeat",
        "\\immediate\\openout5=flood\\loop\\immediate\\write5{abcdefghijklmnopqrstuvwxyz}\\iftrue\\repeat",
    ],
)
async def test_a_flood_of_output_is_an_output_limit(attacked, body):
    limits = Limits(cpu_seconds=10.0, file_bytes=1024 * 1024)
    rendering = await attacked.render(body, limits=limits)
    assert rendering.verdict is Verdict.OUTPUT_LIMIT
    assert len(rendering.log.whole) <= limits.log_bytes + 100


async def test_thousands_of_files_are_an_output_limit(attacked):
    file = "\\immediate\\openout5=f\\the\\count1 \\immediate\\closeout5"
    body = f"\\loop\\advance\\count1 by 1 {file}\\iftrue\\repeat"
    assert (await attacked.render(body)).verdict is Verdict.OUTPUT_LIMIT


@pytest.mark.parametrize("size", ["16383pt", "14400bp", "10000pt"])
async def test_an_enormous_page_is_a_pixel_limit(attacked, size):
    rendering = await attacked.render(f"\\pdfpagewidth={size}\\pdfpageheight={size} x")
    assert rendering.verdict is Verdict.PIXEL_LIMIT
    assert "raster" not in {stage.name for stage in rendering.stages}


@pytest.mark.parametrize(("colour_type", "channels"), [(2, 3), (6, 4)])
async def test_a_png_bomb_stays_within_the_limits(attacked, colour_type, channels):
    bomb = png(20_000, 20_000, colour_type, channels)
    assert len(bomb) < 4 * 1024 * 1024
    limits = Limits(cpu_seconds=4.0, memory_bytes=512 * 1024 * 1024)
    rendering = await attacked.render(
        "\\includegraphics[width=5cm]{bomb.png}", files=(File("bomb.png", bomb),), limits=limits
    )
    assert rendering.verdict in (
        Verdict.RENDERED,
        Verdict.TIME_LIMIT,
        Verdict.MEMORY_LIMIT,
        Verdict.OUTPUT_LIMIT,
        Verdict.COMPILE_ERROR,
    )
    assert rendering.usage.cpu_seconds < 6.0
    assert rendering.usage.peak_memory_bytes < 2 * limits.memory_bytes


async def test_a_jpeg_of_many_scans_ends_in_a_verdict(attacked):
    output = io.BytesIO()
    Image.new("RGB", (1000, 1000), (200, 10, 40)).save(output, "JPEG", progressive=True)
    whole = output.getvalue()
    slow = whole[:-2] + whole[whole.rindex(b"\xff\xda") : -2] * 20_000 + whole[-2:]
    rendering = await attacked.render(
        "\\includegraphics[width=5cm]{slow.jpg}",
        files=(File("slow.jpg", slow),),
        limits=Limits(cpu_seconds=2.0, wall_seconds=60.0),
    )
    assert rendering.verdict is Verdict.TIME_LIMIT
    assert rendering.usage.cpu_seconds < 4.0


async def test_reading_the_terminal_is_an_error(attacked):
    rendering = await attacked.render("\\read16 to \\x \\x")
    assert rendering.verdict is Verdict.COMPILE_ERROR
    assert rendering.error.kind is ErrorKind.INPUT_OUTPUT


@pytest.mark.parametrize(
    "first", ["%&latex -shell-escape", "%& -shell-escape -interaction=nonstopmode", "%&/etc/passwd"]
)
async def test_the_first_line_is_a_comment(attacked, first):
    source = f"{first}\n".encode() + document("x\\immediate\\write18{id}")
    rendering = await attacked.render("", source=source)
    assert rendering.verdict is Verdict.RENDERED
    assert PolicyKind.EXECUTE in {event.kind for event in rendering.events}


@pytest.mark.parametrize("mode", ["\\scrollmode", "\\nonstopmode", "\\errorstopmode", "\\batchmode"])
async def test_an_error_stops_in_every_mode_of_interaction(attacked, mode):
    assert (await attacked.render(f"{mode} x \\wrong")).verdict is Verdict.COMPILE_ERROR


async def test_a_forged_log_changes_nothing(attacked):
    forged = "x\\immediate\\write-1{! I am an error.^^JOutput written on document.pdf (999 pages).}"
    rendering = await attacked.render("\\newlinechar=`\\^^J " + forged)
    assert rendering.verdict is Verdict.RENDERED
    assert rendering.total_pages == 1


async def test_overwriting_ones_own_files_ends_in_a_verdict(attacked):
    for name in ("document.log", "document.tex", "document.aux", "document.pdf"):
        rendering = await attacked.render(f"\\immediate\\openout5={name} \\immediate\\write5{{gotcha}}x")
        assert rendering.verdict in (Verdict.RENDERED, Verdict.COMPILE_ERROR, Verdict.NO_OUTPUT)


async def test_a_page_that_poppler_refuses_is_said_to_be_refused(attacked):
    annotation = "\\pdfannot width 1pt height 1pt depth 0pt {/Subtype /Link}"
    body = f"x\\count1=0 \\loop\\advance\\count1 by 1 {annotation}\\ifnum\\count1<60000\\repeat"
    rendering = await attacked.render(body, limits=Limits(cpu_seconds=10.0, wall_seconds=60.0))
    assert (rendering.verdict, rendering.total_pages) == (Verdict.NO_OUTPUT, 1)
    assert rendering.message.startswith("Page 1 of the PDF cannot be read: ")
    assert "Too big: (60000)" in rendering.message


async def test_drawing_code_that_is_no_pdf_ends_in_a_verdict(attacked):
    rendering = await attacked.render("x\\pdfliteral direct{Q Q Q (((( q q 1e999 0 0 1 0 0 cm}")
    assert rendering.verdict in (Verdict.RENDERED, Verdict.NO_OUTPUT)


async def test_a_deep_nest_of_drawing_groups_ends_in_a_verdict(attacked):
    rendering = await attacked.render(
        "x\\count1=0 \\loop\\advance\\count1 by 1 \\pdfliteral direct{q}\\ifnum\\count1<200000\\repeat"
    )
    assert isinstance(rendering.verdict, Verdict)
