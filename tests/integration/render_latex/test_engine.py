"""What becomes of documents, by the real engine."""

import asyncio
import io
import zlib

import pytest
from PIL import Image

from i2s_chassis.jail import Jail, JailSettings, NoTierError, PolicyKind, Tier
from i2s_chassis.limits import Limits, LimitTable
from i2s_chassis.renderer.start_checks import canary_limits
from i2s_render_latex.engine import LatexRenderer
from i2s_render_latex.model import LatexJob, Options
from i2s_render_latex.raster import MAX_BYTES
from i2s_render_latex.service import canary
from i2s_wire.render.options import BlankPage, Crop
from i2s_wire.render.rendering import Verdict
from i2s_wire.render.request import File
from i2s_wire.render.source_error import ErrorKind, Provider, ProviderKind

pytestmark = [pytest.mark.integration, pytest.mark.asyncio(loop_scope="session")]

PLAIN = "\\documentclass{article}\n"


def document(body, preamble=PLAIN):
    return f"{preamble}\\begin{{document}}\n{body}\n\\end{{document}}\n".encode()


def opened(rendering):
    (picture,) = rendering.pictures
    return Image.open(io.BytesIO(picture.png))


def png(width, height):
    output = io.BytesIO()
    Image.new("RGB", (width, height), "red").save(output, "PNG")
    return output.getvalue()


async def test_a_good_document_is_rendered(engine):
    rendering = await engine.render(LatexJob(document("Hello $x^2$")))
    assert rendering.verdict is Verdict.RENDERED
    assert (rendering.total_pages, rendering.pictures[0].page) == (1, 1)
    assert [stage.name for stage in rendering.stages] == ["compile", "raster", "crop"]
    assert rendering.usage.cpu_seconds > 0
    assert b"Output written on document.pdf" in rendering.log.whole
    assert opened(rendering).mode == "RGB"


async def test_poppler_is_asked_where_the_pages_are_not_plain(engine):
    for body in ("one\\newpage two", "\\pdfobjcompresslevel2 x", "\\pdfpageattr{/Rotate 90}x"):
        rendering = await engine.render(LatexJob(document(body)))
        assert rendering.verdict is Verdict.RENDERED
        assert [stage.name for stage in rendering.stages if stage.name != "compile"] == [
            "inspect",
            "raster",
            "crop",
        ]


@pytest.mark.parametrize(
    ("body", "pages", "text"),
    [("only", 1, "only"), ("one\\newpage two\\newpage three", 3, "three"), ("\\null\\newpage x", 2, "x")],
)
async def test_the_last_page_and_its_text_are_returned(engine, body, pages, text):
    options = Options(last_page=True, want_text=True, first_page=1, page_count=2)
    rendering = await engine.render(LatexJob(document(f"\\pagestyle{{empty}}{body}"), options=options))
    (picture,) = rendering.pictures
    assert (rendering.total_pages, picture.page, picture.text) == (pages, pages, text)
    assert "text" in [stage.name for stage in rendering.stages]


async def test_the_text_is_of_each_page_and_only_where_it_is_asked_for(engine):
    source = document("\\pagestyle{empty}finite \\textbf{one}\\newpage two")
    asked = await engine.render(LatexJob(source, options=Options(page_count=2, want_text=True)))
    assert [picture.text for picture in asked.pictures] == ["finite one", "two"]
    plain = await engine.render(LatexJob(source, options=Options(page_count=2)))
    assert [picture.text for picture in plain.pictures] == ["", ""]
    assert [picture.png for picture in plain.pictures] == [picture.png for picture in asked.pictures]


async def test_the_text_of_a_page_is_bounded(engine):
    many = "\\newcount\\n\\loop\\rlap{abcdefgh}\\advance\\n by 1 \\ifnum\\n<20000\\repeat"
    body = f"\\pagestyle{{empty}}\\noindent{many}"
    rendering = await engine.render(LatexJob(document(body), options=Options(want_text=True)))
    (picture,) = rendering.pictures
    assert 0 < len(picture.text.encode()) <= MAX_BYTES


