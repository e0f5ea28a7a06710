"""What becomes of scores, by the real engine."""

import asyncio
import io

import pytest
from PIL import Image

from i2s_render_lilypond.model import LilypondJob, Options
from i2s_wire.render.options import BlankPage, Crop, LilypondBackend, LilypondConvert
from i2s_wire.render.rendering import Verdict
from i2s_wire.render.source_error import ErrorKind, Undefined

pytestmark = [pytest.mark.integration, pytest.mark.asyncio(loop_scope="session")]

CURRENT = '\\version "2.24.0"\n'


def opened(rendering):
    (picture,) = rendering.pictures
    return Image.open(io.BytesIO(picture.png))


@pytest.fixture
def render(engine, limits):
    async def render(score, assume_version="", **options):
        return await engine.render(LilypondJob(score.encode(), assume_version, Options(**options), limits))

    return render


async def test_a_good_score_is_rendered(render):
    rendering = await render(CURRENT + "{ c'4 d' e' f' }")
    assert rendering.verdict is Verdict.RENDERED
    assert (rendering.total_pages, rendering.pictures[0].page) == (1, 1)
    assert [stage.name for stage in rendering.stages] == ["compile", "raster", "crop"]
    assert rendering.stages[0].detail == "zygote"
    assert rendering.usage.cpu_seconds > 0
    assert b"Interpreting music" in rendering.log.whole
    assert opened(rendering).mode == "RGB"


async def test_a_picture_with_errors_comes_with_the_first(render):
    rendering = await render(CURRENT + "{ c'4 \\nonsense d' }")
    assert rendering.verdict is Verdict.RENDERED_WITH_ERRORS
    assert (rendering.error.line, rendering.error.undefined) == (2, Undefined("nonsense"))
    assert rendering.error.kind is ErrorKind.UNDEFINED_COMMAND
    assert rendering.pictures


@pytest.mark.parametrize("score", ["Sorry, I cannot read this picture.", CURRENT + "{ c'4 d'"])
async def test_text_that_is_no_score_is_a_compile_error(render, score):
    rendering = await render(score)
    assert rendering.verdict is Verdict.COMPILE_ERROR
    assert rendering.error.kind is ErrorKind.SYNTAX
    assert not rendering.pictures


@pytest.mark.parametrize("score", [CURRENT + "music = { c'4 }", CURRENT + "{ }", CURRENT + "\\markup { }"])
async def test_a_score_without_anything_to_show_is_no_output(render, score):
    assert (await render(score)).verdict is Verdict.NO_OUTPUT


@pytest.mark.parametrize("backend", LilypondBackend)
@pytest.mark.parametrize(
    ("name", "cold"),
    [
        (r'\bookOutputName "other"', True),
        (r'\bookOutputName "../../other/my score"', False),
        (r'\bookOutputSuffix "x"', False),
        (r'\bookOutputName "score"', False),
    ],
)
async def test_a_book_that_names_another_file_is_rendered_as_one_that_names_none(render, name, cold, backend):
    plain = await render(CURRENT + "\\book { { c''1 } }", backend=backend)
    named = await render(CURRENT + f"\\book {{ {name} {{ c''1 }} }}", cold=cold, backend=backend)
    assert named.verdict is Verdict.RENDERED
    assert named.pictures == plain.pictures


@pytest.mark.parametrize("backend", LilypondBackend)
@pytest.mark.parametrize("score", ["{{ c''1 }} {}", "{} {{ c''1 }}"])
async def test_the_book_without_a_name_of_its_own_is_that_of_the_score(render, score, backend):
    other = r'\book { \bookOutputName "b" { d1 \pageBreak e \pageBreak f } }'
    plain = await render(CURRENT + "{ c''1 }", backend=backend)
    rendering = await render(CURRENT + score.format(other), backend=backend)
    assert (rendering.pictures, rendering.total_pages) == (plain.pictures, 1)


@pytest.mark.parametrize("backend", LilypondBackend)
async def test_of_several_books_with_names_of_their_own_none_is_drawn(render, backend):
    books = (f'\\book {{ \\bookOutputName "{name}" {{ c1 }} }}' for name in "ab")
    rendering = await render(CURRENT + " ".join(books), backend=backend)
    assert rendering.verdict is Verdict.NO_OUTPUT
    assert "bookOutputName" in rendering.message


async def test_a_file_that_is_missing_is_named_without_paths_of_the_installation(render):
    rendering = await render(CURRENT + '\\markup \\epsfile #X #20 "none.eps"')
    assert rendering.message == "LilyPond stopped: cannot find file: `none.eps'"
    assert rendering.error.undefined == Undefined("none.eps")


