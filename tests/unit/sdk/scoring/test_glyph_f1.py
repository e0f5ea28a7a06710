import time
from dataclasses import replace

import pytest

from i2s_sdk.scoring.drawn_glyphs import CdmScorer, GlyphF1Scorer
from i2s_sdk.scoring.glyph_f1 import glyph_f1
from i2s_sdk.scoring.page_tokens import Token, drawn_json, read_drawn
from i2s_sdk.scoring.scorer import Scorable
from i2s_wire.render.page_objects import PageObject, PageObjectKind, PageObjects


def line(text, size=10.0, scripts=None, style="italic"):
    """Letters side by side; ``scripts`` says by place whether one is raised (1) or lowered (-1)."""
    tokens, x = [], 0.0
    for place, letter in enumerate(text):
        shift = (scripts or {}).get(place, 0)
        own = size * (0.7 if shift else 1)
        base = -0.4 * size if shift > 0 else 0.2 * size if shift < 0 else 0.0
        tokens.append(Token(letter, style, own, x, base - 0.6 * own, x + 0.5 * own, base))
        x += 0.55 * own
    return tokens


@pytest.mark.parametrize("size", [7.0, 12.0, 24.88])
def test_the_same_in_another_size_is_equal(size):
    scripts = {1: 1, 3: -1}
    assert glyph_f1(line("x2y1+z", scripts=scripts), line("x2y1+z", size, scripts)) == 1


def test_scripts_are_told_apart():
    plain, raised, lowered = line("22"), line("22", scripts={1: 1}), line("22", scripts={1: -1})
    for one, other in ((plain, raised), (plain, lowered), (raised, lowered)):
        assert glyph_f1(one, other) < 1
    up, down = (line("abcn+1", scripts=dict.fromkeys((3, 4, 5), sign)) for sign in (1, -1))
    assert glyph_f1(up, down) < 1


def test_lines_may_be_nearer_to_one_another():
    def lines(skip):
        return [
            *line("ab"),
            *(replace(one, top=one.top + skip, bottom=one.bottom + skip) for one in line("cd")),
        ]

    assert glyph_f1(lines(10.8), lines(7.5)) == 1
    assert glyph_f1(lines(10.8), lines(4)) < 1


def test_order_and_weight_are_told_apart():
    assert glyph_f1(line("αβγ"), line("βαγ")) < 1
    assert glyph_f1(line("x"), line("x", style="bold italic")) < 1


def test_a_character_in_another_family_of_fonts_counts_half():
    """n letters of which each counts half, and n - 1 steps: (0.5 n + n - 1) / (2 n - 1)."""
    assert glyph_f1(line("abcd"), line("abcd", style="sans")) == pytest.approx((2 + 3) / 7)
    assert glyph_f1(line("abcd"), line("abcd", style="sans")) > glyph_f1(line("abcd"), line("ab"))
    assert glyph_f1(line("ab", style="script"), line("ab", style="sans")) == 0


def test_a_character_of_another_relative_size_counts_half():
    """3 of 8 letters count half, and all 7 steps count: (5 + 1.5 + 7) / (2 * 8 - 1)."""
    truth = line("abcdefgh")
    mixed = [replace(token, size=7.0) if token.text in "ace" else token for token in truth]
    assert glyph_f1(truth, mixed) == pytest.approx(13.5 / 15)
    assert glyph_f1(truth, [replace(token, size=7.0) for token in truth]) == 1


def test_the_length_of_a_rule_counts():
    """The rule and the step from it count nothing: 3 letters and 2 steps of 4 + 3."""
    long, short = (Token("rule", "", 10, 0, -8, right, -7.5, True) for right in (20, 6))
    assert glyph_f1([long, *line("a+b")], [short, *line("a+b")]) == pytest.approx(5 / 7)


def test_fewer_faults_are_more():
    truth = line("abcdefghijklmnopqrst")
    wrong, dropped = line("abcdefghijKlmnopqrst"), line("abcdefghijmnopqrst")
    half, other = line("abcdefghij"), line("tsrqponmlkjihgfedcba")
    values = [glyph_f1(truth, one) for one in (truth, wrong, dropped, half, other)]
    assert values == sorted(set(values), reverse=True)
    assert (values[0], glyph_f1(truth, [])) == (1, 0)