# A page tree beside the one that pdfTeX writes into the catalogue; its names are spelt another way.
OTHER_PAGES = r"""\immediate\pdfobj{<</Type/P#61ges/Count 1/Kids[\the\numexpr\pdflastobj+2\relax\space 0 R]>>}
\edef\pages{\the\pdflastobj}
\immediate\pdfobj{<</Type/P#61ge/Parent \pages\space 0 R/Media#42ox[0 0 WIDTH HEIGHT]/Resources<<>>>>}
\pdfcatalog{/P#61ges \pages\space 0 R}
x"""


@pytest.mark.parametrize(("width", "height"), [(20, 30), (14000, 14000), (900000, 900000)])
async def test_a_pdf_that_lies_of_its_page_harms_nobody(engine, width, height):
    body = OTHER_PAGES.replace("WIDTH", str(width)).replace("HEIGHT", str(height))
    rendering = await engine.render(LatexJob(document(body)))
    assert rendering.verdict in (Verdict.RENDERED, Verdict.PIXEL_LIMIT, Verdict.NO_OUTPUT)
    for picture in rendering.pictures:
        assert picture.width * picture.height <= LatexJob(b"").limits.pixels
    again = await engine.render(LatexJob(document("Hello $x^2$")))
    assert again.verdict is Verdict.RENDERED


async def test_two_runs_of_one_document_are_byte_identical(engine):
    body = (
        "\\pdfuniformdeviate 100000 \\today\n\\begin{tikzpicture}\n"
        "\\foreach \\i in {1,...,30} \\fill (rand*3,rand*3) circle (2pt);\n"
        "\\pgfmathsetseed{\\pdfuniformdeviate 10000}\\draw (0,0) -- (rnd,rnd);\\end{tikzpicture}"
    )
    job = LatexJob(document(body, PLAIN + "\\usepackage{tikz}\n"))
    first, second = await engine.render(job), await engine.render(job)
    assert first.verdict is Verdict.RENDERED
    assert first.pictures[0].png == second.pictures[0].png


async def test_the_picture_is_cut_and_cropped_as_asked(engine):
    job = LatexJob(document("x\\vfill bottom"), options=Options(dpi=72, crop=Crop.NONE, cut_bottom=0))
    assert opened(await engine.render(job)).size == (596, 842)
    cut = LatexJob(document("x\\vfill bottom"), options=Options(dpi=72, crop=Crop.NONE))
    assert opened(await engine.render(cut)).size == (596, 674)


async def test_undefined_command_comes_with_line_and_package(engine):
    rendering = await engine.render(LatexJob(document("a\n\\toprule")))
    assert rendering.verdict is Verdict.COMPILE_ERROR
    assert rendering.error.kind is ErrorKind.UNDEFINED_COMMAND
    assert rendering.error.line == 4
    assert rendering.error.context == "\\toprule"
    assert rendering.error.undefined.name == "toprule"
    assert rendering.error.undefined.providers[0] == Provider(ProviderKind.PACKAGE, "booktabs")


@pytest.mark.parametrize("cold", [False, True])
async def test_lines_of_errors_are_those_of_the_document(engine, cold):
    preamble = next(one.preamble for one in engine.formats).decode() + "\n\\newcommand\\x{1}\n"
    job = LatexJob(document("ok\n\\wrong", preamble), options=Options(cold=cold))
    rendering = await engine.render(job)
    assert rendering.error.line == preamble.count("\n") + 3
    assert rendering.stages[0].detail == ("cold" if cold else "format")


