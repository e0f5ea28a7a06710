"""The back ends that draw pages: each gives its own image in every way, and the two nearly the same."""

import dataclasses
import io
import random
from pathlib import Path

import pytest
from PIL import Image, ImageChops, ImageFilter

from i2s_render_lilypond.engine import open_engine
from i2s_render_lilypond.model import LilypondJob, Options
from i2s_render_lilypond.raster import PNG_DEVICES, RAW_DEVICE
from i2s_render_lilypond.settings import LilypondSettings
from i2s_wire.render.options import Crop, LilypondBackend
from i2s_wire.render.rendering import Verdict

pytestmark = [pytest.mark.integration, pytest.mark.asyncio(loop_scope="session")]

EXAMPLES = sorted((Path(__file__).parents[3] / "examples/structures").glob("music-*.ly"))
CURRENT = '\\version "2.24.0"\n'
CAIRO = LilypondBackend.CAIRO
#: The most pixels by which the sides of an image may differ between the back ends.
SIDES = 4
DARK, GREY = 96, 224
#: The share of dark pixels that may have no counterpart in the other image.
FAR = 0.001
PLACES = [(right, down) for right in range(3, 6) for down in range(3, 6)]


def random_score(seed):
    """Notes, accidentals, signs, text in several fonts and colours, on staves of a random size."""
    chance = random.Random(seed)
    notes = " ".join(
        chance.choice("cdefgab")
        + chance.choice(["", "is", "es", "'", "''", ","])
        + chance.choice("1248")
        + chance.choice(["", "\\trill", "->", "\\fermata", "~", "\\f", '^"Text"', "_\\markup \\sans x"])
        for _ in range(chance.randrange(5, 60))
    )
    colour = f"\\override NoteHead.color = #(rgb-color {chance.random():.3f} {chance.random():.3f} 0.5)"
    size = f"#(set-global-staff-size {chance.randrange(11, 31)})"
    postscript = '\\markup \\postscript "0.3 setlinewidth 0 0 moveto 9 4 8 -4 20 3 curveto stroke"'
    text = f"\\markup {{ \\italic Été \\bold \\typewriter {chance.randrange(10**6)} }}"
    return f"{CURRENT}{size}\n{{ {colour} {notes} }}\n{chance.choice([postscript, text])}\n".encode()


SCORES = (
    {path.stem: path.read_bytes() for path in EXAMPLES}
    | {f"random-{seed}": random_score(seed) for seed in range(8)}
    | {
        "fonts of PostScript": (
            CURRENT
            + '\\markup \\postscript "/Helvetica findfont 5 scalefont setfont 0 0 moveto (Hamburg) show '
            '/DejaVuSans findfont 4 scalefont setfont 0 -8 moveto (fonts) show"'
        ).encode(),
        "garbage of PostScript": (
            CURRENT
            + '\\markup \\postscript "0 1 20000 { 100 string pop } for 0 0 moveto 10 10 lineto stroke"'
        ).encode(),
    }
)


def every_second_nightly(names):
    """Mark every second score for the nightly run, and of the random ones all but two."""
    mark = pytest.mark.nightly(instead="other scores; test_warm draws every second example")
    for place, name in enumerate(names):
        left_out = int(name[-1]) > 1 if name.startswith("random") else place % 2 and name.startswith("music")
        yield pytest.param(name, marks=mark if left_out else ())


@pytest.fixture
def render(engine, limits):
    async def render(score, **options):
        return await engine.render(LilypondJob(score, options=Options(**options), limits=limits))

    return render


@pytest.mark.nightly(instead="examples compared with plain LilyPond's PNG files (test_warm)")
async def test_pixels_written_as_they_are_are_those_of_a_png(jail, installation, engine, limits):
    assert RAW_DEVICE in installation.devices
    only_png = dataclasses.replace(installation, devices=PNG_DEVICES)
    async with open_engine(jail, only_png, LilypondSettings(warm_spare=0)) as slower:
        for name, score in SCORES.items():
            job = LilypondJob(score, options=Options(crop=Crop.NONE, page_count=3), limits=limits)
            quick, slow = await engine.render(job), await slower.render(job)
            assert quick.pictures, name
            assert (quick.verdict, quick.message) == (slow.verdict, slow.message), name
            assert [picture.png for picture in quick.pictures] == [
                picture.png for picture in slow.pictures
            ], name


async def test_a_large_page_is_drawn_too(render):
    rendering = await render(CURRENT.encode() + b"{ c'4 }", dpi=500.0, crop=Crop.NONE)
    assert rendering.verdict is Verdict.RENDERED
    assert (rendering.pictures[0].width, rendering.pictures[0].height) == (4134, 5846)