def test_three_hundred_glyphs_take_little_time():
    truth = line("abcdefghij" * 30)
    begin = time.process_time()
    glyph_f1(truth, line("abcdefghix" * 30))
    assert time.process_time() - begin < 1  # 0.03 where nothing else runs


def page(text, limit=""):
    glyphs = tuple(
        PageObject(PageObjectKind.GLYPH, 5000 * place, 0, 5000 * place + 4000, 6000, letter, size=10000)
        for place, letter in enumerate(text)
    )
    return drawn_json(PageObjects(("CMMI10",), glyphs, limit))


def test_pages_are_written_and_read():
    tokens, limit = read_drawn(page("ab"))
    assert [(token.text, token.style, token.left) for token in tokens] == [
        ("a", "italic", 0),
        ("b", "italic", 5),
    ]
    assert (limit, read_drawn("")) == ("", ([], ""))


@pytest.mark.parametrize(
    ("font", "style"),
    {
        "CMR10": "",
        "CMBX12": "bold",
        "CMB10": "bold",
        "CMBXTI10": "bold italic",
        "CMSS10": "sans",
        "CMSSBX10": "bold sans",
        "CMSSDC10": "bold sans",
        "SFSX1000": "bold sans",
        "SFSS1000": "sans",
        "SFSL1000": "italic",
        "SFBI1000": "bold italic",
        "SFRM1000": "",
        "CMITT10": "mono",
        "LMSans10-Bold": "bold sans",
        "LMRoman10-Regular": "",
        "LMMathItalic10-Bold": "bold italic",
        "NimbusSanL-Regu": "sans",
        "NimbusRomNo9L-Medi": "bold",
        "NimbusRomNo9L-MediItal": "bold italic",
        "NimbusRomNo9L-Regu": "",
        "FiraSans-Medium": "sans",
        "MSBM10": "blackboard",
    }.items(),
)
def test_the_name_of_a_font_says_its_style(font, style):
    glyph = PageObject(PageObjectKind.GLYPH, 0, 0, 4000, 6000, "a", size=10000)
    ((token,), _) = read_drawn(drawn_json(PageObjects((font,), (glyph,), "")))
    assert token.style == style


@pytest.mark.parametrize("text", ["{}", "[1]", '{"fonts":[],"objects":[[1,"a",3,1,1,1,1,1]],"limit":""}'])
def test_what_is_no_page_is_refused(text):
    with pytest.raises(ValueError, match="objects of a page"):
        read_drawn(text)


@pytest.mark.parametrize("scorer", [GlyphF1Scorer(), CdmScorer()])
def test_scorers_compare_pages(scorer):
    (name,) = (metric.name for metric in scorer.metrics)

    def value(drawn, truth=None):
        return scorer.score(Scorable("1", drawn=drawn, drawn_truth=page("abc") if truth is None else truth))

    assert not scorer.applies(Scorable("1", drawn=page("abc")))
    assert value(page("abc")).metrics[name] == 1
    assert value("").metrics[name] == 0
    assert value(page("", "objects")).metrics[name] == 0
    assert value(page("abc"), page("", "objects")).metrics[name] is None
    assert value(page("a" * 20_000)).metrics[name] < 0.01


@pytest.mark.parametrize("scorer", [GlyphF1Scorer(), CdmScorer()])
def test_an_answer_that_fails_counts_nothing_where_no_answer_has_a_value(scorer):
    known = drawn_json(PageObjects(("CMR10",), (PageObject(PageObjectKind.GLYPH, 0, 0, 9, 9, "x", size=9),)))
    unknown = drawn_json(PageObjects(limit="objects"))
    assert list(scorer.unusable(Scorable("a", drawn_truth=known)).metrics.values()) == [0.0]
    for values in (
        scorer.unusable(Scorable("a", drawn_truth=unknown)),
        scorer.score(Scorable("a", drawn=known, drawn_truth=unknown)),
    ):
        assert list(values.metrics.values()) == [None]
        assert "objects" in next(iter(values.undefined.values()))