@pytest.mark.parametrize(
    ("body", "kind", "name"),
    [
        ("\\begin{tabularx}{1cm}{X}a\\end{tabularx}", ErrorKind.UNDEFINED_ENVIRONMENT, "tabularx"),
        ("a_b", ErrorKind.MISSING_MATH, None),
        ("\\frac{a", ErrorKind.SYNTAX, None),
        ("\\newcommand\\alpha{x}", ErrorKind.ALREADY_DEFINED, None),
        ("\\includegraphics{nothing.png}", ErrorKind.UNDEFINED_FILE, "nothing.png"),
        ("\\def\\x{\\x\\x}\\x", ErrorKind.CAPACITY, None),
        ("\\read16 to \\x", ErrorKind.INPUT_OUTPUT, None),
        ("\\tikz \\node[diamond] {a};", ErrorKind.UNDEFINED_KEY, "diamond"),
        ("\\textcolor{nonesuch}{x}", ErrorKind.UNDEFINED_COLOR, "nonesuch"),
    ],
)
async def test_an_error_has_its_kind_and_name(engine, body, kind, name):
    rendering = await engine.render(LatexJob(document(body, PLAIN + "\\usepackage{tikz}\n")))
    assert rendering.verdict is Verdict.COMPILE_ERROR
    assert rendering.error.kind is kind
    assert (rendering.error.undefined.name if rendering.error.undefined else None) == name


async def test_a_document_that_never_ends_is_a_compile_error(engine):
    rendering = await engine.render(LatexJob(PLAIN.encode() + b"\\begin{document} x"))
    assert rendering.verdict is Verdict.COMPILE_ERROR


@pytest.mark.parametrize("body", ["", "\\mbox{}", "\\thispagestyle{empty}\\null\\vfill"])
async def test_blank_page_is_no_output(engine, body):
    assert (await engine.render(LatexJob(document(body)))).verdict is Verdict.NO_OUTPUT


async def test_blank_page_is_kept_uncropped_where_asked(engine):
    options = Options(blank_page=BlankPage.KEEP)
    picture = opened(await engine.render(LatexJob(document("\\mbox{}"), options=options)))
    assert picture.size == (1654, 1872)
    assert picture.getextrema() == ((255, 255),) * 3


async def test_dvi_is_no_output(engine):
    assert (await engine.render(LatexJob(document("\\pdfoutput=0 x")))).verdict is Verdict.NO_OUTPUT


async def test_a_pdf_written_by_the_document_itself_is_not_taken(engine):
    write = "\\immediate\\openout5=document.pdf \\immediate\\write5{\\%PDF-1.4}"
    body = f"{write}\\csname @@end\\endcsname"
    assert (await engine.render(LatexJob(document(body)))).verdict is Verdict.NO_OUTPUT


async def test_references_are_resolved_by_rerunning(engine):
    labelled = document("See \\ref{a}.\n\\begin{equation}x\\label{a}\\end{equation}")
    rendering = await engine.render(LatexJob(labelled))
    assert [stage.name for stage in rendering.stages].count("compile") == 2
    once = await engine.render(LatexJob(labelled, options=Options(max_runs=1)))
    assert [stage.name for stage in once.stages].count("compile") == 1
    assert once.verdict is Verdict.RENDERED
    assert once.pictures[0].png != rendering.pictures[0].png


async def test_wanted_pages_are_returned_and_all_are_counted(engine):
    body = "one\\newpage two\\newpage three"
    rendering = await engine.render(LatexJob(document(body), options=Options(first_page=2, page_count=5)))
    assert [picture.page for picture in rendering.pictures] == [2, 3]
    assert rendering.total_pages == 3


async def test_a_page_that_is_not_there_is_no_output(engine):
    rendering = await engine.render(LatexJob(document("one"), options=Options(first_page=2)))
    assert rendering.verdict is Verdict.NO_OUTPUT
    assert "page 2" in rendering.message


