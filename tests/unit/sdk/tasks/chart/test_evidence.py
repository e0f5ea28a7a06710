"""What an image shows of the objects that a figure is said to have."""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from i2s_sdk.tasks.chart.elements import objects_in_image
from i2s_sdk.tasks.chart.evidence import NOTHING_UNSEEN, Unseen, unseen_objects
from i2s_wire.render.figure import Axes, Axis, Figure, FigureBox, FigureText, Mark, MarkKind
from random_figures import figures

WIDTH, HEIGHT = 320, 240
#: Takes the columns 40 to 280 and the rows 40 to 200 of the image, one unit of data each.
AXES = Axes(FigureBox(1 / 8, 1 / 6, 3 / 4, 2 / 3), x=Axis("linear", 0, 240), y=Axis("linear", 0, 160))
EMPTY = Figure(width_inches=3.2, height_inches=2.4, dpi=100, axes=(AXES,))
RED, BLUE, INVISIBLE = "#ff0000ff", "#0000ffff", "#ffffffff"


def white() -> np.ndarray:
    return np.full((HEIGHT, WIDTH, 3), 255, dtype=np.uint8)


def line(color: str = RED, **more: object) -> Mark:
    points = tuple(float(at) for at in range(20, 220, 10))
    return replace(
        Mark(
            MarkKind.LINE, 0, x=points, y=tuple(at / 2 for at in points), colors=(color,), total=len(points)
        ),
        line_width=2.0,
        **more,
    )


def with_line(
    pixels: np.ndarray, color: tuple[int, int, int] = (255, 0, 0), slope: float = 0.5
) -> np.ndarray:
    """Draw the line of data from x 20 to 210, three pixels thick."""
    for x in np.arange(20, 211):
        row = round(200 - x * slope)
        pixels[row - 1 : row + 2, 40 + x] = color
    return pixels


def unseen_marks(pixels: np.ndarray, *marks: Mark) -> tuple[int, ...]:
    return unseen_objects(replace(EMPTY, marks=marks), pixels).marks


def test_a_line_is_shown_where_its_data_is_and_nowhere_else() -> None:
    assert unseen_marks(with_line(white()), line()) == ()
    assert unseen_marks(with_line(white()), line(BLUE)) == (0,)
    assert unseen_marks(with_line(white(), slope=0.3), line()) == (0,)
    assert unseen_marks(white(), line()) == (0,)


def test_a_line_in_the_colour_of_the_background_is_not_shown() -> None:
    assert unseen_marks(white(), line(INVISIBLE)) == (0,)
    assert unseen_marks(np.full_like(white(), 128), line("#808080ff")) == (0,)


def test_a_colour_that_is_everywhere_shows_no_line() -> None:
    noise = np.random.default_rng(0).choice([0, 255], (HEIGHT, WIDTH, 1)).repeat(3, axis=2).astype(np.uint8)
    noise[..., 0] = 255  # red and white
    assert unseen_marks(noise, line()) == (0,)


def test_a_transparent_line_is_shown_by_its_mixture() -> None:
    assert unseen_marks(with_line(white(), (255, 178, 178)), line("#ff00004c")) == ()
    assert unseen_marks(with_line(white(), (255, 253, 253)), line("#ff000002")) == (0,)


def test_places_on_a_logarithmic_and_on_an_inverted_axis_are_known() -> None:
    exponents = np.arange(20, 220, 10) / 60
    log = replace(AXES, y=Axis("log", 1, 10 ** (160 / 60)))
    logarithmic = line(y=tuple(10 ** (exponents / 2)))
    assert unseen_objects(replace(EMPTY, axes=(log,), marks=(logarithmic,)), with_line(white())).marks == ()
    turned = replace(AXES, y=Axis("linear", 160, 0))
    inverted = line(y=tuple(160 - at / 2 for at in line().x))
    assert unseen_objects(replace(EMPTY, axes=(turned,), marks=(inverted,)), with_line(white())).marks == ()


def test_the_end_of_a_bar_is_where_its_value_is() -> None:
    pixels = white()
    pixels[200 - 80 : 200, 40 + 40 : 40 + 80] = (0, 0, 255)
    bar = Mark(MarkKind.BARS, 0, x=(60.0,), y=(80.0,), z=(0.0,), sizes=(40.0,), colors=(BLUE,), total=1)
    assert unseen_marks(pixels, bar) == ()
    assert unseen_marks(pixels, replace(bar, y=(50.0,))) == (0,)
    assert unseen_marks(pixels, replace(bar, y=(120.0,))) == (0,)


