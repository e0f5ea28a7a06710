"""LuaLaTeX and XeLaTeX in the sandbox: the same image as pdfLaTeX, other letters, and their failures."""

import io
import tempfile
from pathlib import Path

import numpy as np
import pytest
import pytest_asyncio
from PIL import Image

from i2s_chassis.errors import InvalidArgumentError
from i2s_chassis.jail import Jail, JailSettings
from i2s_render_latex.engine import LatexRenderer
from i2s_render_latex.installation import find_installation
from i2s_render_latex.model import LatexJob, Options
from i2s_render_latex.preparation import prepare_fonts
from i2s_render_latex.servicer import refuse_missing
from i2s_render_latex.settings import LatexSettings
from i2s_wire.render.options import LatexEngine as TexEngine
from i2s_wire.render.rendering import Verdict
from i2s_wire.render.source_error import ErrorKind

pytestmark = [pytest.mark.integration, pytest.mark.asyncio(loop_scope="session")]

OTHERS = [TexEngine.LUALATEX, TexEngine.XELATEX]


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def with_fonts(engine):
    """An engine with fonts that are prepared for LuaTeX and XeTeX."""
    with tempfile.TemporaryDirectory(prefix="i2s-fonts-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        fonts = await prepare_fonts(folder, engine.installation)
        assert await prepare_fonts(folder, engine.installation) == fonts  # the second time nothing is made
        jail = await Jail.start(JailSettings())
        settings = LatexSettings(state_dir=folder)
        other = LatexRenderer(settings, jail, engine.installation, engine._index, fonts=fonts)
        async with other.open({}):
            yield other
        await jail.close()


def document(body, preamble=""):
    lines = ["\\documentclass{article}", preamble, "\\begin{document}", body, "\\end{document}", ""]
    return "\n".join(lines).encode()


async def rendered(engine, tex, source, **options):
    return await engine.render(LatexJob(source, options=Options(engine=tex, **options)))


def values(rendering):
    (picture,) = rendering.pictures
    return np.asarray(Image.open(io.BytesIO(picture.png)).convert("L")).astype(int)


async def test_the_engines_are_installed_with_their_versions():
    found = find_installation()
    assert found.engines == set(TexEngine)
    assert {"pdftex", "luahbtex", "xetex"} <= set(found.versions)
    with pytest.raises(InvalidArgumentError, match=r"options\.latex\.engine.*texlive-xetex"):
        refuse_missing(TexEngine.XELATEX, found.engines - {TexEngine.XELATEX})


@pytest.mark.parametrize("tex", OTHERS)
async def test_a_line_and_a_circle_are_those_of_pdftex(with_fonts, tex):
    source = document("Hello \\tikz \\draw (0,0) circle (1);", "\\usepackage{tikz}")
    plain = values(await rendered(with_fonts, TexEngine.PDFLATEX, source))
    first = await rendered(with_fonts, tex, source)
    assert first.verdict is Verdict.RENDERED, first.message
    assert [stage.detail for stage in first.stages if stage.name == "compile"] == [
        "cold"
    ]  # one run is enough
    assert values(first).shape == plain.shape
    # Letters come from Latin Modern instead of Computer Modern.
    assert np.mean(np.abs(values(first) - plain) > 64) < 0.01
    assert first.pictures == (await rendered(with_fonts, tex, source)).pictures


@pytest.mark.parametrize(
    ("tex", "preamble", "body"),
    [
        (TexEngine.XELATEX, "\\usepackage{xeCJK}", "中文标签"),
        (TexEngine.LUALATEX, "\\usepackage{fontspec}\\setmainfont{FandolSong-Regular.otf}", "中文标签"),
        (TexEngine.XELATEX, "\\usepackage{xepersian}\\settextfont{DejaVu Sans}", "سلام دنیا"),
        (
            TexEngine.LUALATEX,
            "\\usepackage[bidi=basic]{babel}\\babelprovide[import,main]{persian}\\babelfont{rm}{DejaVu Sans}",
            "سلام دنیا",
        ),
    ],
)
async def test_letters_that_pdftex_does_not_have_are_drawn(with_fonts, tex, preamble, body):
    rendering = await rendered(with_fonts, tex, document(body, preamble))
    assert rendering.verdict is Verdict.RENDERED, rendering.message
    ink = values(rendering) < 128
    assert ink.shape[1] > 80  # four letters of Chinese or two words are not one box for a missing glyph
    assert 0.05 < ink.mean() < 0.6
    refused = await rendered(with_fonts, TexEngine.PDFLATEX, document(body, preamble))
    assert refused.verdict is Verdict.COMPILE_ERROR
    assert refused.error.kind is ErrorKind.CONFLICT


@pytest.mark.parametrize("tex", OTHERS)
async def test_an_error_has_its_line(with_fonts, tex):
    rendering = await rendered(with_fonts, tex, document("one\n\n\\wrong"))
    assert rendering.verdict is Verdict.COMPILE_ERROR
    assert (rendering.error.line, rendering.error.kind) == (6, ErrorKind.UNDEFINED_COMMAND)
    assert rendering.error.undefined.name == "wrong"


@pytest.mark.parametrize("tex", list(TexEngine))
async def test_references_and_pages_are_those_of_the_last_run(with_fonts, tex):
    source = document("see \\ref{a}\\newpage\\section{S}\\label{a}")
    whole = await rendered(with_fonts, tex, source)
    assert whole.total_pages == 2
    assert sum(stage.name == "compile" for stage in whole.stages) >= 2
    last = await rendered(with_fonts, tex, source, last_page=True)
    assert [picture.page for picture in last.pictures] == [2]
    assert values(last).shape != values(whole).shape


async def test_pages_that_cannot_be_made_a_pdf_say_why(with_fonts):
    source = document("x\\special{pdf:epdf (document.tex)}")  # which is no PDF
    rendering = await rendered(with_fonts, TexEngine.XELATEX, source)
    assert rendering.verdict is Verdict.NO_OUTPUT
    why = "The pages cannot be made a PDF: xdvipdfmx:fatal: Image inclusion failed"
    assert rendering.message.startswith(why)


@pytest.mark.parametrize("tex", OTHERS)
async def test_without_prepared_fonts_the_picture_is_the_same(engine, with_fonts, tex):
    source = document("plain \\textbf{text} $x^2$")
    cold = await rendered(engine, tex, source)
    assert cold.verdict is Verdict.RENDERED, cold.message
    assert cold.pictures == (await rendered(with_fonts, tex, source)).pictures