async def test_a_blank_page_can_be_kept(render):
    rendering = await render(CURRENT + "\\markup \\null", blank_page=BlankPage.KEEP)
    assert rendering.verdict is Verdict.RENDERED
    assert opened(rendering).getextrema() == ((255, 255),) * 3


async def test_the_whole_page_is_a4_at_101_dpi(render):
    assert opened(await render(CURRENT + "{ c' }", crop=Crop.NONE)).size == (835, 1181)
    assert opened(await render(CURRENT + "{ c' }", crop=Crop.NONE, dpi=202)).size == (1670, 2362)
    cut = await render(CURRENT + "{ c' }", crop=Crop.NONE, cut_bottom=0.2)
    assert opened(cut).size == (835, 945)


async def test_footers_are_drawn_where_they_are_wanted(render):
    without = opened(await render(CURRENT + "{ c' }"))
    with_tagline = opened(await render(CURRENT + "{ c' }", no_footers=False))
    assert with_tagline.height > without.height + 800
    own = "\\paper { oddFooterMarkup = \\markup Mine }"
    own = f"{CURRENT} {own} {{ c' }}"
    assert opened(await render(own)).height > without.height + 800


async def test_pages_are_counted_and_given_as_asked(render):
    score = CURRENT + "{ c'1 \\pageBreak d'1 \\pageBreak e'1 }"
    first = await render(score)
    assert (first.total_pages, [picture.page for picture in first.pictures]) == (3, [1])
    later = await render(score, first_page=2, page_count=5)
    assert [picture.page for picture in later.pictures] == [2, 3]
    assert (await render(score, first_page=4)).verdict is Verdict.NO_OUTPUT
    alone = await render(score, first_page=2)
    assert alone.pictures[0].png == later.pictures[0].png != first.pictures[0].png


async def test_landscape_paper_lies_on_its_side(render):
    score = CURRENT + '\\paper { #(set-paper-size "a4landscape") } { c\' }'
    assert opened(await render(score, crop=Crop.NONE)).size == (1181, 835)


async def test_old_syntax_is_converted(render):
    score = "\\version \"2.16.0\"\n{ \\times 2/3 { c'8 d' e' } \\override Stem #'direction = #DOWN f'4 }"
    rendering = await render(score)
    assert rendering.verdict is Verdict.RENDERED
    assert (rendering.stages[0].name, rendering.stages[0].detail) == ("convert", "warm")


async def test_without_a_version_the_assumed_one_is_converted_from(render):
    score = "{ \\override Stem #'direction = #DOWN c'4 }\n\n{ \\wrong }"
    rendering = await render(score, "2.12.0")
    assert rendering.stages[0].name == "convert"
    assert rendering.error.line == 3  # no line was added


async def test_where_conversion_is_required_a_score_without_version_is_refused(render):
    rendering = await render("{ c'4 }", convert=LilypondConvert.REQUIRED)
    assert rendering.verdict is Verdict.COMPILE_ERROR
    assert "version" in rendering.error.message


async def test_a_version_that_convert_ly_refuses_ends_only_where_conversion_is_required(render):
    score = '\\version "2.19"\n{ c\'4 }'
    required = await render(score, convert=LilypondConvert.REQUIRED)
    assert required.verdict is Verdict.COMPILE_ERROR
    assert "Invalid version string" in required.error.message
    assert (await render(score)).pictures


async def test_a_score_from_the_future_is_rendered_with_errors(render):
    rendering = await render('\\version "2.99.0"\n{ c\'4 }')
    assert rendering.verdict is Verdict.RENDERED_WITH_ERRORS
    assert rendering.error.kind is ErrorKind.CONFLICT


@pytest.mark.parametrize("score", ["", " \n", "\0"])
async def test_what_is_no_text_is_invalid_input(render, score):
    assert (await render(score)).verdict is Verdict.INVALID_INPUT


async def test_colours_are_kept(render):
    rendering = await render(CURRENT + "\\markup \\with-color #red \\filled-box #'(0 . 9) #'(0 . 9) #0")
    assert opened(rendering).getpixel((20, 20)) == (255, 0, 0)


async def test_jobs_side_by_side_do_not_meet(engine, limits):
    pitches = "cdefgab"
    scores = [LilypondJob(f"{CURRENT}{{ {pitch}'1 }}".encode(), limits=limits) for pitch in pitches]
    alone = [(await engine.render(score)).pictures[0].png for score in scores]
    together = await asyncio.gather(*(engine.render(score) for score in scores))
    assert [rendering.pictures[0].png for rendering in together] == alone
    assert len(set(alone)) == len(pitches)