@pytest.mark.parametrize("name", list(every_second_nightly(SCORES)))
async def test_cairo_draws_the_same_bytes_warm_and_cold_and_nearly_those_of_ghostscript(render, name):
    score = SCORES[name]
    warm, cold = await render(score, backend=CAIRO), await render(score, backend=CAIRO, cold=True)
    assert {stage.detail for stage in warm.stages} & {"zygote"}
    assert {stage.name for stage in warm.stages} <= {"convert", "compile", "crop"}
    assert (warm.verdict, warm.message, warm.backend) == (cold.verdict, cold.message, CAIRO)
    assert [picture.png for picture in warm.pictures] == [picture.png for picture in cold.pictures]
    other = await render(score)
    assert other.backend is LilypondBackend.GHOSTSCRIPT
    if "PostScript" in name or "postscript" in score.decode():
        return  # cairo leaves the score's own PostScript out
    assert warm.verdict is other.verdict
    ours, theirs = opened(warm), opened(other)
    assert abs(ours.width - theirs.width) <= SIDES
    assert abs(ours.height - theirs.height) <= SIDES
    # Edges are smoothed differently, and all of it may be moved by a pixel; nothing is missing or elsewhere.
    assert min(share_without_counterpart(ours, theirs, place) for place in PLACES) <= FAR


def opened(rendering):
    return Image.open(io.BytesIO(rendering.pictures[0].png))


def share_without_counterpart(one, other, place):
    """Return the share of the dark pixels of both images without a grey pixel of the other near by."""
    size = (max(one.width, other.width) + 8, max(one.height, other.height) + 8)
    first, second = laid(one, size, (4, 4)), laid(other, size, place)
    far = dark = 0
    for ours, theirs in ((first, second), (second, first)):
        near = theirs.filter(ImageFilter.MinFilter(5)).point(lambda value: 255 if value > GREY else 0)
        ink = ours.point(lambda value: 255 if value < DARK else 0)
        dark += ink.histogram()[255]
        far += ImageChops.darker(near, ink).histogram()[255]
    return far / dark


def laid(picture, size, place):
    page = Image.new("L", size, "white")
    page.paste(picture.convert("L"), place)
    return page


async def test_cairo_draws_the_pages_that_are_asked_for(render):
    score = (CURRENT + "{ c'1 \\pageBreak d'1 d' \\pageBreak e'1 e' e' }").encode()
    every = await render(score, backend=CAIRO, page_count=5)
    assert [picture.page for picture in every.pictures] == [1, 2, 3]
    assert every.total_pages == 3
    last = await render(score, backend=CAIRO, first_page=2, page_count=2)
    assert [picture.png for picture in last.pictures] == [picture.png for picture in every.pictures[1:]]
    assert (await render(score, backend=CAIRO, first_page=4)).verdict is Verdict.NO_OUTPUT


async def test_a_whole_page_of_cairo_is_as_large_as_computed(render):
    rendering = await render(CURRENT.encode() + b"{ c'4 }", backend=CAIRO, crop=Crop.NONE)
    assert (rendering.pictures[0].width, rendering.pictures[0].height) == (836, 1181)


@pytest.mark.parametrize(
    "option",
    ["'resolution 9", "'anti-alias-factor 4", "'backend 'ps", "'backend 'svg", "'separate-log-files #t"],
)
async def test_a_score_does_not_decide_what_cairo_draws(render, option):
    plain = await render((CURRENT + "{ c'4 }").encode(), backend=CAIRO)
    rendering = await render((CURRENT + f"#(ly:set-option {option}) {{ c'4 }}").encode(), backend=CAIRO)
    pictures = [picture.png for picture in rendering.pictures]
    assert pictures == [picture.png for picture in plain.pictures] or rendering.verdict is Verdict.NO_OUTPUT
    assert bool(pictures) is ("'backend" not in option)


async def test_a_job_of_cairo_leaves_the_next_one_of_ghostscript_as_it_was(render):
    score = EXAMPLES[0].read_bytes()
    before = await render(score)
    await render(score, backend=CAIRO)
    assert [picture.png for picture in (await render(score)).pictures] == [
        picture.png for picture in before.pictures
    ]


async def test_errors_come_with_a_picture_of_cairo_too(render):
    rendering = await render((CURRENT + "{ c'4 \\nonsense d' }").encode(), backend=CAIRO)
    assert rendering.verdict is Verdict.RENDERED_WITH_ERRORS
    assert rendering.error.line == 2
    nothing = await render((CURRENT + "music = { c'4 }").encode(), backend=CAIRO)
    assert nothing.verdict is Verdict.NO_OUTPUT