async def test_files_beside_the_document_are_found(engine):
    files = (File("pictures/red.png", png(30, 20)), File("part.tex", b"Part"))
    body = "\\includegraphics{pictures/red.png} \\input{part}"
    job = LatexJob(document(body, PLAIN + "\\usepackage{graphicx}\n"), files)
    rendering = await engine.render(job)
    assert rendering.verdict is Verdict.RENDERED
    assert (255, 0, 0) in {colour for _, colour in opened(rendering).getcolors(100_000)}


async def test_an_error_in_a_file_beside_the_document_names_it(engine):
    job = LatexJob(document("\\input{part}"), (File("part.tex", b"a\n\\wrong"),))
    error = (await engine.render(job)).error
    assert (error.file, error.line) == ("part.tex", 2)


@pytest.mark.parametrize(
    "job",
    [
        LatexJob(b""),
        LatexJob(b"\\documentclass{article}\xff\\begin{document}x\\end{document}"),
        LatexJob(b"%" * (10 * 1024 * 1024)),
        LatexJob(document("x"), (File("document.aux", b""),)),
        LatexJob(document("x"), (File("../x", b""),)),
    ],
)
async def test_input_that_tex_cannot_be_given_is_invalid(engine, job):
    rendering = await engine.render(job)
    assert rendering.verdict is Verdict.INVALID_INPUT
    assert rendering.message.startswith("latex.")


@pytest.mark.parametrize(
    ("limits", "expected"),
    [
        (Limits(file_bytes=16), Verdict.OUTPUT_LIMIT),
        (Limits(disk_bytes=4096), Verdict.OUTPUT_LIMIT),
        (Limits(inodes=1), Verdict.OUTPUT_LIMIT),
        (Limits(pages=1), Verdict.PAGE_LIMIT),
        (Limits(pixels=1000), Verdict.PIXEL_LIMIT),
    ],
)
async def test_the_least_limits_on_output_are_verdicts(engine, limits, expected):
    rendering = await engine.render(LatexJob(document("one\\newpage two"), limits=limits))
    assert rendering.verdict is expected
    assert rendering.pictures == ()


@pytest.mark.parametrize(
    ("limits", "expected"),
    [
        (Limits(cpu_seconds=0.001), Verdict.TIME_LIMIT),
        (Limits(wall_seconds=0.001), Verdict.TIME_LIMIT),
        (Limits(memory_bytes=1024), Verdict.MEMORY_LIMIT),
    ],
)
async def test_the_least_limits_on_work_are_verdicts(engine, limits, expected):
    rendering = await engine.render(LatexJob(document("\\loop\\iftrue\\repeat"), limits=limits))
    assert rendering.verdict is expected


@pytest.mark.parametrize("size", [1, 2, 100, 1001])
async def test_the_log_is_bounded(engine, size):
    log = (await engine.render(LatexJob(document("x"), limits=Limits(log_bytes=size)))).log
    assert len(log.head) + len(log.tail) == size
    assert log.total_bytes > size


async def test_a_tiny_resolution_is_a_tiny_picture(engine):
    rendering = await engine.render(
        LatexJob(document("\\rule{10cm}{10cm}"), options=Options(dpi=0.5, crop=Crop.NONE))
    )
    assert opened(rendering).size == (5, 5)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("\\pdfpageattr{/MediaBox [0 0 0 0]}x", Verdict.RENDERED),  # poppler takes a letter page
        ("\\pdfpageattr{/MediaBox [0 0 14400 14400]}x", Verdict.PIXEL_LIMIT),
        ("\\pdfpageattr{/MediaBox [612 792 0 0]}x", Verdict.RENDERED),
        ("\\pdfpageattr{/Rotate 90}x", Verdict.RENDERED),
        ("\\pdfpageattr{/UserUnit 1000}x", Verdict.RENDERED),
        ("\\pdfpagewidth=16383pt\\pdfpageheight=16383pt x", Verdict.PIXEL_LIMIT),
    ],
)
async def test_strange_page_boxes_end_in_verdicts(engine, body, expected):
    rendering = await engine.render(LatexJob(document(body)))
    assert rendering.verdict is expected