def test_cells_have_colours_in_the_order_of_their_values() -> None:
    values = np.random.default_rng(2).permutation(24).reshape(4, 6)
    pixels = white()
    pixels[40:200, 40:280] = np.kron(values * 10, np.ones((40, 40), int))[..., None].astype(np.uint8)
    cells = Mark(MarkKind.CELLS, 0, x=(0.0, 240.0), y=(0.0, 160.0), sizes=(4.0, 6.0), total=24)
    assert unseen_marks(pixels, replace(cells, z=tuple(map(float, values[::-1].ravel())))) == ()
    assert unseen_marks(pixels, replace(cells, z=tuple(map(float, values.ravel())))) == ()
    other = np.random.default_rng(3).permutation(24)
    assert unseen_marks(pixels, replace(cells, z=tuple(map(float, other)))) == (0,)
    assert unseen_marks(white(), replace(cells, z=tuple(map(float, other)))) == (0,)


def test_marks_outside_of_the_image_are_not_shown() -> None:
    away = Mark(MarkKind.POINTS, 0, x=(1000.0,), y=(1000.0,), colors=(RED,), total=1)
    assert unseen_marks(with_line(white()), away) == (0,)


def test_colours_that_no_mark_shows_are_named() -> None:
    points = Mark(
        MarkKind.POINTS, 0, x=(50.0, 150.0), y=(50.0, 50.0), sizes=(36.0,), colors=(RED, BLUE), total=2
    )
    pixels = white()
    pixels[146:155, 86:95] = (255, 0, 0)
    found = unseen_objects(replace(EMPTY, marks=(points,)), pixels)
    assert (found.marks, found.colors) == ((), (BLUE,))


TITLE = FigureText("Title", box=FigureBox(0.4, 0.05, 0.2, 0.06), color="#000000ff", size=10)


def lettered(pixels: np.ndarray, box: FigureBox, letters: int, color: int = 0) -> np.ndarray:
    """Draw upright strokes, two for each letter, as wide as a box."""
    left, top = round(box.x * WIDTH), round(box.y * HEIGHT)
    width, height = round(box.width * WIDTH), round(box.height * HEIGHT)
    for number in range(2 * letters):
        at = left + 1 + round(number * (width - 3) / (2 * letters - 1))
        pixels[top + 3 : top + height - 2, at : at + 2] = color
    return pixels


def unseen_texts(pixels: np.ndarray, *texts: FigureText) -> tuple[int, ...]:
    return unseen_objects(replace(EMPTY, texts=texts), pixels).texts


def test_a_text_needs_ink_of_its_length_in_its_place() -> None:
    assert unseen_texts(lettered(white(), TITLE.box, 5), TITLE) == ()
    assert unseen_texts(white(), TITLE) == (0,)
    lower = replace(TITLE.box, y=0.9)
    assert unseen_texts(lettered(white(), lower, 5), TITLE) == (0,)
    shorter = replace(TITLE.box, width=0.08)
    assert unseen_texts(lettered(white(), shorter, 5), TITLE) == (0,)
    beam = white()
    beam[12:26, 40:300] = 0
    assert unseen_texts(beam, TITLE) == (0,)
    bar = white()
    bar[15:24, 129:191] = 0
    assert unseen_texts(bar, TITLE) == (0,)


def test_a_text_in_the_colour_of_its_background_is_not_shown() -> None:
    pixels = lettered(white(), TITLE.box, 5)
    assert unseen_texts(pixels, replace(TITLE, color=INVISIBLE)) == (0,)
    assert unseen_texts(pixels, replace(TITLE, color="#00000000")) == (0,)
    assert unseen_texts(lettered(white(), TITLE.box, 5, 253), replace(TITLE, color="#fdfdfdff")) == (0,)


def test_white_text_on_a_dark_background_is_shown() -> None:
    pixels = lettered(np.full_like(white(), 34), TITLE.box, 5, 255)
    assert unseen_texts(pixels, replace(TITLE, color=INVISIBLE)) == ()


def test_a_text_of_two_pixels_and_one_outside_are_not_shown() -> None:
    pixels = lettered(white(), TITLE.box, 5)
    assert unseen_texts(pixels, replace(TITLE, box=FigureBox(0.45, 0.07, 0.01, 0.008))) == (0,)
    assert unseen_texts(pixels, replace(TITLE, box=FigureBox(1.4, 0.05, 0.2, 0.06))) == (0,)


def test_one_ink_is_one_text() -> None:
    pixels = lettered(white(), TITLE.box, 5)
    others = [replace(TITLE, text=words) for words in ("Month", "Sales")]
    assert unseen_texts(pixels, TITLE, *others) == (1, 2)
    assert unseen_texts(pixels, TITLE, TITLE) == ()  # as axes that share ticks have them


