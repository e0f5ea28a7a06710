import pytest

from i2s_render_latex.page_objects import limit_of, prepared, read
from i2s_wire.render.options import LatexEngine
from i2s_wire.render.page_objects import PageObject, PageObjectKind, PageObjects

RESULT = b"""page 1
font ABCDEF+CMMI12
font CMEX10
glyph 0 11955 1 2 3 4 120
glyph 0 11955 5 2 9 4 102 105
unnamed 1 11955 -1 2 3 4 88
rule 1 2 3 4
page 3
font CMR10
glyph 2 9963 1 2 3 4 49
path 1 2 3 4
"""


def test_a_result_is_the_objects_of_its_pages():
    pages = read(RESULT)
    assert pages is not None
    assert pages[1] == PageObjects(
        ("CMMI12", "CMEX10"),
        (
            PageObject(PageObjectKind.GLYPH, 1, 2, 3, 4, "x", size=11955),
            PageObject(PageObjectKind.GLYPH, 5, 2, 9, 4, "fi", size=11955),
            PageObject(PageObjectKind.GLYPH, -1, 2, 3, 4, code=88, font=1, size=11955),
            PageObject(PageObjectKind.RULE, 1, 2, 3, 4),
        ),
    )
    assert pages[3].fonts == ("CMR10",), "a page has the fonts that it uses"
    assert [one.font for one in pages[3].objects] == [0, 0]


def test_a_page_beyond_the_limit_says_so():
    assert read(b"page 2\nlimit objects\n") == {2: PageObjects(limit="objects")}
    assert not read(b"page 2\nlimit whatever\n")


@pytest.mark.parametrize(
    "lines",
    [
        b"page x\n",
        b"page 1\nglyph 0 1 1 2 3 4 120\n",
        b"page 1\nrule 1 2 3\n",
        b"page 1\nrm -rf\n",
        b"page 1\nfont A\nglyph 0 9999999999 1 2 3 4 120\n",
        b"page 1\nfont A\nglyph 0 1 1 2 3 4 9999999999\n",
        b"page 1\n\xff\n",
    ],
)
def test_what_the_program_does_not_write_is_not_read(lines):
    assert not read(lines)


def test_only_documents_of_pdftex_lose_what_they_say_of_fonts():
    pdf = b"<< /Font /ToUnicode 5 0 R >>"
    assert prepared(pdf, LatexEngine.XELATEX) == pdf
    assert prepared(pdf, LatexEngine.PDFLATEX) == b"<< /Font /ToUnicodX 5 0 R >>"
    assert prepared(b"<< /Font /A#55B 5 0 R >>", LatexEngine.PDFLATEX) == b"<< /Font /A#55B 5 0 R >>"


@pytest.mark.parametrize(
    ("pdf", "limit"),
    [
        (b"<< /Font /ToUnicode 5 0 R >>", ""),
        (b"<< /Type /ObjStm >>", "compressed"),
        (b"<< /Font /To#55nicode 5 0 R >>", "compressed"),
        (b"<< /OCProperties 5 0 R >>", "layers"),
        (b"<< /OC#50roperties 5 0 R >>", "layers"),
        (b"<< /CropBox [0 0 1 1] >>", "boxes"),
        (b"<< /CIDToGIDMap 5 0 R >>", "fonts"),
    ],
)
def test_a_document_that_two_programs_would_draw_differently_has_a_named_limit(pdf, limit):
    assert limit_of(pdf, LatexEngine.PDFLATEX) == limit