async def test_many_jobs_at_once_do_not_disturb_each_other(engine):
    bodies = [f"Number ${n}^{{{n}}}$" for n in range(6)]
    alone = [await engine.render(LatexJob(document(body))) for body in bodies]
    together = await asyncio.gather(*(engine.render(LatexJob(document(body))) for body in bodies))
    assert [one.pictures[0].png for one in alone] == [one.pictures[0].png for one in together]


async def test_cancelling_a_job_ends_it(engine):
    task = asyncio.create_task(engine.render(LatexJob(document("\\loop\\iftrue\\repeat"))))
    done, _ = await asyncio.wait([task], timeout=0.5)
    assert not done
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(task, timeout=3)
    assert (await engine.render(LatexJob(document("x")))).verdict is Verdict.RENDERED


async def test_what_tex_refuses_is_a_policy_event(engine):
    body = "\\immediate\\write18{ls}\\input{/etc/passwd}"
    kinds = {event.kind for event in (await engine.render(LatexJob(document(body)))).events}
    assert {PolicyKind.EXECUTE, PolicyKind.FILE_READ} <= kinds


async def test_a_figure_of_the_class_standalone_attempts_nothing(engine):
    body = "\\begin{tikzpicture}\\draw (0,0) -- (1,1);\\end{tikzpicture}"
    rendering = await engine.render(
        LatexJob(document(body, "\\documentclass[tikz,border=2mm]{standalone}\n"))
    )
    assert rendering.verdict is Verdict.RENDERED
    assert rendering.events == ()


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("\\begin{document}\nx\n\n", 3, r"Emergency stop. The document ends without \end{document}."),
        ("x\\usepackage{amsmath}", 2, r"LaTeX Error: Missing \begin{document}."),
        ("\\usepackage{amsmath}\n", 2, r"Emergency stop. The document ends without \begin{document}."),
        ("\\begin{document}\n\\textbf{x\n\\end{document}", 4, r"File ended while scanning use of \textbf ."),
        ("\\begin{document}\n\\iffalse\n\\end{document}", 3, "Incomplete \\iffalse; all text was ignored"),
    ],
)
@pytest.mark.parametrize("cold", [False, True])
async def test_what_is_missing_at_the_end_is_named_with_a_line(engine, text, line, message, cold):
    rendering = await engine.render(LatexJob((PLAIN + text).encode(), options=Options(cold=cold)))
    assert rendering.verdict is Verdict.COMPILE_ERROR
    assert rendering.error.message.startswith(message)
    assert rendering.error.line == line
    assert f"on line {line}: {message}" in rendering.message


async def test_encoded_bytes_are_plain_png(engine):
    data = (await engine.render(LatexJob(document("x")))).pictures[0].png
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    assert data[12:16] == b"IHDR"
    assert (data[24], data[25]) == (8, 2)  # 8 bit, RGB
    assert zlib.crc32(data[12:29]) == int.from_bytes(data[29:33], "big")


async def test_the_tier_does_not_change_the_picture(engine):
    try:
        jail = await Jail.start(JailSettings(tier=Tier.LANDLOCK))
    except NoTierError as error:
        pytest.skip(str(error))
    other = LatexRenderer(engine._settings, jail, engine.installation, engine._index)
    known = next(one.preamble for one in engine.formats).decode() + "\n"
    for preamble in (PLAIN, known):
        job = LatexJob(document("Some $x^2$ text", preamble))
        here, there = await engine.render(job), await other.render(job)
        assert here.verdict is Verdict.RENDERED
        assert here.pictures[0].png == there.pictures[0].png
        assert here.stages[0].detail == there.stages[0].detail
    await jail.close()


async def test_the_canary_lives(engine):
    await canary(engine, canary_limits(LimitTable()))