def test_axes_are_shown_by_a_frame_or_by_what_they_hold() -> None:
    assert unseen_objects(EMPTY, white()).axes == (0,)
    framed = white()
    framed[40, 40:280] = framed[200, 40:280] = framed[40:200, 40] = framed[40:200, 280] = 0
    assert unseen_objects(EMPTY, framed).axes == ()
    assert unseen_objects(replace(EMPTY, marks=(line(),)), with_line(white())).axes == ()


def test_places_are_those_of_the_figure_if_the_image_shows_a_part() -> None:
    figure = replace(EMPTY, marks=(line(),), shown=FigureBox(1 / 8, 1 / 6, 3 / 4, 2 / 3))
    part = with_line(white())[40:200, 40:280]
    assert unseen_objects(figure, part).marks == ()
    assert unseen_objects(replace(figure, shown=None), part).marks == (0,)


@pytest.mark.parametrize("kind", MarkKind)
@pytest.mark.parametrize("width", [1.7e308, -1.7e308, 5e-324])
def test_a_line_of_any_width_has_an_answer(kind: MarkKind, width: float) -> None:
    mark = replace(line(), kind=kind, line_width=width, box=FigureBox(0.1, 0.1, 0.5, 1.7e308))
    assert unseen_marks(with_line(white()), mark, replace(mark, x=(), y=())) in ((), (0,), (1,), (0, 1))


@given(figures, st.sampled_from([(1, 1), (3, 200), (40, 60)]), st.integers(0, 3))
def test_any_figure_and_image_have_an_answer(figure: Figure, size: tuple[int, int], seed: int) -> None:
    pixels = np.random.default_rng(seed).integers(0, 1 + 85 * seed, (*size, 3)).astype(np.uint8)
    odd = replace(figure, width_inches=1e-300 * seed, shown=FigureBox(0, 0, seed, 1e-12))
    for one in (figure, odd):
        unseen = unseen_objects(one, pixels)
        assert set(unseen.texts) <= set(range(len(one.texts)))
        assert 0.0 <= objects_in_image(one, one, NOTHING_UNSEEN, unseen) <= 1.0


def test_what_the_reference_does_not_show_either_does_not_lower_the_part_that_is_shown() -> None:
    figure = replace(EMPTY, texts=(TITLE, TITLE), marks=(line(),))
    half = Unseen(texts=(1,))
    assert objects_in_image(figure, figure, half, half) == 1.0
    assert objects_in_image(figure, figure, NOTHING_UNSEEN, half) == pytest.approx((0.5 + 1 + 1) / 3)
    assert objects_in_image(figure, Figure(), NOTHING_UNSEEN, NOTHING_UNSEEN) == 1.0


@pytest.mark.slow
def test_the_largest_figures_end_soon() -> None:
    chosen = np.random.default_rng(4)
    marks = tuple(
        line(f"#{number:06x}ff", y=tuple(chosen.uniform(0, 160, 20))) for number in range(0, 2000 * 7, 7)
    )
    boxes = chosen.uniform(0, 1, (5000, 4))
    texts = tuple(replace(TITLE, box=FigureBox(*box)) for box in boxes)
    started = time.process_time()
    unseen_objects(replace(EMPTY, texts=texts, marks=marks), with_line(white()))
    assert time.process_time() - started < 60  # a tenth of it on an idle machine


@pytest.mark.slow
@pytest.mark.parametrize("kind", [MarkKind.CONTOURS, MarkKind.CELLS, MarkKind.SHAPE])
@pytest.mark.parametrize("count", [1, 10_000], ids=["of one axes", "each of its own"])
def test_many_marks_anywhere_end_soon(kind: MarkKind, count: int) -> None:
    whole = Axes(FigureBox(0.0, 0.0, 1.0, 1.0))
    marks = [Mark(kind, number % count, colors=("#c80000ff",), total=5) for number in range(10_000)]
    pixels = np.full((1000, 1600, 3), 255, dtype=np.uint8)
    pixels[::3, ::2] = 200, 0, 0
    started = time.process_time()
    unseen_objects(replace(EMPTY, axes=(whole,) * count, marks=tuple(marks)), pixels)
    assert time.process_time() - started < 10  # 1 to 3 on an idle machine


def test_the_first_of_many_axes_are_shown() -> None:
    unseen = unseen_objects(replace(EMPTY, axes=(AXES,) * 600, marks=(line(),) * 2), with_line(white()))
    assert unseen.axes == tuple(range(1, 600))
    assert unseen.marks == ()
