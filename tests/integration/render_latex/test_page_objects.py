"""What can be seen on pages, read from PDFs that real TeX wrote, and attacks on it."""

import pytest

from i2s_chassis.limits import DEFAULT_LIMITS
from i2s_render_latex.model import LatexJob, Options
from i2s_wire.render.options import LatexEngine
from i2s_wire.render.page_objects import PageObjectKind
from i2s_wire.render.rendering import Verdict

pytestmark = pytest.mark.asyncio(loop_scope="session")

WANTED = Options(want_objects=True)
HEAD = (
    rb"\documentclass[12pt]{article}\usepackage{amsmath,amssymb,xcolor,tikz}\pagestyle{empty}\begin{document}"
)


def job(body: bytes, options: Options = WANTED) -> LatexJob:
    return LatexJob(HEAD + body + rb"\end{document}", options=options, limits=DEFAULT_LIMITS)


async def objects_of(engine, body: bytes, options: Options = WANTED):
    rendering = await engine.render(job(body, options))
    assert rendering.verdict is Verdict.RENDERED, rendering.message
    (picture,) = rendering.pictures
    return picture.objects


def text_of(objects) -> str:
    return "".join(one.text for one in objects.objects if one.kind is PageObjectKind.GLYPH)


async def test_glyphs_and_rules_stand_where_they_were_drawn(engine):
    objects = await objects_of(engine, rb"\[\frac{\alpha}{b}+\sqrt{c}\]")
    assert text_of(objects) == "αb+√c"
    bars = [one for one in objects.objects if one.kind is PageObjectKind.RULE]
    assert len(bars) == 2
    alpha, b = (next(one for one in objects.objects if one.text == text) for text in "αb")
    assert alpha.bottom < bars[0].top < bars[0].bottom < b.top
    assert objects.fonts[alpha.font] == "CMMI12"
    assert alpha.size == 11955


async def test_nothing_is_returned_that_is_not_asked_for(engine):
    rendering = await engine.render(job(b"x", Options()))
    assert rendering.pictures[0].objects is None


async def test_a_warm_and_a_cold_run_draw_the_same_objects(engine):
    body = rb"\[\sum_{i=1}^n \left(\frac{x_i}{2}\right)\]"
    warm = await objects_of(engine, body)
    assert warm == await objects_of(engine, body, Options(want_objects=True, cold=True))
    assert warm == await objects_of(engine, body)


HIDDEN = {
    "text render mode 3": rb"\pdfliteral direct{3 Tr}$abc$\pdfliteral direct{0 Tr}",
    "text render mode 7": rb"\pdfliteral direct{q 7 Tr}$abc$\pdfliteral direct{Q}",
    "white": rb"\textcolor{white}{$abc$}",
    "almost white": rb"\textcolor[gray]{0.97}{$abc$}",
    "under a white rectangle": rb"\leavevmode\rlap{$abc$}\smash{\textcolor{white}{\rule[-3pt]{30pt}{12pt}}}",
    "black on black": rb"\rule[-3pt]{30pt}{14pt}\llap{$abc$}",
    "off the page": rb"\hbox to 0pt{\kern -1000pt $abc$\hss}",
    "clipped": rb"\begin{tikzpicture}\clip (0,0) circle (1pt); \node at (1,1) {$abc$};\end{tikzpicture}",
    "transparent": rb"\begin{tikzpicture}\node[opacity=0] {$abc$};\end{tikzpicture}",
    "below the cut": rb"\par\vspace*{\dimexpr\textheight-2\baselineskip}$abc$",
    "text under other text": rb"\textcolor{white}{\rlap{$abc$}}\phantom{$abc$}",
}


@pytest.mark.parametrize("hidden", HIDDEN.values(), ids=HIDDEN)
async def test_what_cannot_be_seen_is_not_returned(engine, hidden):
    objects = await objects_of(engine, rb"\noindent $v=1$\par " + hidden)
    assert text_of(objects).removesuffix(".") == "v=1"


async def test_text_that_can_be_seen_on_a_dark_ground_is_returned(engine):
    objects = await objects_of(engine, rb"\rule[-3pt]{30pt}{14pt}\llap{\textcolor{white}{$abc$}\ }")
    assert text_of(objects) == "abc"


CLAIMS = {
    "a map to Unicode": rb"\pdfgentounicode=1\pdfglyphtounicode{a}{0062}$a$",
    "actual text": rb"\pdfliteral direct{/Span <</ActualText (b)>> BDC}$a$\pdfliteral direct{EMC}",
}


@pytest.mark.parametrize("claim", CLAIMS.values(), ids=CLAIMS)
async def test_a_glyph_is_what_its_font_calls_it_and_not_what_the_document_says(engine, claim):
    assert text_of(await objects_of(engine, claim)) == "a"


async def test_a_pdf_whose_fonts_cannot_be_checked_has_no_objects(engine):
    objects = await objects_of(engine, rb"\pdfobjcompresslevel=2 $a$")
    assert (objects.limit, objects.objects) == ("compressed", ())


UNLIKE = {
    "annotations": rb"\setbox0\hbox{\color{white}\rule{60pt}{30pt}}\immediate\pdfxform0 $abc$"
    rb"\llap{\pdfannot width 60pt height 30pt depth 10pt"
    rb"{/Subtype /Stamp /F 4 /AP <</N \the\pdflastxform\space 0 R>>}}",
    "layers": rb"\pdfcatalog{/OCProperties <</OCGs [] /D <<>>>>}$abc$",
    "rotated": rb"\pdfpageattr{/Rotate 90}$abc$",
    "boxes": rb"\pdfpageattr{/CropBox [0 0 300 300]}$abc$",
}


@pytest.mark.parametrize("limit", UNLIKE)
async def test_a_page_that_poppler_and_pdfium_draw_differently_has_no_objects(engine, limit):
    """Else an annotation could cover glyphs that still count, and a layer show others that do not."""
    objects = await objects_of(engine, UNLIKE[limit])
    assert (objects.limit, objects.objects) == (limit, ())


async def test_a_link_has_no_appearance_and_costs_no_objects(engine):
    link = rb"\leavevmode\pdfstartlink user{/Subtype /Link /A <</S /URI /URI (x)>>}$abc$\pdfendlink"
    assert text_of(await objects_of(engine, link)) == "abc"


async def test_a_page_of_too_many_glyphs_ends_in_a_named_limit(engine):
    many = (
        rb"\newcount\n\leavevmode\loop\rlap{....................}\kern.01pt\advance\n1 \ifnum\n<1100\repeat"
    )
    objects = await objects_of(engine, many)
    assert (objects.limit, objects.objects) == ("objects", ())


@pytest.mark.parametrize("tex", [LatexEngine.LUALATEX, LatexEngine.XELATEX])
async def test_the_engines_of_tex_draw_the_same_glyphs(engine, tex):
    if tex not in engine.installation.engines:
        pytest.skip(f"{tex.name} is not installed")
    body = rb"\[\frac{\alpha^2+b_1}{\sqrt{c}}\le\sum_{i=1}^n\Bigl(x_i\Bigr)\]"
    one, other = (
        await objects_of(engine, body),
        await objects_of(engine, body, Options(want_objects=True, engine=tex)),
    )
    for item, same in zip(one.objects, other.objects, strict=True):
        # A font for large symbols names its characters in its own way; XeTeX writes what they stand for.
        assert item.kind == same.kind
        assert item.text == same.text or not item.text
        assert one.fonts[item.font : item.font + 1] == other.fonts[same.font : same.font + 1]
        assert abs(item.right - item.left - same.right + same.left) < 60
